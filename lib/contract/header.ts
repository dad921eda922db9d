import { type Catalog, type Fault, hint, verbTargets } from '../catalog/index.js';
import { guards, lifecycles, scriptTypes, type Verb, verbs } from './verbs.js';

/** The `@mlcc-script` header of a verb, as it stands in the script. */
export interface ScriptHeader {
  /** One line that says what the verb does. */
  description: string;
  type: string;
  guard: string;
  lifecycle: string;
  /** `all`, or the targets by name. */
  targets: 'all' | readonly string[];
  /** One entry per form of the command line. */
  usage: readonly string[];
}

export interface ParsedHeader {
  header: ScriptHeader | undefined;
  faults: readonly Fault[];
}

const MARKER = '# @mlcc-script';
const FIELDS = ['type', 'guard', 'lifecycle', 'targets', 'usage'] as const;
type Field = (typeof FIELDS)[number];
const CONTINUATION = '#        ';

/** Reads the header in the leading comment of a script. `file` is how messages call the script. */
export function parseHeader(file: string, text: string): ParsedHeader {
  const comment = leadingComment(text);
  const marker = comment.indexOf(MARKER);
  if (marker < 0)
    return { header: undefined, faults: [fault(file, `the leading comment has no line "${MARKER}"`)] };
  const { fields, usage, faults } = readFields(file, comment.slice(marker + 1));
  for (const name of FIELDS) {
    if (fields[name] === undefined) faults.push(fault(file, `the header has no "# ${name}:" line`));
  }
  const description = descriptionOf(comment.slice(0, marker));
  if (!description) faults.push(fault(file, 'no line before the header says what the script does'));
  if (faults.length > 0) return { header: undefined, faults };
  const targets = fields.targets ?? '';
  return {
    header: {
      description,
      type: fields.type ?? '',
      guard: fields.guard ?? '',
      lifecycle: fields.lifecycle ?? '',
      targets: targets === 'all' ? 'all' : targets.split(',').map((name) => name.trim()),
      usage,
    },
    faults: [],
  };
}

/**
 * Where a script's header breaks the contract: values that do not exist, and for a verb of the registry any disagreement
 * with its row or with the descriptors' `verbs`.
 */
export function headerFaults(file: string, header: ScriptHeader, catalog: Catalog): Fault[] {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const known = catalog.targets.map(({ manifest }) => manifest.target);
  const named = header.targets === 'all' ? [] : header.targets;
  const faults = [
    ...unknownValue(file, 'type', header.type, scriptTypes),
    ...unknownValue(file, 'guard', header.guard, guards),
    ...unknownValue(file, 'lifecycle', header.lifecycle, lifecycles),
    ...named.flatMap((target) => unknownValue(file, 'targets', target, known)),
    ...header.usage
      .filter((form) => form !== `do/${name}` && !form.startsWith(`do/${name} `))
      .map((form) => fault(file, `usage: "${form}" does not start with do/${name}`)),
  ];
  const verb = verbs.find((candidate) => candidate.name === name);
  return verb ? [...faults, ...disagreements(file, header, verb, catalog)] : faults;
}

function disagreements(file: string, header: ScriptHeader, verb: Verb, catalog: Catalog): Fault[] {
  const expected = {
    type: verb.type,
    guard: verb.guard,
    lifecycle: verb.lifecycle,
    targets: verb.targets === 'all' ? 'all' : verbTargets(catalog, verb.name).join(', '),
  };
  const found = { ...header, targets: header.targets === 'all' ? 'all' : header.targets.join(', ') };
  return (['type', 'guard', 'lifecycle', 'targets'] as const)
    .filter((field) => found[field] !== expected[field])
    .map((field) =>
      fault(file, `${field}: found "${found[field]}"; do/${verb.name} is "${expected[field]}"`),
    );
}

function readFields(file: string, lines: readonly string[]) {
  const fields: Partial<Record<Field, string>> = {};
  const usage: string[] = [];
  const faults: Fault[] = [];
  let inUsage = false;
  for (const line of lines) {
    if (inUsage) {
      if (!line.startsWith(CONTINUATION)) break;
      usage.push(line.slice(CONTINUATION.length).trim());
      continue;
    }
    if (line === '' || line === '#') continue;
    const [, name = '', value = ''] = /^# ([a-z]+):(.*)$/.exec(line) ?? [];
    const field = FIELDS.find((candidate) => candidate === name);
    if (field === undefined) {
      faults.push(fault(file, `"${line}" is no line of a header${hint(name || line, FIELDS)}`));
    } else if (fields[field] === undefined) {
      fields[field] = value.trim();
      inUsage = field === 'usage';
      if (inUsage) usage.push(value.trim());
    } else {
      faults.push(fault(file, `the header has "# ${field}:" twice`));
    }
  }
  return { fields, usage, faults };
}

function leadingComment(text: string): string[] {
  const lines = text.split(/\r?\n/);
  const end = lines.findIndex((line) => line !== '' && !line.startsWith('#'));
  return end < 0 ? lines : lines.slice(0, end);
}

function descriptionOf(lines: readonly string[]): string {
  const words = lines.filter((line) => /^# \S/.test(line) && !/^# (Copyright|SPDX)/.test(line));
  return words.at(-1)?.slice(2).trim() ?? '';
}

function unknownValue(file: string, field: Field, value: string, known: readonly string[]): Fault[] {
  if (known.includes(value)) return [];
  return [fault(file, `${field}: found "${value}"; allowed: ${known.join(', ')}${hint(value, known)}`)];
}

const fault = (file: string, message: string): Fault => ({ file, pointer: '', message });
