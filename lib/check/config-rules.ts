import { type Catalog, statusVars, type TextFile } from '../catalog/index.js';
import { parseConfig, secretKind } from '../config/index.js';
import type { FileTree } from '../project/index.js';
import { exportLine } from '../shell/index.js';
import { type Comparison, findingsOf } from './derived-text.js';
import { type Finding, finding, manifestField } from './finding.js';
import { applyHunks, hunksIn, regionsOf } from './regions.js';
import { perFile } from './shell-code.js';

export const CONFIG_PATH = 'do/config';

/** Where a value of a status line comes from, beside the scripts of the project. */
const STATUSES = ['', 'InService', 'Running', 'Completed'];

/** The status block of do/config: one line per target, each once; the values are state, and stay. */
export function compareStatusBlock(mine: FileTree, expected: FileTree, catalog: Catalog): Comparison {
  const file = mine.get(CONFIG_PATH);
  const wanted = expected.get(CONFIG_PATH)?.contents.split('\n') ?? [];
  const field = 'do/targets.d/*/manifest.json#/status_var';
  if (!file) {
    const found = finding('status-block', { file: CONFIG_PATH, field }, 'the file is missing', RESTORE);
    return { findings: [found], mended: new Map() };
  }
  const owners = new Map(Object.entries(statusVars(catalog)).map(([target, name]) => [name, target]));
  const config = parseConfig(file.contents);
  const masked = mask(file, owners);
  const compared = regionsOf(wanted, CONFIG_PATH).map((region) => ({
    region,
    hunks: hunksIn(masked, wanted, region),
  }));
  const hunks = compared.flatMap((one) => one.hunks);
  const findings = compared.flatMap((one) =>
    findingsOf(CONFIG_PATH, masked, wanted, one.region, one.hunks, catalog),
  );
  for (const { kind, line, key = '' } of config.problems()) {
    const target = owners.get(key);
    if (kind !== 'duplicate' || target === undefined) continue;
    const where = { file: CONFIG_PATH, line, field: manifestField(target, 'status_var') };
    findings.push(finding('status-block', where, `${key} is set twice; the last one counts`));
  }
  const contents = unmask(applyHunks(masked, wanted, hunks), config.values(), owners);
  const mended = new Map(findings.length > 0 ? [[CONFIG_PATH, { ...file, contents }]] : []);
  return { findings: [...findings, ...unknownStatuses(mine, owners)], mended };
}

const RESTORE = 'mlcc regenerate --restore do/config';

/** The lines of a config with every status emptied, so that state is no difference. */
function mask(file: TextFile, owners: ReadonlyMap<string, string>): string[] {
  const lines = parseConfig(file.contents)
    .items()
    .flatMap((item) =>
      item.kind === 'entry' && owners.has(item.key) && item.value !== undefined
        ? [exportLine(item.key, '')]
        : item.text.split('\n'),
    );
  return [...lines, ''];
}

/** Gives the status lines of the block their values again, and drops those that stand elsewhere. */
function unmask(
  lines: readonly string[],
  values: ReadonlyMap<string, string>,
  owners: ReadonlyMap<string, string>,
): string {
  let inBlock = false;
  const kept = parseConfig(lines.join('\n'))
    .items()
    .flatMap((item) => {
      if (item.kind === 'comment') inBlock = item.text.includes('>>> GENERATED status');
      if (item.kind !== 'entry' || !owners.has(item.key)) return [item.text];
      return inBlock ? [exportLine(item.key, values.get(item.key) ?? '')] : [];
    });
  return `${kept.join('\n')}\n`;
}

function unknownStatuses(mine: FileTree, owners: ReadonlyMap<string, string>): Finding[] {
  const file = mine.get(CONFIG_PATH);
  const known = new Set([...STATUSES, ...[...mine.values()].flatMap(statusesSet)]);
  let line = 1;
  return parseConfig(file?.contents ?? '')
    .items()
    .flatMap((item) => {
      const at = line;
      line += item.text.split('\n').length;
      const target = item.kind === 'entry' ? owners.get(item.key) : undefined;
      if (target === undefined || item.kind !== 'entry' || known.has(item.value ?? '$')) return [];
      const where = { file: CONFIG_PATH, line: at, field: manifestField(target, 'success_status') };
      const message = `${item.key} has a value that no script of this project gives it`;
      return [finding('status-block', where, message, `do/status --target ${target} shows what is there`)];
    });
}

/** The statuses that a script sets. */
const statusesSet = perFile(({ contents }) =>
  [...contents.matchAll(/\b_set_status ["']?([A-Z][A-Za-z]+)/g)].map(([, name = '']) => name),
);

/** Secrets in the text of do/config. The finding never holds the value. */
export function secretFindings(mine: FileTree): Finding[] {
  let line = 1;
  return parseConfig(mine.get(CONFIG_PATH)?.contents ?? '')
    .items()
    .flatMap((item) => {
      const at = line;
      line += item.text.split('\n').length;
      const kind = secretKind(item.kind === 'entry' ? (item.value ?? item.text) : item.text);
      if (kind === undefined) return [];
      const name = item.kind === 'entry' ? item.key : 'this line';
      const where = { file: CONFIG_PATH, line: at, field: CONFIG_PATH };
      const mend =
        'store it in AWS Secrets Manager, put its ARN into the matching *_ARN setting, and revoke it';
      return [finding('raw-secret', where, `${name} holds ${kind}`, mend)];
    });
}
