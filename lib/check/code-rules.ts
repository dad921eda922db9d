import type { Catalog, TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { type Finding, finding } from './finding.js';
import { type CodeLine, codeLines, isShell, perFile } from './shell-code.js';
import { nameUses } from './target-names.js';

const PREFLIGHT = 'do/lib/aws-preflight.sh';
const REFUSALS = 'do/lib/contract-cold.sh';

/** Rules over the code of do/: what belongs to a descriptor or to a shared function is not written anew. */
export function codeFindings(files: FileTree, catalog: Catalog): Finding[] {
  return [...files].flatMap(([path, file]) => {
    if (!path.startsWith('do/')) return [];
    if (path.endsWith('.py')) return nameFindings(path, file, catalog);
    if (!isShell(path, file)) return [];
    return [
      ...(path === PREFLIGHT ? [] : preflightFindings(path, file)),
      ...(path === REFUSALS ? [] : refusalFindings(path, file)),
      ...nameFindings(path, file, catalog),
    ];
  });
}

const nameFindings = (path: string, file: TextFile, catalog: Catalog): Finding[] =>
  nameUses(path, file, catalog).map(({ name, line, field }) => {
    const mend = "branch on the target's family, invocation, workload or another field of its descriptor";
    return finding(
      'target-name-in-code',
      { file: path, line, field },
      `the code names the target ${name}`,
      mend,
    );
  });

const preflightFindings = (file: string, text: TextFile): Finding[] =>
  identityCalls(text).map((line) => {
    const mend = 'source lib/aws-preflight.sh and call _aws_preflight';
    const where = { file, line, field: PREFLIGHT };
    return finding('aws-preflight', where, 'asks AWS for the caller’s identity itself', mend);
  });

const COMMAND_START = String.raw`(?:^|[;&|({!\x60]|\b(?:if|then|else|do|while|until)\b)`;
const IDENTITY = new RegExp(
  String.raw`${COMMAND_START}\s*(?:\w+=\S*\s+)*(?:command\s+)?_?aws\s(?:[^;&|]*\s)?sts\s+get-caller-identity`,
);

/** Lines that run `aws sts get-caller-identity`. A message that tells a person to run it is text. */
const identityCalls = perFile((file) =>
  codeLines(file)
    .filter(({ text }) => text.includes('get-caller-identity') && IDENTITY.test(withoutText(text)))
    .map(({ number }) => number),
);

/** A line without what stands in quotes, but for the commands in it. */
const withoutText = (line: string): string =>
  line
    .replace(/'[^']*'/g, '')
    .replace(/"((?:[^"\\]|\\.)*)"/g, (_, inner: string) =>
      (inner.match(/\$\([^)]*\)|`[^`]*`/g) ?? []).join(' '),
    );

const refusalFindings = (file: string, text: TextFile): Finding[] =>
  refusals(text).map(({ line, code }) => {
    const where = { file, line, field: 'do/targets.d/*/manifest.json#/verbs' };
    const mend = 'use _restrict_targets or _contract_violation (exit 3)';
    return finding('refusal-exit', where, `refuses a target by itself, with ${code}`, mend);
  });

const TARGET_FACT = String.raw`\$\{?(?:DEPLOYMENT_TARGET|_TARGET(?:_FAMILY|_INVOCATION|_WORKLOAD|_ENDPOINT|_SERVING|_VERBS)?)\b`;
const ASKS = new RegExp(
  String.raw`(?:\[[^\]]*${TARGET_FACT}[^\]]*\s(?:==?|!=|=~)\s|\[.*\s(?:==?|!=|=~)\s[^\]]*${TARGET_FACT}|\bcase\s+["']?${TARGET_FACT})`,
);
const ENDS = /(?<![\w$-])(exit\s+["']?(?:[0-9]+|\$\w+)["']?|_fail\b)/;
const OPENS = /(?:\bthen|\{|\bin|\bdo)\s*$|\bthen\b|\bcase\b/;
const CLOSES = /^\s*(?:fi|esac|\}|else)\b|^\s*\}|\bfi\s*$|\besac\s*$/;

/** An `exit` or `_fail` that a question about the target decides. */
const refusals = perFile((file) => {
  const lines = codeLines(file);
  return lines.flatMap((line, index) => {
    if (!ASKS.test(line.text)) return [];
    const found = [line, ...blockBehind(lines, index)].find(({ text }) => ENDS.test(withoutText(text)));
    const code = found && ENDS.exec(withoutText(found.text))?.[1];
    return found && code ? [{ line: found.number, code }] : [];
  });
});

/** The lines that run only if the question in `lines[index]` is answered one way. */
function blockBehind(lines: readonly CodeLine[], index: number): CodeLine[] {
  const first = lines[index]?.text ?? '';
  if (!OPENS.test(first) || /\bfi\b|\besac\b|\}\s*$/.test(first)) return [];
  const rest = lines.slice(index + 1);
  const depth = indentOf(first);
  const end = rest.findIndex(({ text }) => CLOSES.test(text) && indentOf(text) <= depth);
  return end < 0 ? [] : rest.slice(0, end);
}

const indentOf = (line: string): number => line.search(/\S/);
