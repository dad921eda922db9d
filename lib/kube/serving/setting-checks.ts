import type { Faults } from '../faults.js';
import { referenceFault } from '../images/index.js';
import { isDnsLabel, labelValue } from '../names.js';
import { type QuantityKind, quantityFault } from '../quantities.js';
import { acceleratorsOf } from './accelerators.js';
import type { Settings } from './settings.js';

/** What `auto` means where no instance type is named: the least that an engine needs, on whatever node has it. */
const GPUS_OF_ANY_NODE = 1;

/** Checks of single settings; each returns a value to go on with. */
export class SettingChecks {
  constructor(
    private readonly settings: Settings,
    private readonly faults: Faults,
  ) {}

  image(): string {
    const variable = this.settings.get('ECR_IMAGE_URI') ? 'ECR_IMAGE_URI' : 'CONTAINER_IMAGE_URI';
    const image = this.settings.get(variable);
    if (image === '') {
      this.faults.add(this.settings.where('ECR_IMAGE_URI'), 'set ECR_IMAGE_URI: there is no image to deploy');
      return 'none';
    }
    const fault = referenceFault(image);
    if (fault !== undefined) this.faults.add(this.settings.where(variable), fault);
    return image;
  }

  count(name: string, fallback: number): number {
    const text = this.settings.get(name);
    if (/^[1-9][0-9]{0,8}$/.test(text)) return Number(text);
    this.faults.add(this.settings.where(name), `${name} \`${text}\` is not a whole number above 0`);
    return fallback;
  }

  namespace(): string {
    const text = this.settings.get('HP_NAMESPACE');
    if (!isDnsLabel(text))
      this.faults.add(
        this.settings.where('HP_NAMESPACE'),
        `HP_NAMESPACE \`${text}\` is not a namespace's name: it has lower-case letters, digits and inner hyphens`,
      );
    return text;
  }

  /** A name that becomes a label's value as it is: a person gave it, so it is not made fit. */
  label(name: string): string {
    const text = this.settings.get(name);
    if (labelValue(text) !== text)
      this.faults.add(
        this.settings.where(name),
        `${name} \`${text}\` must be at most 63 letters, digits and inner hyphens, dots or underscores`,
      );
    return text;
  }

  quantity(name: string, kind: QuantityKind): string {
    const text = this.settings.get(name);
    const fault = text === '' ? undefined : quantityFault(text, kind);
    if (fault !== undefined) this.faults.add(this.settings.where(name), `${name}: ${fault}`);
    return text;
  }

  gpus(accelerators: string): number {
    const text = this.settings.get('HP_GPU_COUNT') || 'auto';
    if (/^[0-9]{1,3}$/.test(text)) return Number(text);
    const where = this.settings.where('HP_GPU_COUNT');
    if (text !== 'auto') {
      this.faults.add(where, `HP_GPU_COUNT \`${text}\` is not a whole number of GPUs, 0 or more, nor auto`);
      return 0;
    }
    const type = this.settings.get('INSTANCE_TYPE');
    if (type === '') return GPUS_OF_ANY_NODE;
    const found = acceleratorsOf(type, accelerators);
    if (found === undefined) {
      this.faults.add(
        where,
        `HP_GPU_COUNT is auto, but the accelerators of ${type} are not known: set a number`,
      );
    }
    return found ?? 0;
  }
}
