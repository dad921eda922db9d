import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type CliServer, startCliServer } from '../../support/aws/cli-server.js';
import { type Aws, startAws } from '../../support/aws/index.js';
import { describeWithMoto, type Moto, startMoto } from '../../support/moto.js';

/** A cloud of its own, and the real AWS CLI, loaded once, that talks to it. */
export interface EmulatedAws {
  aws: Aws;
  /** What a script needs to reach it: its PATH has that CLI, and pauses that are over at once. */
  environment: Record<string, string>;
}

/** A suite that needs the emulated cloud. */
export function describeWithAws(title: string, suite: () => void): void {
  describeWithMoto(['aws', 'python3'], title, suite);
}

/** Clouds that know nothing of each other, for work that goes on side by side. */
export class EmulatedClouds {
  readonly all: EmulatedAws[] = [];
  #cli: CliServer | undefined;
  #motos: Moto[] = [];
  #folder = '';

  async start(count = 1): Promise<void> {
    const motos = Array.from({ length: count }, () => startMoto().then((moto) => this.#motos.push(moto)));
    const cli = startCliServer().then((server) => {
      this.#cli = server;
    });
    const outcomes = await Promise.allSettled([cli, ...motos]);
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    this.#folder = mkdtempSync(join(tmpdir(), 'mlcc-e2e-'));
    writeProgram(join(this.#folder, 'sleep'), 'exec /bin/sleep 0.02');
    const PATH = [this.#cli?.binFolder, this.#folder, process.env.PATH].join(delimiter);
    for (const { url } of this.#motos) {
      const aws = await startAws(url);
      // The CLI tries once, so that every further try is the scripts' own.
      const environment = { ...aws.environment, PATH, MLCC_POLL_SECONDS: '0', AWS_MAX_ATTEMPTS: '1' };
      this.all.push({ aws, environment });
    }
  }

  /** Ends all that was started; what the emulation itself did wrong is an error. */
  async stop(): Promise<void> {
    const defects = this.all.flatMap(({ aws }) => aws.defects);
    await Promise.all(this.all.map(({ aws }) => aws.stop()));
    await Promise.all([this.#cli?.stop(), ...this.#motos.map((moto) => moto.stop())]);
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
    if (defects.length > 0) throw new Error(`defects of the emulation:\n${defects.join('\n')}`);
  }
}

function writeProgram(path: string, text: string): void {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}
