import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { FileTree } from '../../lib/project/index.js';
import { planFiles } from '../../lib/update/changes.js';
import { applyJournalled, type ConflictMode } from '../../lib/update/index.js';
import type { PlanInput } from '../../lib/update/plan.js';
import { readTree } from '../../lib/update/read-tree.js';
import { writeTree } from '../support/project.js';
import { type ThreeVersions, threeTrees } from './support/tree-arbitraries.js';
import { differences, snapshotOf } from './support/updated-project.js';

// Every run syncs its files to disk; in memory that costs nothing.
const place = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

const treeOf = (files: ReadonlyMap<string, ThreeVersions>, version: 'base' | 'mine' | 'theirs'): FileTree =>
  new Map(
    [...files].flatMap(([path, versions]) => {
      const contents = versions[version];
      return contents === undefined ? [] : [[path, { contents, executable: false }]];
    }),
  );

const withLf = (text: string): string => text.replaceAll('\r\n', '\n');
const linesOf = (author: string, text: string | undefined): string[] =>
  withLf(text ?? '')
    .split('\n')
    .filter((line) => line.startsWith(author));

function withProject(
  files: ReadonlyMap<string, ThreeVersions>,
  work: (dir: string, input: PlanInput) => void,
) {
  const dir = mkdtempSync(join(place, 'mlcc-trees-'));
  try {
    const mine = treeOf(files, 'mine');
    writeTree(dir, mine);
    work(dir, {
      base: treeOf(files, 'base'),
      mine,
      theirs: treeOf(files, 'theirs'),
      conflict: 'side-file',
      pending: new Map(),
      resolved: new Set(),
      restore: new Set(),
      isValid: () => true,
    });
  } finally {
    rmSync(dir, { recursive: true });
  }
}

const modes = fc.constantFrom<ConflictMode>('side-file', 'side-file', 'markers', 'ours', 'theirs');

test('1,000 trees: the plan is what happens, and a second run has nothing to do', () => {
  fc.assert(
    fc.property(threeTrees, modes, (files, conflict) => {
      withProject(files, (dir, given) => {
        const input = { ...given, conflict };
        const before = snapshotOf(dir);
        const { plan, changes } = planFiles(dir, input);
        expect(differences(before, snapshotOf(dir))).toEqual([]);
        applyJournalled(dir, changes);

        const after = snapshotOf(dir);
        expect(differences(before, after)).toEqual(changes.map(({ path }) => path).sort());
        for (const { path, after: planned } of changes) expect(after[path]?.contents).toBe(planned?.contents);

        const { files: base, pending } = plan.base;
        const mine = readTree(dir, new Set([...base.keys(), ...input.theirs.keys()]));
        const second = planFiles(dir, { ...input, base, pending, mine });
        expect(second.changes).toEqual([]);
        expect(second.plan.base).toEqual(plan.base);
      });
    }),
    { numRuns: 1000 },
  );
});

test('1,000 trees: no line is lost, and nothing that neither side wrote appears unreported', () => {
  fc.assert(
    fc.property(threeTrees, (files) => {
      withProject(files, (dir, input) => {
        const { plan, changes } = planFiles(dir, input);
        applyJournalled(dir, changes);
        const after = snapshotOf(dir);
        for (const [path, { base, mine, theirs, disjoint }] of files) {
          const result = after[path]?.contents;
          const side = after[`${path}.mlcc-new`]?.contents;
          const kind = plan.entries.find((entry) => entry.path === path)?.kind;
          // What a person wrote is there, whatever the generator wants.
          expect(linesOf('m', result)).toEqual(expect.arrayContaining(linesOf('m', mine)));
          // What the generator wants is in the file or beside it, unless the person deleted the file.
          const isDeleted = base !== undefined && mine === undefined;
          if (!isDeleted)
            expect(linesOf('t', side ?? result)).toEqual(expect.arrayContaining(linesOf('t', theirs)));
          // A text that neither side wrote is reported as a merge, and holds no line that a side removed.
          if (result !== mine && withLf(result ?? '') !== (theirs ?? '')) {
            expect(kind).toBe('merge');
            const removed = linesOf('b', base).filter((line) =>
              [mine, theirs].some((text) => !linesOf('b', text).includes(line)),
            );
            expect(linesOf('b', result).filter((line) => removed.includes(line))).toEqual([]);
          }
          // Edits that are apart are both there, without a question.
          if (disjoint !== undefined) {
            expect(withLf(result ?? '')).toBe(disjoint);
            expect(plan.base.pending.has(path)).toBe(false);
          }
        }
      });
    }),
    { numRuns: 1000 },
  );
});
