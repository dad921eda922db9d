// What the contract costs in front of every verb: the time of a verb that passes its guard and then does nothing, as a
// multiple of `bash -c :`, with the built-in targets and with 500: once with the status of one target in do/config, once
// with a line for each of them.
//
// usage: npm run build && node bench/guard.mjs [ROUNDS]

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { loadCatalog } from '../dist/lib/catalog/index.js';
import { render } from '../dist/lib/project/index.js';

const RUNS_PER_ROUND = 100;
const rounds = Number(process.argv[2] ?? 15);

const PROBE = `#!/bin/bash
# @mlcc-script
# guard: deployment-active
# targets: all
set -euo pipefail
. "\${BASH_SOURCE[0]%/*}/lib/script-contract.sh"
`;

/** Milliseconds that one run of a command takes, started from a loop in bash so that Node's own cost of a start is left out. */
function timeOf(command) {
  const loop = `for ((i = 0; i < ${RUNS_PER_ROUND}; i++)); do "$@"; done`;
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync('bash', ['--norc', '-c', loop, 'loop', ...command], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${command.join(' ')} failed: ${stderr}`);
  return Number(process.hrtime.bigint() - start) / 1e6 / RUNS_PER_ROUND;
}

/** The catalogue with copies of its last target, under other names, until it has so many. */
function grown(catalog, count) {
  const last = catalog.targets.at(-1);
  const copies = Array.from({ length: count - catalog.targets.length }, (_, index) => ({
    ...last,
    manifest: {
      ...last.manifest,
      target: `another-target-${index}`,
      aliases: [`another-${index}`],
      status_var: `DEPLOYMENT_TARGET_OTHER${index}_STATUS`,
      answer_key: `deploymentTargetOther${index}Status`,
      deploy_script: `deploy.d/another-target-${index}`,
      clean_script: `clean.d/another-target-${index}`,
      runtime_owned_vars: [`DEPLOYMENT_TARGET_OTHER${index}_STATUS`],
    },
  }));
  return { ...catalog, targets: [...copies, ...catalog.targets] };
}

/** A project on disk whose active target is the last one, with a probe in it; `configure` has the last word on do/config. */
function makeProject(folder, catalog, configure = (text) => text) {
  const { target, status_var, success_status } = catalog.targets.at(-1).manifest;
  for (const [path, { contents }] of render({ projectName: 'bench', deploymentTarget: target }, catalog)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const text =
      path === 'do/config' ? `${configure(contents)}export ${status_var}='${success_status}'\n` : contents;
    writeFileSync(join(folder, path), text);
  }
  const probe = join(folder, 'do/probe');
  writeFileSync(probe, PROBE);
  chmodSync(probe, 0o755);
  return probe;
}

const withoutStatusLines = (config) => config.replace(/^export DEPLOYMENT_TARGET_\w+_STATUS=.*\n/gm, '');
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const root = mkdtempSync(join(tmpdir(), 'mlcc-bench-'));
try {
  const catalog = loadCatalog();
  const commands = {
    'bash -c :': ['/bin/bash', '-c', ':'],
    [`guard, ${catalog.targets.length} targets`]: [makeProject(join(root, 'few'), catalog)],
    'guard, 500 targets': [makeProject(join(root, 'one-status'), grown(catalog, 500), withoutStatusLines)],
    '  and 500 status lines': [makeProject(join(root, 'all-statuses'), grown(catalog, 500))],
  };
  const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, command] of Object.entries(commands)) times[name].push(timeOf(command));
  }
  const bare = median(times['bash -c :']);
  for (const [name, samples] of Object.entries(times)) {
    const time = median(samples);
    console.log(`${name.padEnd(22)} ${time.toFixed(2)} ms  ${(time / bare).toFixed(2)} x`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
