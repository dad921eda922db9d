/** What a project and its descriptors can disagree about, and why that matters. The ids are stable: scripts may rely on them. */
export const authorities = {
  descriptor: 'everything derives from the descriptors',
  'status-block': 'guards and scripts read the status lines of do/config',
  'guard-map': 'guards would look at the wrong status, or wait for the wrong one',
  dispatch: 'do/deploy and do/clean would not find the target, or run it as something else',
  'verb-targets': 'a verb would run where it cannot work, or refuse where it can',
  'serving-source': 'benchmarks would be stored under settings that do not serve',
  'python-derived': 'do/deploy falls back to these tables when a descriptor is damaged',
  'round-trip': 'regenerate could not carry the settings over',
  'runtime-owned': 'regenerate would drop or overwrite live state',
  header: 'help, completion and guards come from the header',
  'script-present': 'a target without its scripts cannot be deployed or cleaned',
  'script-executable': 'the script cannot be started',
  'script-parses': 'a script that does not parse stops before it does anything',
  'script-functions': 'do/deploy and do/clean call these functions',
  'refusal-exit': 'callers tell a refusal by exit 3 and its message',
  'undeclared-write': 'regenerate keeps only what is declared as runtime-owned',
  'aws-preflight': 'credentials are checked in one place, with one message',
  'target-name-in-code': 'a new or renamed target would not be known there',
  'raw-secret': 'do/config is committed and copied: whoever reads it has the secret',
  'generated-text': 'derived text must say what the descriptors say',
  records: 'regenerate cannot tell your edits from its own text',
} as const;

export type Authority = keyof typeof authorities;

/** One disagreement between a project and its descriptors. */
export interface Finding {
  authority: Authority;
  /** The descriptor's field that has the say, as `file#/pointer`, or the file that has. */
  field: string;
  file: string;
  /** Counted from 1; undefined where the whole file is meant. */
  line: number | undefined;
  message: string;
  why: string;
  /** What to do about it. */
  mend: string;
  /** Whether `--fix` mends it. */
  fixable: boolean;
}

export const FIX = 'mlcc check --fix';

/** A finding; by default a person has to mend it. */
export function finding(
  authority: Authority,
  where: { file: string; line?: number | undefined; field: string },
  message: string,
  mend: string = FIX,
): Finding {
  const { file, line, field } = where;
  return { authority, field, file, line, message, why: authorities[authority], mend, fixable: mend === FIX };
}

/** By file and line, each once. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  const unique = new Map(findings.map((one) => [JSON.stringify(one), one]));
  return [...unique.values()].sort(
    (a, b) => order(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || order(a.authority, b.authority),
  );
}

/** A field of a target's descriptor; the whole of it where the pointer is empty. */
export const manifestField = (target: string, pointer: string): string =>
  `do/targets.d/${target}/manifest.json${pointer === '' ? '' : `#/${pointer}`}`;

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
