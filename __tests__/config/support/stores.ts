import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  checkConfigKey,
  readConfigFile,
  setConfigValue,
  unsetConfigValue,
} from '../../../lib/config/index.js';
import { Failure } from '../../../lib/failure/index.js';
import { packageRoot } from '../../../lib/package/index.js';

/** One thing to do with one config file. */
export interface Operation {
  operation: 'get' | 'set' | 'unset';
  file: string;
  key: string;
  value?: string;
}

export interface Outcome {
  code: number;
  /** What `get` prints, without the newline behind it. */
  output: string;
}

/** One language's store, able to do many operations in one process. */
export interface Store {
  name: string;
  run(operations: readonly Operation[]): Promise<{ outcomes: Outcome[]; messages: string }>;
}

const support = dirname(fileURLToPath(import.meta.url));
export const shellStorePath = join(packageRoot, 'templates/do/lib/config-store.sh');
export const pythonStoreFolder = join(packageRoot, 'templates/do/lib/python');

export const typescriptStore: Store = {
  name: 'TypeScript',
  async run(operations) {
    const outcomes: Outcome[] = [];
    let messages = '';
    for (const operation of operations) {
      try {
        outcomes.push({ code: 0, output: await runInProcess(operation) });
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        outcomes.push({ code: error.exit, output: '' });
        messages += `${error.lines().join('\n')}\n`;
      }
    }
    return { outcomes, messages };
  },
};

export const shellStore: Store = {
  name: 'bash',
  run: (operations) => runDriver('bash', [join(support, 'driver.sh'), shellStorePath], operations),
};

export const pythonStore: Store = {
  name: 'Python',
  run: (operations) => runDriver('python3', [join(support, 'driver.py'), pythonStoreFolder], operations),
};

export const stores: readonly Store[] = [typescriptStore, shellStore, pythonStore];

/** Sources each config in one shell under `set -u`; the variables' values, `undefined` where unset. */
export function sourceConfigs(
  files: readonly { file: string; keys: readonly string[] }[],
): (string | undefined)[][] {
  const script = `
    set -eu
    while IFS= read -r -d '' probe_file; do
      IFS= read -r -d '' probe_keys
      ( . "$probe_file"
        for probe_key in $probe_keys; do
          if [[ \${!probe_key+x} ]]; then printf '%s\\0' "=\${!probe_key}"; else printf '\\0'; fi
        done ) || exit
    done`;
  const input = files.map(({ file, keys }) => `${file}\0${keys.join(' ')}\0`).join('');
  const run = spawnSync('bash', ['-c', script], {
    input,
    maxBuffer: 1 << 28,
    env: { PATH: process.env.PATH },
  });
  if (run.status !== 0) throw new Error(`sourcing failed: ${run.stderr}`);
  const fields = run.stdout.toString('utf8').split('\0').values();
  return files.map(({ keys }) =>
    keys.map(() => {
      const field = fields.next().value ?? '';
      return field.startsWith('=') ? field.slice(1) : undefined;
    }),
  );
}

async function runInProcess({ operation, file, key, value = '' }: Operation): Promise<string> {
  if (operation === 'set') await setConfigValue(file, key, value);
  if (operation === 'unset') await unsetConfigValue(file, key);
  if (operation !== 'get') return '';
  checkConfigKey(key);
  const found = readConfigFile(file).get(key);
  if (found === undefined) throw new Failure({ what: `${key} has no value`, exit: 1 });
  return found;
}

async function runDriver(
  program: string,
  args: string[],
  operations: readonly Operation[],
): Promise<{ outcomes: Outcome[]; messages: string }> {
  const input = operations
    .flatMap(({ operation, file, key, value = '' }) => [operation, file, key, value])
    .map((field) => `${field}\0`)
    .join('');
  const run = spawnSync(program, args, { input, maxBuffer: 1 << 28 });
  const messages = run.stderr.toString('utf8');
  if (run.status !== 0) throw new Error(`${program} ended with ${run.status}: ${messages}`);
  const fields = run.stdout.toString('utf8').split('\0');
  const outcomes = operations.map((_, index) => ({
    output: (fields[index * 2] ?? '').replace(/\n$/, ''),
    code: Number(fields[index * 2 + 1]),
  }));
  return { outcomes, messages };
}
