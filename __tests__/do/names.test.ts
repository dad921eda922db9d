import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { checkProjectName } from '../../lib/project/index.js';
import { makeProject, type TestProject } from '../support/project.js';
import { writeProbe } from './support/probe.js';

let project: TestProject;
let probe: string;
beforeAll(() => {
  project = makeProject();
  probe = writeProbe(project, { work: '. "$DO_DIR/lib/names.sh"; _resource_name "$@"; echo "$_NAME"' });
});
afterAll(() => project.remove());

const run = (projectName: string, suffix: string, env: Record<string, string> = {}) =>
  project.run(probe, ['--set', `PROJECT_NAME=${projectName}`, suffix], { env });
const nameOf = (...args: Parameters<typeof run>) => {
  const { code, stdout, stderr } = run(...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return stdout.trimEnd();
};

test('a name that fits is the project and the suffix', () => {
  expect(nameOf('demo', 'endpoint')).toBe('demo-endpoint');
  expect(nameOf('demo', '')).toBe('demo');
  expect(nameOf('a'.repeat(54), 'endpoint')).toBe(`${'a'.repeat(54)}-endpoint`);
});

describe('[C28] names that are too long', () => {
  // 61 characters, so that the cut falls on every character of the project's name in turn, its hyphens included.
  const long = `${'ab-'.repeat(20)}c`;
  const suffixes = [
    'x',
    'xy',
    'config',
    'endpoint',
    'a-longer-suffix',
    'c'.repeat(40),
    'c'.repeat(41),
    'c'.repeat(70),
  ];

  test.each(suffixes)('fit, end well and keep the suffix %s', (suffix) => {
    checkProjectName(long);
    const name = nameOf(long, suffix);
    expect(name.length).toBeLessThanOrEqual(63);
    expect(name).toMatch(/^[a-z]([a-z0-9]|-(?!-))*[a-z0-9]$/);
    if (`${long}-${suffix}`.length > 63 && suffix.length <= 40)
      expect(name.endsWith(`-${suffix}`)).toBe(true);
  });

  test('stay unique', () => {
    const projects = [long, `${long.slice(0, -1)}d`, `x${long.slice(1)}`];
    const names = projects.flatMap((name) => suffixes.map((suffix) => nameOf(name, suffix)));
    expect(new Set(names).size).toBe(names.length);
  });

  test('are the same in every locale and shell option, and of a known value', () => {
    const expected = `${'ab-'.repeat(15).slice(0, 45)}`.replace(/-$/, '');
    const name = nameOf(long, 'endpoint');
    expect(name).toMatch(new RegExp(`^${expected}-[0-9a-f]{8}-endpoint$`));
    expect(name).toContain(crc32(`${long}-endpoint`));
    for (const env of [{ LC_ALL: 'C' }, { LC_ALL: 'C.UTF-8' }, { TZ: 'Asia/Tokyo' }])
      expect(nameOf(long, 'endpoint', env)).toBe(name);
  });

  test.each(['my_model.v2', '', '-x', 'x-', 'é', 'a b'])(
    'the project name "%s" is refused before a call',
    (name) => {
      expect(run(name, '')).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('PROJECT_NAME'),
      });
    },
  );
});

/** POSIX cksum of a text in hexadecimal: CRC-32 without reflection over the text and its length. */
function crc32(text: string): string {
  const bytes = [...Buffer.from(text)];
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) bytes.push(length % 256);
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return (~crc >>> 0).toString(16).padStart(8, '0');
}
