import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCatalog } from '../../../lib/catalog/index.js';
import { type FileTree, packageTemplates, render } from '../../../lib/project/index.js';

const FAKE_ENGINE = fileURLToPath(new URL('fake_engine.py', import.meta.url));

export const catalog = loadCatalog();
export const engineNames = catalog.engines.map(({ manifest }) => manifest.engine);

/** The image's files of a project: Dockerfile, .dockerignore and code/, without the scripts in do/. */
export function renderImage(answers: Record<string, string>): FileTree {
  const templates = new Map([...packageTemplates()].filter(([path]) => !path.startsWith('do/')));
  return render({ projectName: 'demo', ...answers }, catalog, { templates });
}

/** What the fake engine saw of its start. */
export interface StartRecord {
  argv: string[];
  env: Record<string, string>;
  worker: number | null;
  pid: number;
}

/** A running `serve`. */
export interface Serving {
  child: ChildProcess;
  url: string;
  /** Everything that it printed on standard error so far. */
  stderr: () => string;
  exited: Promise<number | NodeJS.Signals>;
}

/** A folder with one engine's rendered code/ and a recording program in place of the real engine. */
export class EngineHome {
  readonly folder = mkdtempSync(join(tmpdir(), 'mlcc serve-'));
  readonly record = join(this.folder, 'record.json');
  readonly modelFolder = join(this.folder, 'model');
  private readonly running: Serving[] = [];

  constructor(readonly engine: string) {
    for (const [path, file] of renderImage({ engine })) {
      if (path.startsWith('code/')) this.write(path, file.contents, file.executable);
    }
    mkdirSync(this.modelFolder);
    const start = `exec python3 '${FAKE_ENGINE}'`;
    this.write('bin/vllm', `#!/bin/sh\n${start} vllm "$@"\n`, true);
    this.write('bin/trtllm-serve', `#!/bin/sh\n${start} trtllm-serve "$@"\n`, true);
    // Like the real one, a shell that waits for its child.
    this.write(
      'bin/dockerd-entrypoint.sh',
      `#!/bin/bash\n${start.slice(5)} djl-serving "$@"\nexit $?\n`,
      true,
    );
    this.write('python/sglang/__init__.py', '');
    this.write(
      'python/sglang/launch_server.py',
      `import os, sys\nos.execvp("python3", ["python3", ${JSON.stringify(FAKE_ENGINE)}, "sglang.launch_server"] + sys.argv[1:])\n`,
    );
    this.write(
      'djl/conf/config.properties',
      'inference_address=http://0.0.0.0:8080\nmanagement_address=http://0.0.0.0:8080\nmodel_store=/opt/ml/model\n',
    );
  }

  write(path: string, contents: string, executable = false): string {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, contents);
    chmodSync(file, executable ? 0o755 : 0o644);
    return file;
  }

  /** Starts `serve` on a free port with nothing in its environment but what a container has, and `env`. */
  async start(env: Record<string, string> = {}, args: string[] = ['serve']): Promise<Serving> {
    const port = await freePort();
    const child = spawn(join(this.folder, 'code/serve'), args, {
      cwd: this.folder,
      stdio: ['ignore', 'inherit', 'pipe'],
      env: {
        PATH: `${join(this.folder, 'bin')}:${process.env.PATH}`,
        PYTHONPATH: join(this.folder, 'python'),
        TMPDIR: this.folder,
        SM_MODEL_DIR: this.modelFolder,
        MODEL_SERVER_HOME: join(this.folder, 'djl'),
        SAGEMAKER_BIND_TO_PORT: String(port),
        HF_MODEL_ID: 'org/model',
        FAKE_ENGINE_RECORD: this.record,
        ...env,
      },
    });
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    const exited = new Promise<number | NodeJS.Signals>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => resolve(code ?? signal ?? -1));
    });
    const serving = { child, url: `http://127.0.0.1:${port}`, stderr: () => stderr, exited };
    this.running.push(serving);
    return serving;
  }

  /** Runs `serve` with an engine that only records: how was it started? */
  async recordStart(env: Record<string, string> = {}, args?: string[]): Promise<StartRecord> {
    rmSync(this.record, { force: true });
    const serving = await this.start({ ...env, FAKE_ENGINE_EXIT: '0' }, args);
    const status = await serving.exited;
    if (status !== 0) throw new Error(`serve ended with ${status}: ${serving.stderr()}`);
    return this.started();
  }

  /** Runs `serve` when it should refuse: its status and message. */
  async refusal(env: Record<string, string>, args?: string[]): Promise<{ status: unknown; stderr: string }> {
    const serving = await this.start({ ...env, FAKE_ENGINE_EXIT: '0' }, args);
    return { status: await serving.exited, stderr: serving.stderr() };
  }

  get wasStarted(): boolean {
    return existsSync(this.record);
  }

  started(): StartRecord {
    return JSON.parse(readFileSync(this.record, 'utf8')) as StartRecord;
  }

  /** Ends what still runs and deletes the folder. */
  async remove(): Promise<void> {
    for (const { child, exited } of this.running) {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
      await exited;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Asks until the answer is as expected. */
export async function until<T>(ask: () => Promise<T> | T, isRight: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (isRight(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The status of GET /ping, 0 while nobody listens. */
export const pingStatus = (url: string): Promise<number> =>
  fetch(`${url}/ping`).then(
    ({ status }) => status,
    () => 0,
  );

/** Whether a process is there and not merely waiting to be collected by its parent. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = `/proc/${pid}/stat`;
  return !existsSync(stat) || !/\) Z /.test(readFileSync(stat, 'utf8'));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
