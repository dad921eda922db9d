import { describe, expect, test } from '@jest/globals';
import { parseChallenges } from '../../../lib/kube/images/challenge.js';

describe('WWW-Authenticate', () => {
  test.each([
    ['Basic realm="r"', [{ scheme: 'basic', parameters: { realm: 'r' } }]],
    [
      'Bearer realm="https://t/token",service="s",scope="repository:a/b:pull,push"',
      [
        {
          scheme: 'bearer',
          parameters: { realm: 'https://t/token', service: 's', scope: 'repository:a/b:pull,push' },
        },
      ],
    ],
    [
      'BEARER Realm = x , service="a \\"b\\""',
      [{ scheme: 'bearer', parameters: { realm: 'x', service: 'a "b"' } }],
    ],
    [
      'Negotiate, Basic realm="a, b", Bearer realm="t"',
      [
        { scheme: 'negotiate', parameters: {} },
        { scheme: 'basic', parameters: { realm: 'a, b' } },
        { scheme: 'bearer', parameters: { realm: 't' } },
      ],
    ],
    ['', []],
  ])('%s', (header, challenges) => {
    expect(parseChallenges(header)).toEqual(challenges);
  });

  test('several headers are read as one list, and none as no challenge', () => {
    expect(parseChallenges(['Basic realm=a', 'Bearer realm=b']).map(({ scheme }) => scheme)).toEqual([
      'basic',
      'bearer',
    ]);
    expect(parseChallenges(undefined)).toEqual([]);
  });
});
