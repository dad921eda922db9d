import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from '../../support/project.js';

/** The lines with which every verb finds its own file through symbolic links and sources the contract. */
export const PREAMBLE = `_VERB_FILE=\${BASH_SOURCE[0]}
case $_VERB_FILE in */*) ;; *) _VERB_FILE=./$_VERB_FILE ;; esac
while [[ -L $_VERB_FILE ]]; do
  _link=$(readlink "$_VERB_FILE")
  case $_link in /*) _VERB_FILE=$_link ;; *) _VERB_FILE=\${_VERB_FILE%/*}/$_link ;; esac
done
. "\${_VERB_FILE%/*}/lib/script-contract.sh"
`;

export interface Probe {
  guard?: string;
  targets?: string;
  usage?: string;
  /** Shell before the contract is sourced: parse_arguments, say. */
  before?: string;
  /** Shell behind it; what proves that the verb's own work began. */
  work?: string;
  name?: string;
}

/** Writes a verb into the project as a person would, and returns its path there. */
export function writeProbe(project: TestProject, probe: Probe = {}): string {
  const {
    guard = 'none',
    targets = 'all',
    usage = 'do/probe',
    before = '',
    work = 'echo passed',
    name = 'probe',
  } = probe;
  const text = `#!/bin/bash
# Copyright the authors of this project
# SPDX-License-Identifier: Apache-2.0
# Probes the contract.
# @mlcc-script
# type: deployment-centric
# guard: ${guard}
# lifecycle: monitor
# targets: ${targets}
# usage: ${usage}

set -euo pipefail
${before}
${PREAMBLE}
${work}
`;
  writeFileSync(join(project.dir, 'do', name), text);
  chmodSync(join(project.dir, 'do', name), 0o755);
  return `do/${name}`;
}

/** Sets settings in do/config as a person would, with an editor: line by line. */
export function setConfig(project: TestProject, settings: Readonly<Record<string, string>>): void {
  const path = join(project.dir, 'do/config');
  const kept = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => !Object.keys(settings).some((key) => line.startsWith(`export ${key}=`)));
  const lines = Object.entries(settings).map(
    ([key, value]) => `export ${key}='${value.replaceAll("'", "'\\''")}'`,
  );
  writeFileSync(path, `${[...kept, ...lines].join('\n')}\n`);
}
