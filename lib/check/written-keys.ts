import { type Catalog, lifecycleOf, type Target, type TextFile } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { type Finding, finding, manifestField } from './finding.js';
import { VARIABLES } from './project-catalog.js';
import { type Body, bodiesOf, callsOf, type Recorder, writesOf } from './record-calls.js';
import { codeLines, isShell, perFile, withSources } from './shell-code.js';

/*
 * What the scripts write to do/config: keys by `_update_config KEY`, and records of the selected target by `_record WHAT`.
 * WHAT is often handed through several functions, so calls are followed by the position of the argument.
 */

/** Keys that are written by name, anywhere in do/, and are not declared as runtime-owned. */
export function keyFindings(files: FileTree, catalog: Catalog): Finding[] {
  return [...files]
    .filter(([path, file]) => path.startsWith('do/') && isShell(path, file))
    .flatMap(([path, file]) =>
      keysWritten(file).flatMap(({ key, line }) => {
        const lifecycle = lifecycleOf(catalog, key);
        if (lifecycle === 'runtime-owned') return [];
        const problem = lifecycle === undefined ? 'is not declared' : `is ${lifecycle}`;
        const where = { file: path, line, field: `${VARIABLES}#/variables/${key}/lifecycle` };
        const mend = `list ${key} in a descriptor's runtime_owned_vars, or in ${VARIABLES} as runtime-owned`;
        return [finding('undeclared-write', where, `_update_config writes ${key}, which ${problem}`, mend)];
      }),
    );
}

const keysWritten = perFile((file) =>
  codeLines(file).flatMap(({ text, number }) =>
    [...text.matchAll(/(?<![\w-])_update_config[ \t]+["']?([A-Za-z_]\w*)["']?(?=\s)/g)].map(
      ([, key = '']) => ({
        key,
        line: number,
      }),
    ),
  ),
);

/** Records that deploying or cleaning a target writes without its descriptor listing them. */
export function recordFindings(files: FileTree, catalog: Catalog): Finding[] {
  return catalog.targets.flatMap((target) => {
    const { manifest } = target;
    const prefix = manifest.status_var.replace(/STATUS$/, '');
    const declared = new Set(manifest.runtime_owned_vars);
    return recordsOf(target, files)
      .filter(({ what }) => !declared.has(prefix + what.text))
      .map(({ what, file, line }) => {
        const key = prefix + what.text;
        const where = { file, line, field: manifestField(manifest.target, 'runtime_owned_vars') };
        const message = `${manifest.target} records ${key}, which its descriptor does not list`;
        return finding('undeclared-write', where, message, `add ${key} to runtime_owned_vars`);
      });
  });
}

interface Write extends Recorder {
  file: string;
  line: number;
}

/** Everything that may be recorded for a target, each record once. What is only moved counts where its source does. */
function recordsOf(target: Target, files: FileTree): Write[] {
  const { deploy_script: deploy, clean_script: clean } = target.manifest;
  const placed = [...withSources(files, ['do/deploy', 'do/clean', `do/${deploy}`, `do/${clean}`])];
  const sources = placed.map(([, file]) => file);
  const recorders = recordersAmong(sources);
  const reachable = reachableFunctions(sources);
  const possible = placed.flatMap(([file, text]) =>
    [...recorders.keys()].flatMap((name) =>
      (callsOf(text).get(name) ?? [])
        .filter(({ call, within }) => reachable.has(within) && !isForOthers(call.text, target))
        .flatMap(({ call, body }) =>
          writesOf(call, body, recorders).map((write) => ({ ...write, file, line: call.line })),
        )
        .filter(({ what, from }) => what.position === undefined && from?.position === undefined),
    ),
  );
  const real = new Map<string, Write>();
  for (let count = -1; count < real.size; ) {
    count = real.size;
    for (const write of possible) {
      const isReal = !write.from || real.has(write.from.text);
      if (isReal && !real.has(write.what.text)) real.set(write.what.text, write);
    }
  }
  return [...real.values()];
}

/** What runs when the files are sourced (under the empty name), and every function that is named there, and so on. */
function reachableFunctions(files: readonly TextFile[]): Set<string> {
  const defined = new Map<string, Body[]>();
  for (const file of files) {
    for (const [name, body] of bodiesOf(file)) defined.set(name, [...(defined.get(name) ?? []), body]);
  }
  const reachable = new Set(['']);
  for (const name of reachable) {
    for (const { words } of defined.get(name) ?? []) {
      for (const word of words) if (defined.has(word)) reachable.add(word);
    }
  }
  return reachable;
}

/** A function that calls itself with a longer and longer name must come to an end. */
const LONGEST_RECORD = 80;

/** The functions that record an argument of theirs, each found by its call of another one. */
function recordersAmong(files: readonly TextFile[]): Map<string, Recorder[]> {
  const recorders = new Map<string, Recorder[]>([['_record', []]]);
  const open = ['_record'];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    for (const file of files) {
      for (const { call, within, body } of callsOf(file).get(name) ?? []) {
        const known = recorders.get(within) ?? [];
        const keys = known.map((one) => JSON.stringify(one));
        const fresh = writesOf(call, body, recorders)
          .filter(({ what, from }) => (what.position ?? from?.position) !== undefined)
          .filter((one) => one.what.text.length <= LONGEST_RECORD && !keys.includes(JSON.stringify(one)));
        if (within === '' || fresh.length === 0) continue;
        recorders.set(within, [...known, ...fresh]);
        open.push(within);
      }
    }
  }
  return recorders;
}

/** A line that a condition on the target's own facts keeps from running. */
function isForOthers(text: string, { manifest }: Target): boolean {
  const facts: Readonly<Record<string, string>> = {
    ENDPOINT: manifest.sagemaker_endpoint ? 'yes' : 'no',
    FAMILY: manifest.family,
    INVOCATION: manifest.invocation,
    WORKLOAD: manifest.workload,
    SERVING: manifest.serving_config_source,
  };
  const [, fact = '', operator, value] =
    /\bif \[\[ \$_TARGET_([A-Z]+) (==|!=) ([\w-]+) \]\]; then/.exec(text) ?? [];
  const actual = facts[fact];
  return actual !== undefined && (actual === value) !== (operator === '==');
}
