import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDnsLabel, labelValue, objectName, objectNameEnding } from '../../lib/kube/names.js';
import { containerOf, faultsOf, MANIFEST, PLAYBOOK, PROFILE, render, withValue } from './run/fixture.js';

const VALID_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const VALID_LABEL_VALUE = /^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

describe('[C43] names and labels', () => {
  const forty = (letter: string) => letter.repeat(40);

  test('two names of 40 characters, joined: shortened with a hash, stable, and different ones stay different', () => {
    const name = objectName(forty('a'), forty('b'));
    expect(name).toMatch(/^a{40}-b{13}-[0-9a-f]{8}$/);
    expect(objectName(forty('a'), forty('b'))).toBe(name);
    expect(objectName(forty('a'), `${forty('b')}c`)).not.toBe(name);
  });

  test('a name that fits is left as it is', () => {
    expect(objectName('pd-rollout', 'loop')).toBe('pd-rollout-loop');
    expect(labelValue('1.2.0_cu124')).toBe('1.2.0_cu124');
    expect(labelValue('')).toBe('');
  });

  test('a version that no label takes', () => {
    expect(labelValue('1.2.0+cu124')).toMatch(/^1\.2\.0-cu124-[0-9a-f]{8}$/);
    expect(labelValue('v'.repeat(128))).toMatch(VALID_LABEL_VALUE);
  });

  test('any text gives a valid name and label value, and two texts never the same one', () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: fc.constantFrom('a', 'A', '-', '.', '_', '/') }),
      fc.stringMatching(/^[a-z-]{60,70}$/),
    );
    fc.assert(
      fc.property(text, text, (one, other) => {
        expect(objectName(one)).toMatch(VALID_NAME);
        expect(labelValue(one)).toMatch(VALID_LABEL_VALUE);
        expect(objectNameEnding(one, '0123456789ab')).toMatch(/^(?=.{14,63}$)[a-z0-9].*-0123456789ab$/);
        if (one === other) return;
        expect(objectName(one)).not.toBe(objectName(other));
        expect(labelValue(one)).not.toBe(labelValue(other));
      }),
      { seed: 43 },
    );
  });

  test('objects of a run with long names, and a tag with a digest', async () => {
    const name = forty('n');
    const loop = `registry.example.com/loop:${'1.2.0-cu124-'.repeat(8)}x@sha256:${'0'.repeat(64)}`;
    const profile = withValue(
      withValue(PROFILE, ['cluster', 'loop_namespace'], forty('l')),
      ['image', 'loop'],
      loop,
    );
    const objects = await render({ manifest: withValue(MANIFEST, ['composite', 'name'], name), profile });
    for (const { metadata } of objects) {
      expect(isDnsLabel(metadata.name)).toBe(true);
      for (const value of Object.values(metadata.labels ?? {})) expect(value).toMatch(VALID_LABEL_VALUE);
    }
    expect(objects[0]?.metadata.name).toMatch(/^n{40}-loop-l+-[0-9a-f]{8}$/);
  });

  test('a name that a person gave is refused, not changed', async () => {
    for (const name of ['n'.repeat(64), 'Upper', 'under_score', '-a', 'a.b']) {
      expect(await faultsOf({ manifest: withValue(MANIFEST, ['composite', 'name'], name) })).toEqual([
        expect.stringMatching(
          /^crucible\.toml:[0-9]+: `composite\.name` must be a name of lower-case letters/,
        ),
      ]);
      const pack = { name, files: [] };
      expect(await faultsOf({ manifest: {}, mode: PLAYBOOK, pack })).toContainEqual(
        expect.stringMatching(/^--pack: `.*` must be a name of lower-case letters/),
      );
    }
  });

  test('a folder’s name, which was not made for Kubernetes, is made fit; its path stays', async () => {
    const { pod, container } = containerOf(
      await render({ manifest: {}, mode: PLAYBOOK, folder: 'EPP_Tuning' }),
    );
    expect(pod.metadata.name).toMatch(/^epp-tuning-[0-9a-f]{8}-playbook$/);
    expect(pod.metadata.labels?.['app.kubernetes.io/part-of']).toBe('EPP_Tuning');
    expect(container.args?.[0]).toBe('/opt/domains/EPP_Tuning');
  });

  test.each(['', 'a b', 'c:d', 'e\nf'])('a folder called %j cannot be a mount path', async (folder) => {
    expect(await faultsOf({ manifest: {}, mode: PLAYBOOK, folder })).toEqual([
      expect.stringContaining('that holds it must have a name without colons and spaces'),
    ]);
  });
});
