import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { makeProject } from '../support/project.js';
import { awsCallSites, type CallSite, isReached, shellFiles } from './support/call-sites.js';
import type { Stack } from './support/call-trace.js';
import { describeWithAws, type EmulatedAws } from './support/emulated-aws.js';
import { type Scenario, scenarios } from './support/scenarios.js';
import { testSideBySide } from './support/side-by-side.js';
import { type Recovery, Sweep } from './support/sweep.js';
import { SWEEP_FAULTS, worstFault } from './support/sweep-faults.js';
import { turnsOf } from './support/turns.js';

/** `npm run sweep`: every fault in every call; otherwise every call has the one that hurts most. */
const IS_WHOLE = process.env.MLCC_SWEEP === 'all';

/** `MLCC_SWEEP_ONLY=REGEXP`: these scenarios alone, while one works on a script. */
const ONLY = new RegExp(process.env.MLCC_SWEEP_ONLY ?? '');

const stacks: Stack[] = [];
const operations = new Set<string>();
const counts = { faults: 0, recoveries: 0, failures: 0 };

describeWithAws('Whatever goes wrong in a call to AWS', () => {
  const wanted = scenarios().filter(({ title }) => ONLY.test(title));
  testSideBySide(
    2,
    wanted.map((scenario) => [scenario.title, (cloud) => sweep(cloud, scenario)]),
    7_200_000,
  );

  if (wanted.length < scenarios().length) return;
  test('every call site in the scripts was reached', () => {
    const project = makeProject();
    const folder = join(project.dir, 'do');
    const files = shellFiles(folder).filter((file) => !/kube/.test(file) && !OTHERS.has(file));
    const sites = awsCallSites(folder, files, ROOTS);
    project.remove();
    const missed = sites.filter(
      (site) => !isReached(site, stacks) && !isProgramOf(site.text) && !isNever(site),
    );
    expect(missed.map(({ file, lines, callee }) => `${file}:${lines[0]} ${callee}`)).toEqual([]);
  });
});

/** The scripts of targets that are not on SageMaker. */
const OTHERS = new Set(
  loadCatalog()
    .targets.filter(({ manifest }) => manifest.family === 'kubernetes')
    .flatMap(({ manifest }) => [manifest.deploy_script, manifest.clean_script]),
);

const ROOTS = [
  ...['deploy', 'clean', 'test', 'logs', 'status'].map((verb) => `/${verb}`),
  ...['preflight', 'deploy', 'update', 'clean'].map((what) => `target_${what}`),
  ...['component', 'async', 'job'].map((invocation) => `_test_${invocation}`),
];

/** Reading cannot see that no call ever comes from there. */
function isNever({ file, within, callee }: CallSite): boolean {
  // do/clean has checked the access before, and the check is made once.
  if (within === 'target_clean' && callee === '_aws_preflight') return true;
  // What serves is recorded again as what served before: there is nothing left to delete.
  if (within === '_sm_finish_update' && callee === '_sm_drop_previous') return true;
  // A job is not updated: the next deploy is the next job.
  return within === 'target_update' && JOBS.has(file);
}

const JOBS = new Set(
  loadCatalog()
    .targets.filter(({ manifest }) => manifest.family === 'sagemaker-job')
    .map(({ manifest }) => manifest.deploy_script),
);

/** A program that runs beside the script cannot say who called it, but what it calls is known. */
function isProgramOf(text: string): boolean {
  const [, service = '', words = ''] = /_start aws ([a-z0-9-]+) ([a-z-]+)/.exec(text) ?? [];
  const operation = words.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
  return operations.has(`${service}:${operation}`);
}

const met = new Set<string>();

/** The slice for CI has every path through the scripts once. */
function isWanted(path: string): boolean {
  const isNew = !met.has(path);
  met.add(path);
  return IS_WHOLE || isNew;
}

const recoveries = (again: boolean): Recovery[] =>
  IS_WHOLE ? ['again', 'clean'] : [again ? 'again' : 'clean'];

async function sweep(cloud: EmulatedAws, scenario: Scenario): Promise<void> {
  const sweep = await Sweep.of(cloud, scenario);
  try {
    const calls = await sweep.record();
    if (scenario.isPathOnly) return;
    for (const call of calls) {
      const faults = IS_WHOLE ? SWEEP_FAULTS : SWEEP_FAULTS.filter(({ name }) => name === worstFault(call));
      if (!isWanted(`${scenario.kind} ${call.path}`)) continue;
      for (const fault of faults) {
        if (!fault.changesOnly || call.changes) await sweep.strike(call, fault, recoveries(call.changes));
      }
    }
    const changes = new Set(calls.map(({ operation }) => operation));
    for (const turn of turnsOf(scenario, [...changes])) {
      if (!isWanted(`${scenario.kind} ${scenario.subject.target.target} ${turn.name}`)) continue;
      await sweep.turn(turn, recoveries(turn.recovery === 'again'));
    }
    expect(sweep.failures).toEqual([]);
  } finally {
    stacks.push(...sweep.stage.stacks);
    for (const operation of sweep.stage.operations) operations.add(operation);
    counts.faults += sweep.count;
    counts.recoveries += sweep.recoveries;
    counts.failures += sweep.failures.length;
    if (IS_WHOLE)
      process.stderr.write(`${scenario.title}: ${JSON.stringify(counts)}\n${sweep.failures.join('\n')}\n`);
    sweep.remove();
  }
}
