import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { renderServing } from '../../../lib/kube/index.js';
import { acceleratorsOf } from '../../../lib/kube/serving/accelerators.js';
import { resourceName } from '../../../lib/kube/serving/resource-name.js';
import { packageRoot } from '../../../lib/package/index.js';
import { describeWithPrograms } from '../../support/programs.js';
import { pinByName } from '../run/fixture.js';
import { ACCELERATORS, ARN, environmentSeen, type Looked, servingInput } from './fixture.js';

describeWithPrograms(['bash', 'python3'], 'the project’s own scripts agree', () => {
  const types = [
    'g4dn.xlarge',
    'g4dn.12xlarge',
    'ml.g5.48xlarge',
    'g5.2xlarge',
    'ml.p4d.24xlarge',
    'p5.48xlarge',
    'inf2.xlarge',
    'm5.large',
    'zz9.large',
    '',
  ];

  test('on the accelerators of instance types', () => {
    const script = `DO_DIR=$1; . "$DO_DIR/lib/accelerators.sh"; shift; for type in "$@"; do _accelerators_of "$type" || true; echo "$_ACCELERATORS"; done`;
    const output = execFileSync(
      'bash',
      ['--norc', '-euc', script, 'test', join(packageRoot, 'templates', 'do'), ...types],
      { encoding: 'utf8' },
    );
    expect(types.map((type) => String(acceleratorsOf(type, ACCELERATORS) ?? ''))).toEqual(
      output.split('\n').slice(0, -1),
    );
  });

  test('[C28] on names, also on those that are too long', () => {
    // The cut falls on every character in turn, hyphens included.
    const projects = ['x', ...['', 'a', 'aa'].map((start) => `${start}${'ab-'.repeat(19)}c`), 'p'.repeat(63)];
    const suffixes = ['x', 'eks', 'hyperpod-eks', 'c'.repeat(40), 'c'.repeat(41), 'c'.repeat(70)];
    const pairs = projects.flatMap((project) => suffixes.map((suffix) => [project, suffix] as const));
    const script = `DO_DIR=$1; . "$DO_DIR/lib/names.sh"; shift
while [ $# -gt 0 ]; do PROJECT_NAME=$1; _resource_name "$2"; echo "$_NAME"; shift 2; done`;
    const output = execFileSync(
      'bash',
      ['--norc', '-euc', script, 'test', join(packageRoot, 'templates', 'do'), ...pairs.flat()],
      { encoding: 'utf8' },
    );
    expect(pairs.map(([project, suffix]) => resourceName(project, suffix))).toEqual(
      output.split('\n').slice(0, -1),
    );
  });

  test('on the container’s environment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'serving-'));
    try {
      cpSync(join(packageRoot, 'templates', 'do'), join(folder, 'do'), { recursive: true });
      cpSync(join(packageRoot, 'serve.d'), join(folder, 'do', 'serve.d'), { recursive: true });
      cpSync(join(packageRoot, 'targets.d'), join(folder, 'do', 'targets.d'), { recursive: true });
      const settings = {
        HF_TOKEN_ARN: ARN,
        HF_MODEL_ID: 'o/m',
        VLLM_A: 'b',
        SGLANG_A: 'c',
        IC_ENV_VLLM_A: '',
        IC_ENV_X: 'y $(z)',
        IC_ENV_K_ARN: ARN,
        IC_ENV_T_ARN: 'arn:aws:sns:a',
      };
      const input = servingInput('deployment', { settings });
      writeFileSync(join(folder, 'do', 'config'), input.config.text);
      const env = { PATH: process.env.PATH, CONFIG_FILE: join(folder, 'do', 'config') };
      const script = '. "$CONFIG_FILE"; python3 "$1/do/lib/python/container_environment.py" json </dev/null';
      const theirs = JSON.parse(
        execFileSync('bash', ['--norc', '-c', script, 'test', folder], { env, encoding: 'utf8' }),
      ) as Record<string, string>;
      const ours = environmentSeen((await renderServing(input, pinByName)) as Looked[]);
      expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
      for (const [name, value] of Object.entries(ours)) {
        if (typeof value === 'string') expect([name, theirs[name]]).toEqual([name, value]);
        else expect(theirs[name]).toContain(ARN);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
