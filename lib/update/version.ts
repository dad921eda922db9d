import { gt, valid } from 'semver';
import { Failure } from '../failure/index.js';

/** Refuses a project that a newer generator made: its templates would be taken back. Prereleases count as semver has it. */
export function refuseNewer(stamped: string, version: string): void {
  if (valid(stamped) === null) {
    throw new Failure({
      what: `the project's generator version "${stamped}" is not a version`,
      next: 'mend it in .yo-rc.json, or give --allow-downgrade',
    });
  }
  if (!gt(stamped, version)) return;
  throw new Failure({
    what: `the project was made by the newer version ${stamped}; this is ${version}`,
    next: `update the generator: npm install --global generator-mlcc@${stamped}; or give --allow-downgrade`,
  });
}
