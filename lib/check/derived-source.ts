import type { Catalog } from '../catalog/index.js';
import { type Authority, manifestField } from './finding.js';

/** Which authority a line of derived text belongs to, and the descriptor's field that it derives from. */
export interface Source {
  authority: Authority;
  field: string;
}

const AUTHORITY_OF_REGION: Readonly<Record<string, Authority>> = {
  'do/lib/targets.sh': 'guard-map',
  'do/lib/targets-guidance.sh': 'verb-targets',
  'do/lib/engines.sh': 'serving-source',
  'deploy-schema': 'python-derived',
  status: 'status-block',
};

/** The descriptor's fields in the order of a record of targets.sh; the verbs follow. */
const RECORD: readonly [field: string, authority: Authority][] = [
  ['target', 'dispatch'],
  ['status_var', 'guard-map'],
  ['success_status', 'guard-map'],
  ['family', 'dispatch'],
  ['invocation', 'dispatch'],
  ['workload', 'dispatch'],
  ['sagemaker_endpoint', 'dispatch'],
  ['serving_config_source', 'serving-source'],
];
const ARM = /^([a-z0-9|-]+)\) _TARGET_RECORD='([^']*)';;$/;

/** `lines[index]` is the line, `found` what stands in its place. */
export function sourceOf(
  region: string,
  lines: readonly string[],
  index: number,
  found: string | undefined,
  catalog: Catalog,
): Source {
  const line = lines[index] ?? '';
  const authority = AUTHORITY_OF_REGION[region] ?? 'generated-text';
  if (line.includes('GENERATED') || line.startsWith('# ')) {
    return { authority: authority === 'status-block' ? authority : 'generated-text', field: fieldOf(region) };
  }
  const arm = ARM.exec(line);
  if (region === 'do/lib/targets.sh') return arm ? sourceInRecord(arm, found) : listOfNames();
  if (region === 'do/lib/engines.sh') return { authority, field: engineField(lines, index) };
  if (region === 'deploy-schema') return { authority, field: jsonField(lines, index) };
  const target = targetIn(line, lines, index, catalog);
  return {
    authority,
    field: target === undefined ? fieldOf(region) : manifestField(target, pointerOf(region)),
  };
}

function sourceInRecord([, patterns = '', record = '']: RegExpExecArray, found: string | undefined): Source {
  const target = record.split(' ')[0] ?? '';
  const [, foundPatterns, foundRecord] = ARM.exec(found ?? '') ?? [];
  if (foundPatterns === undefined || foundRecord === undefined) {
    return { authority: 'guard-map', field: manifestField(target, 'status_var') };
  }
  const [words, foundWords] = [record.split(' '), foundRecord.split(' ')];
  const at = words.findIndex((word, index) => foundWords[index] !== word);
  const entry = RECORD[at];
  if (entry) return { authority: entry[1], field: manifestField(target, entry[0]) };
  if (words.join(' ') !== foundWords.join(' ')) {
    return { authority: 'verb-targets', field: manifestField(target, 'verbs') };
  }
  return { authority: 'dispatch', field: manifestField(target, patterns === foundPatterns ? '' : 'aliases') };
}

const listOfNames = (): Source => ({ authority: 'dispatch', field: fieldOf('targets') });

const fieldOf = (region: string): string =>
  region === 'do/lib/engines.sh' ? 'do/serve.d/*/manifest.json' : manifestField('*', pointerOf(region));

function pointerOf(region: string): string {
  if (region === 'do/lib/targets-guidance.sh') return 'verb_guidance';
  const pointers: Readonly<Record<string, string>> = {
    status: 'status_var',
    verbs: 'verbs',
    settings: 'params',
    'deploy-flags': 'params',
  };
  return pointers[region] ?? '';
}

function engineField(lines: readonly string[], index: number): string {
  const arm = lines.slice(0, index + 1).findLast((line) => /^ {2}[a-z][a-z0-9-]*\)$/.test(line));
  return `do/serve.d/${arm?.trim().slice(0, -1) ?? '*'}/manifest.json#/dimension_map`;
}

/** The place of a line of indented JSON: the keys above it that are less and less indented. */
function jsonField(lines: readonly string[], index: number): string {
  const path: string[] = [];
  let indent = Number.POSITIVE_INFINITY;
  for (let at = index; at >= 0 && indent > 4; at -= 1) {
    const [, blanks = '', key] = /^( *)"([^"]+)":/.exec(lines[at] ?? '') ?? [];
    if (key === undefined || blanks.length >= indent) continue;
    path.unshift(key);
    indent = blanks.length;
  }
  const [target = '*', ...pointer] = path;
  return manifestField(target, pointer.join('/'));
}

/** The target that a line is about: named in it, or in the heading above it. */
function targetIn(
  line: string,
  lines: readonly string[],
  index: number,
  { targets }: Catalog,
): string | undefined {
  const names = ({ manifest }: Catalog['targets'][number]) => [manifest.target, manifest.status_var];
  const named = targets.find((target) =>
    names(target).some((name) => new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(line)),
  );
  if (named) return named.manifest.target;
  const heading = lines.slice(0, index).findLast((above) => above.startsWith('#### '));
  return targets.find(({ manifest }) => heading === `#### ${manifest.target}`)?.manifest.target;
}
