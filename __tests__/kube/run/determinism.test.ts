import { afterEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Data, MANIFEST, PROFILE, renderYaml } from './fixture.js';

const savedEnvironment = { ...process.env };
afterEach(() => {
  process.env = { ...savedEnvironment };
});

test('100 renders with shuffled keys under other locales, time zones and environments: the same bytes', async () => {
  const expected = await renderYaml();
  const renders = fc.sample(
    fc.record({
      order: fc.infiniteStream(fc.nat()),
      zone: fc.constantFrom('UTC', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Kiritimati'),
      locale: fc.constantFrom('C', 'de_DE.UTF-8', 'tr_TR.UTF-8', 'ja_JP.UTF-8'),
      noise: fc.dictionary(
        fc.constantFrom('HOME', 'USER', 'PWD', 'AWS_REGION', 'KUBECONFIG', 'POD_NAME'),
        fc.string(),
      ),
    }),
    { numRuns: 100, seed: 100 },
  );
  const orders = new Set<string>();
  for (const { order, zone, locale, noise } of renders) {
    process.env = { ...savedEnvironment, ...noise, TZ: zone, LANG: locale, LC_ALL: locale, LANGUAGE: locale };
    const shuffle = (data: Data) => shuffled(data, () => order.next().value);
    const [manifest, profile] = [shuffle(MANIFEST), shuffle(PROFILE)];
    orders.add(JSON.stringify(profile));
    expect(await renderYaml({ manifest, profile })).toBe(expected);
  }
  expect(orders.size).toBe(renders.length);
});

test('the sorting of names does not follow the locale', async () => {
  const names = ['zeta', 'Alpha', 'alpha', '_x', 'Zeta', 'beta.x', 'beta-x'];
  const env = Object.fromEntries(names.map((name) => [name, 'v']));
  const yaml = await renderYaml({ profile: { ...PROFILE, env } });
  const written = [...yaml.matchAll(/- name: "?([^\s"]+)"?\n {6}value: v$/gm)].map((match) => match[1]);
  expect(written).toEqual([...names].sort());
});

/** The same data with the keys of each table in another order; lists keep theirs, since it has a meaning. */
function shuffled(value: Data, random: () => number): Data {
  const visit = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(visit);
    if (typeof item !== 'object' || item === null) return item;
    const keyed = Object.entries(item).map(([key, inner]) => ({ key, inner, rank: random() }));
    keyed.sort((one, other) => one.rank - other.rank);
    return Object.fromEntries(keyed.map(({ key, inner }) => [key, visit(inner)]));
  };
  return visit(value) as Data;
}
