import { expect, test } from '@jest/globals';
import { Failure } from '../../lib/failure/index.js';

test('a failure prints what happened, why, and what to type next, and keeps its exit code', () => {
  const failure = new Failure({ what: 'no such target', why: ['a', 'b'], next: 'mlcc targets', exit: 2 });
  expect(failure.lines()).toEqual(['no such target', '  a', '  b', '→ mlcc targets']);
  expect(failure.exit).toBe(2);
});
