import { expect } from '@jest/globals';
import type { Catalog } from '../../../lib/catalog/index.js';
import { catalogWith } from '../../support/catalog.js';
import { catalog } from './updated-project.js';

const [first, second] = catalog.targets.map(({ manifest }) => manifest);
if (!first || !second) throw new Error('two targets are needed');

/** The target whose descriptor the tests change, and another one. */
export const target = first;
export const other = second;
export const MANIFEST = `do/targets.d/${target.target}/manifest.json`;

/** The catalogue of another generator version: one descriptor edited, or a copy of it added. */
export function otherCatalog(edit: (manifest: Record<string, unknown>) => void, as?: string): Catalog {
  const result = catalogWith({ target: target.target, edit, ...(as ? { as } : {}) });
  expect(result.faults).toEqual([]);
  return result.catalog;
}

/** Turns a copy of a descriptor into that of a target of its own. */
export function asTarget(name: string, tag: string) {
  return (manifest: Record<string, unknown>) => {
    const before = String(manifest.status_var);
    const own = JSON.parse(
      JSON.stringify(manifest).replaceAll(before.replace(/STATUS$/, ''), `DEPLOYMENT_TARGET_${tag}_`),
    ) as Record<string, unknown>;
    Object.assign(manifest, own, {
      target: name,
      aliases: [],
      answer_key: `deploymentTarget${tag[0]}${tag.slice(1).toLowerCase()}Status`,
      deploy_script: `deploy.d/${name}`,
      clean_script: `clean.d/${name}`,
    });
  };
}
