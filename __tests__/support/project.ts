import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Catalog, loadCatalog } from '../../lib/catalog/index.js';
import { type Answers, type FileTree, render } from '../../lib/project/index.js';

export interface RunResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** Folder to run in; the project's by default. */
  cwd?: string;
  input?: string;
}

/** A scaffolded project in a temporary folder, with a HOME of its own. */
export interface TestProject {
  dir: string;
  home: string;
  tree: FileTree;
  /** Runs a script of the project, such as `do/status`, in an environment that holds PATH, HOME and what `env` adds. */
  run(script: string, args?: readonly string[], options?: RunOptions): RunResult;
  remove(): void;
}

export interface TestProjectOptions {
  answers?: Answers;
  catalog?: Catalog;
  /** Name of the temporary folder's last part; a space in it finds missing quotes. */
  folder?: string;
}

export function makeProject(options: TestProjectOptions = {}): TestProject {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-test-')));
  const dir = join(root, options.folder ?? 'a project');
  const home = join(root, 'home');
  mkdirSync(home);
  const tree = render({ projectName: 'demo', ...options.answers }, options.catalog ?? loadCatalog());
  writeTree(dir, tree);
  return {
    dir,
    home,
    tree,
    run: (script, args = [], { env = {}, cwd = dir, input = '' } = {}) => {
      const result = spawnSync(join(dir, script), args, {
        cwd,
        env: isolatedEnv(home, env),
        input,
        encoding: 'utf8',
      });
      if (result.error) throw result.error;
      return { code: result.status, stdout: result.stdout, stderr: result.stderr };
    },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function writeTree(dir: string, tree: FileTree): void {
  for (const [path, { contents, executable }] of tree) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), contents);
    chmodSync(join(dir, path), executable ? 0o755 : 0o644);
  }
}

/** PATH and a HOME without any configuration of the person who runs the tests. */
export function isolatedEnv(home: string, env: Record<string, string | undefined> = {}): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: home,
    LANG: 'C.UTF-8',
    TMPDIR: process.env.TMPDIR,
    ...env,
  } as NodeJS.ProcessEnv;
}
