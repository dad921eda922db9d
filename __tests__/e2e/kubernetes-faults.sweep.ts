import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CompiledCli } from '../support/compiled-cli.js';
import { describeWithMoto } from '../support/moto.js';
import { makeProject } from '../support/project.js';
import { awsCallSites, isReached, shellFiles } from './support/call-sites.js';
import type { Stack } from './support/call-trace.js';
import type { EmulatedAws } from './support/emulated-aws.js';
import { changes, sortOf } from './support/kube-calls.js';
import { KUBE_FAULTS, worstKubeFault } from './support/kube-faults.js';
import { PROGRAMS } from './support/kube-stage.js';
import { type KubeScenario, KubeSweep, kubeScenarios } from './support/kube-sweep.js';
import { kubeSubjects } from './support/kubernetes.js';
import { testSideBySide } from './support/side-by-side.js';
import { SWEEP_FAULTS, worstFault } from './support/sweep-faults.js';

/** `npm run sweep`: every fault in every call; otherwise every call has the one that hurts most. */
const IS_WHOLE = process.env.MLCC_SWEEP === 'all';

const stacks: Stack[] = [];
const counts = { calls: 0, faults: 0, recoveries: 0, failures: 0 };
let cli: CompiledCli;

describeWithMoto(['aws', 'python3', 'kubectl'], 'Whatever goes wrong on the way to the cluster', () => {
  beforeAll(() => {
    cli = new CompiledCli();
  });
  afterAll(() => cli?.remove());

  const wanted = new RegExp(process.env.ONLY ?? '');
  testSideBySide(
    2,
    kubeScenarios(kubeSubjects())
      .filter(({ title }) => wanted.test(title))
      .map((scenario) => [scenario.title, (cloud) => sweep(cloud, scenario)]),
    7_200_000,
  );

  test('every call site in the scripts was reached', () => {
    const project = makeProject();
    const folder = join(project.dir, 'do');
    const [deploys, cleans] = ['deploy_script', 'clean_script'].map((what) =>
      kubeSubjects().map(({ target }) => target[what as 'deploy_script' | 'clean_script']),
    );
    const own = [...(deploys ?? []), ...(cleans ?? [])];
    const files = shellFiles(folder).filter(
      (file) => own.includes(file) || !/^(deploy|clean)\.d\/|^lib\/(sagemaker|s3|test|logs|live)/.test(file),
    );
    const roots = ['preflight', 'deploy', 'update', 'clean'].map((what) => `target_${what}`);
    const sites = awsCallSites(folder, files, ['/deploy', '/clean', ...roots], PROGRAMS);
    project.remove();
    expect(sites.length).toBeGreaterThan(20);
    const missed = sites
      .filter(({ callee }) => CALLS.includes(callee))
      // A look whether a program is there is no call; how requests are sent is swept with the targets that build them.
      .filter(({ text, file }) => !text.includes('command -v') && file !== 'lib/aws.sh')
      .filter((site) => !isReached(site, stacks));
    expect(missed.map(({ file, lines, callee }) => `${file}:${lines[0]} ${callee}`)).toEqual([]);
  });

  afterAll(() => {
    if (IS_WHOLE) process.stdout.write(`Kubernetes sweep: ${JSON.stringify(counts)}\n`);
  });
});

/** What starts a program: the programs themselves, and the functions that do nothing else. */
const CALLS = [...PROGRAMS, '_aws', '_kubectl', '_kube', '_kube_once', '_mlcc_deploy'];

async function sweep(cloud: EmulatedAws, scenario: KubeScenario): Promise<void> {
  const sweep = await KubeSweep.of(cloud, cli, scenario);
  try {
    const { aws, kube } = await sweep.record();
    // What is asked of the cluster is the same whichever way led there.
    const strikes = IS_WHOLE || scenario.subject.way !== 'current context';
    const struck = new Set<string>();
    for (const call of aws) {
      const sort = `${call.service}:${call.operation}`;
      if (!strikes || (!IS_WHOLE && struck.has(sort))) continue;
      struck.add(sort);
      counts.calls += 1;
      for (const fault of SWEEP_FAULTS) {
        if (fault.changesOnly && !call.changes) continue;
        if (IS_WHOLE) await sweep.strikeAws(call, fault, ['again', 'clean']);
        else if (fault.name === worstFault(call))
          await sweep.strikeAws(call, fault, [call.number % 2 ? 'again' : 'clean']);
      }
    }
    for (const [index, call] of kube.entries()) {
      const sort = sortOf(call);
      if (!strikes || (!IS_WHOLE && struck.has(sort))) continue;
      struck.add(sort);
      counts.calls += 1;
      for (const fault of KUBE_FAULTS) {
        if (fault.changesOnly && !changes(call)) continue;
        if (IS_WHOLE) await sweep.strikeKube(call, fault, ['again', 'clean']);
        else if (fault.name === worstKubeFault(call, index))
          await sweep.strikeKube(call, fault, [index % 2 ? 'again' : 'clean']);
      }
    }
    await sweep.stage.goBack();
    await sweep.stage.place.project.must('deploy', ['--dry-run'], sweep.stage.traced);
  } finally {
    counts.faults += sweep.count;
    counts.recoveries += sweep.recoveries;
    counts.failures += sweep.failures.length;
    sweep.stage.takeStacks();
    stacks.push(...sweep.stage.stacks);
    await sweep.remove();
  }
  expect(sweep.failures.join('\n\n')).toBe('');
}
