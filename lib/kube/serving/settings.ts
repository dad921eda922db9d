import { type ConfigDocument, parseConfig } from '../../config/index.js';
import type { ServingInput } from './input.js';

/** The settings in force: those of the config and of this run, and the target's defaults for the rest. */
export class Settings {
  private readonly config: ConfigDocument;
  private readonly given: ReadonlyMap<string, string>;

  constructor(private readonly input: Pick<ServingInput, 'config' | 'overrides' | 'target'>) {
    this.config = parseConfig(input.config.text);
    this.given = new Map([...this.config.values(), ...input.overrides]);
  }

  /** A setting's value, the target's default where none is given, else empty. */
  get(name: string): string {
    return this.given.get(name) || this.input.target.optional_vars[name] || '';
  }

  /** All settings that are given and not empty, without defaults. */
  entries(): [string, string][] {
    return [...this.given].filter(([, value]) => value !== '');
  }

  /** Where a setting stands, for messages: `file:line`, or the file where it is missing or comes from elsewhere. */
  where(name: string): string {
    const { file } = this.input.config;
    if (this.input.overrides.has(name)) return `${name} of this run`;
    let line = 1;
    let found: number | undefined;
    for (const item of this.config.items()) {
      // As in a shell, the last one counts.
      if (item.kind === 'entry' && item.key === name) found = line;
      line += item.text.split('\n').length;
    }
    return found === undefined ? file : `${file}:${found}`;
  }
}
