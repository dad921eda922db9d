import type { Catalog, TextFile } from '../catalog/index.js';
import { verbs } from '../contract/index.js';
import type { FileTree } from '../project/index.js';
import { type Finding, finding, manifestField } from './finding.js';
import { isShell, shellCode, withSources } from './shell-code.js';

/** The functions that do/deploy and do/clean call, by the kind of script that defines them. */
export const REQUIRED_FUNCTIONS = {
  deploy: ['target_preflight', 'target_deploy', 'target_update'],
  clean: ['target_clean'],
} as const;

/** Whether a shell text parses. A parser that is not there has no say. */
export type Parses = (text: TextFile) => boolean;

/** The scripts of every target: there, of a target that there is, and with the functions that are called. */
export function scriptFindings(
  files: FileTree,
  catalog: Catalog,
  isRestorable: (path: string) => boolean,
): Finding[] {
  return [
    ...catalog.targets.flatMap(({ manifest: { target } }) =>
      (['deploy', 'clean'] as const).flatMap((kind) => {
        const path = `do/${kind}.d/${target}`;
        const file = files.get(path);
        const field = manifestField(target, `${kind}_script`);
        if (!file) {
          const mend = isRestorable(path) ? undefined : `write ${path}`;
          return [finding('script-present', { file: path, field }, 'the script is missing', mend)];
        }
        const defined = definedFrom(path, files);
        return REQUIRED_FUNCTIONS[kind]
          .filter((name) => !defined.has(name))
          .map((name) =>
            finding(
              'script-functions',
              { file: path, field },
              `${name} is not defined`,
              `define ${name} there`,
            ),
          );
      }),
    ),
    ...orphans(files, catalog),
  ];
}

/** Scripts and folders of targets that no descriptor describes. */
function orphans(files: FileTree, { targets }: Catalog): Finding[] {
  const known = new Set(targets.map(({ manifest }) => manifest.target));
  return [...files.keys()].flatMap((path) => {
    const name = /^do\/(?:deploy|clean)\.d\/([a-z][a-z0-9-]*)$/.exec(path)?.[1];
    if (name === undefined || known.has(name)) return [];
    const descriptor = `do/targets.d/${name}/manifest.json`;
    const message = 'no descriptor has this script: nothing runs it';
    return [
      finding(
        'dispatch',
        { file: path, field: descriptor },
        message,
        `write ${descriptor}, or delete ${path}`,
      ),
    ];
  });
}

/** Scripts that a person or a verb starts: they must be executable. */
export function modeFindings(mine: FileTree, expected: FileTree): Finding[] {
  return [...mine].flatMap(([path, file]) => {
    const isWanted = expected.get(path)?.executable || (isScript(path) && file.contents.startsWith('#!'));
    if (!isWanted || file.executable) return [];
    return [finding('script-executable', { file: path, field: path }, 'the script is not executable')];
  });
}

/** Verbs and targets' scripts that bash does not understand. Those that are as they were rendered are known to be sound. */
export function parseFindings(mine: FileTree, rendered: FileTree, parses: Parses): Finding[] {
  return [...mine].flatMap(([path, file]) => {
    const isKnown = !isScript(path) || !isShell(path, file) || rendered.get(path)?.contents === file.contents;
    if (isKnown || parses(file)) return [];
    return [
      finding(
        'script-parses',
        { file: path, field: path },
        'bash cannot parse it',
        `bash -n ${path} says where`,
      ),
    ];
  });
}

/** Verbs of the contract that do not source it: then nothing of their header is enforced. */
export function contractFindings(mine: FileTree): Finding[] {
  return verbs.flatMap(({ name }) => {
    const path = `do/${name}`;
    const file = mine.get(path);
    if (name === 'config' || !file || !isShell(path, file)) return [];
    const { top, functions } = shellCode(file);
    const lines = [...top, ...[...functions.values()].flat()];
    if (lines.some(({ text }) => /(?:^|[\s;&|{])(?:\.|source)\s.*lib\/script-contract\.sh/.test(text)))
      return [];
    const message = 'lib/script-contract.sh is not sourced: the guard of the header is not enforced';
    return [
      finding(
        'header',
        { file: path, field: 'do/lib/script-contract.sh' },
        message,
        'source it first, as the other verbs do',
      ),
    ];
  });
}

const isScript = (path: string): boolean =>
  /^do\/(?:[a-z][a-z0-9-]*|(?:deploy|clean)\.d\/[a-z][a-z0-9-]*)$/.test(path);

/** The functions that a script has, with those of the libraries that it sources. */
const definedFrom = (path: string, files: FileTree): Set<string> =>
  new Set([...withSources(files, [path]).values()].flatMap((file) => [...shellCode(file).functions.keys()]));
