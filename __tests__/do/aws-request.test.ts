import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { packageRoot } from '../../lib/package/index.js';

const PROGRAM = join(packageRoot, 'templates/do/lib/python/aws_request.py');
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'mlcc-request-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function request(fields: readonly string[], overlay?: object, input = '') {
  const file = join(folder, 'overlay.json');
  if (overlay) writeFileSync(file, JSON.stringify(overlay));
  const options = overlay ? ['--overlay', file] : [];
  const { status, stdout, stderr } = spawnSync('python3', [PROGRAM, 'show', ...options, ...fields], {
    input,
    encoding: 'utf8',
  });
  return { code: status, stderr, json: status === 0 ? (JSON.parse(stdout) as unknown) : undefined };
}

describe('fields', () => {
  test('have types and places', () => {
    expect(
      request(
        [
          'A=1',
          'B:=1',
          'C:=0.25',
          'D:=true',
          'E[1].F=x',
          'E[0].F=y',
          'G.H[0]=a=b:=c',
          'I?=',
          'J?:=',
          'K?:=3',
          'L.M@',
          'L.N=é',
        ],
        undefined,
        '{"s": "$(x)"}',
      ).json,
    ).toEqual({
      A: '1',
      B: 1,
      C: 0.25,
      D: true,
      E: [{ F: 'y' }, { F: 'x' }],
      G: { H: ['a=b:=c'] },
      K: 3,
      L: { M: { s: '$(x)' }, N: 'é' },
    });
  });

  test.each([['A:=many'], ['A:='], ['A:=NaN'], ['=x'], ['A']])('%s is refused', (field) => {
    expect(request([field]).code).toBe(2);
  });
});

describe('an overlay', () => {
  const base = [
    'TheName=n',
    'P[0].V=a',
    'P[0].T=x',
    'Tags[0].Key=k',
    'Tags[0].Value=v',
    'L:=["a","b"]',
    'O.X=1',
    'O.Y=2',
  ];
  test.each([
    ['adds a member', { New: { A: [1] } }, { New: { A: [1] } }],
    ['merges objects', { O: { Y: '3' } }, { O: { X: '1', Y: '3' } }],
    ['removes with null', { O: { X: null } }, { O: { Y: '2' } }],
    [
      'merges lists of objects item by item',
      { P: [{ T: 'z' }, { V: 'b' }] },
      { P: [{ V: 'a', T: 'z' }, { V: 'b' }] },
    ],
    [
      'adds tags and changes one by its key',
      {
        Tags: [
          { Key: 'n', Value: '1' },
          { Key: 'k', Value: 'w' },
        ],
      },
      {
        Tags: [
          { Key: 'k', Value: 'w' },
          { Key: 'n', Value: '1' },
        ],
      },
    ],
    ['replaces any other list', { L: ['c'] }, { L: ['c'] }],
    ['may repeat the name', { TheName: 'n' }, { TheName: 'n' }],
  ])('%s', (_, overlay, expected) => {
    expect(request(base, overlay).json).toMatchObject(expected);
  });

  test('may not change a name that is recorded before the call', () => {
    expect(request(base, { TheName: 'm' })).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('TheName'),
    });
  });

  test('may not take away the tags by which clean knows what is ours', () => {
    const tagged = ['Tags[0].Key=mlcc:project', 'Tags[0].Value=demo'];
    for (const overlay of [
      { Tags: null },
      { Tags: [{ Key: 'mlcc:project', Value: 'x' }] },
      { Tags: 'none' },
    ]) {
      expect(request(tagged, overlay)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('mlcc:project'),
      });
    }
    expect(request(tagged, { Tags: [{ Key: 'team', Value: 'x' }] }).json).toEqual({
      Tags: [
        { Key: 'mlcc:project', Value: 'demo' },
        { Key: 'team', Value: 'x' },
      ],
    });
  });
});
