import { afterEach, describe, expect, test } from '@jest/globals';
import type { ConflictMode, UpdateResult } from '../../lib/update/index.js';
import { differences, kindsOf, NEW, OLD, templatesWith, UpdatedProject } from './support/updated-project.js';

/** The file that the cases are about; a text, so that markers may stand in it. */
const FILE = 'NOTES.txt';
const SIDE = `${FILE}.mlcc-new`;
const A = 'one\ntwo\nthree\nfour\nfive\n';
const MINE = A.replace('two', 'two of mine');
const THEIRS_ELSEWHERE = A.replace('five', 'five of theirs');
const THEIRS_SAME_PLACE = A.replace('two', 'two of theirs');
const BOTH = MINE.replace('five', 'five of theirs');
const MARKED = A.replace('two', '<<<<<<< mine\ntwo of mine\n=======\ntwo of theirs\n>>>>>>> generator');

interface Row {
  base: string | null;
  mine: string | null;
  theirs: string | null;
  conflict?: ConflictMode;
  restore?: boolean;
  /** What is there afterwards. */
  result: string | null;
  side?: string;
  /** What is reported; absent: nothing. */
  kind?: string;
  waits?: boolean;
}

const rows: Record<string, Row> = {
  'A A A: nothing': { base: A, mine: A, theirs: A, result: A },
  'A A B: B': { base: A, mine: A, theirs: THEIRS_ELSEWHERE, result: THEIRS_ELSEWHERE, kind: 'update' },
  'A B A: B kept': { base: A, mine: MINE, theirs: A, result: MINE, kind: 'kept' },
  'A B B: B, silently': { base: A, mine: MINE, theirs: MINE, result: MINE },
  'A B C without overlap: merged': {
    base: A,
    mine: MINE,
    theirs: THEIRS_ELSEWHERE,
    result: BOTH,
    kind: 'merge',
  },
  'A B C with overlap: B kept, C beside it': {
    base: A,
    mine: MINE,
    theirs: THEIRS_SAME_PLACE,
    result: MINE,
    side: THEIRS_SAME_PLACE,
    kind: 'conflict',
    waits: true,
  },
  'A B C with overlap and markers: both between markers': {
    base: A,
    mine: MINE,
    theirs: THEIRS_SAME_PLACE,
    conflict: 'markers',
    result: MARKED,
    kind: 'marked',
    waits: true,
  },
  'A B C with overlap and ours: B': {
    base: A,
    mine: MINE,
    theirs: THEIRS_SAME_PLACE,
    conflict: 'ours',
    result: MINE,
    kind: 'kept',
  },
  'A B C with overlap and theirs: C': {
    base: A,
    mine: MINE,
    theirs: THEIRS_SAME_PLACE,
    conflict: 'theirs',
    result: THEIRS_SAME_PLACE,
    kind: 'update',
  },
  'A B C without overlap and theirs: merged all the same': {
    base: A,
    mine: MINE,
    theirs: THEIRS_ELSEWHERE,
    conflict: 'theirs',
    result: BOTH,
    kind: 'merge',
  },
  'A deleted A: stays deleted': { base: A, mine: null, theirs: A, result: null, kind: 'deleted' },
  '[C22] A deleted B: stays deleted': {
    base: A,
    mine: null,
    theirs: THEIRS_ELSEWHERE,
    result: null,
    kind: 'deleted',
  },
  '[C22] A deleted B, restored: B': {
    base: A,
    mine: null,
    theirs: THEIRS_ELSEWHERE,
    restore: true,
    result: THEIRS_ELSEWHERE,
    kind: 'restore',
  },
  'A deleted dropped: nothing': { base: A, mine: null, theirs: null, result: null },
  'A A dropped: removed': { base: A, mine: A, theirs: null, result: null, kind: 'remove' },
  'A B dropped: kept, waits': {
    base: A,
    mine: MINE,
    theirs: null,
    result: MINE,
    kind: 'dropped',
    waits: true,
  },
  'A B dropped and ours: kept': {
    base: A,
    mine: MINE,
    theirs: null,
    conflict: 'ours',
    result: MINE,
    kind: 'kept',
  },
  'A B dropped and theirs: removed': {
    base: A,
    mine: MINE,
    theirs: null,
    conflict: 'theirs',
    result: null,
    kind: 'remove',
  },
  'none none X: created': { base: null, mine: null, theirs: A, result: A, kind: 'create' },
  'none X X: adopted, silently': { base: null, mine: A, theirs: A, result: A },
  'none X Y: X kept, Y beside it': {
    base: null,
    mine: MINE,
    theirs: A,
    result: MINE,
    side: A,
    kind: 'in-the-way',
    waits: true,
  },
  'none X Y and ours: X': {
    base: null,
    mine: MINE,
    theirs: A,
    conflict: 'ours',
    result: MINE,
    kind: 'kept',
  },
  'none X Y and theirs: Y': {
    base: null,
    mine: MINE,
    theirs: A,
    conflict: 'theirs',
    result: A,
    kind: 'update',
  },
  'none X none: not ours': { base: null, mine: MINE, theirs: null, result: MINE },
};

let project: UpdatedProject;
afterEach(() => project.remove());

const read = (path: string): string | null => (project.has(path) ? project.read(path) : null);

function prepare({ base, mine }: Row): void {
  project = new UpdatedProject({ templates: templatesWith(base === null ? {} : { [FILE]: base }) });
  if (mine !== null) project.write(FILE, mine);
  else if (base !== null) project.delete(FILE);
}

describe('base, mine, theirs', () => {
  test.each(Object.entries(rows))('%s', async (_, row) => {
    prepare(row);
    const templates = templatesWith(row.theirs === null ? {} : { [FILE]: row.theirs });
    const options = {
      ...(row.conflict ? { conflict: row.conflict } : {}),
      ...(row.restore ? { restore: [FILE] } : {}),
    };
    const before = project.snapshot();

    // A dry run changes nothing, and its plan is what the real run does.
    const planned = await project.regenerate(templates, { ...options, dryRun: true });
    expect(differences(before, project.snapshot())).toEqual([]);
    const result = await project.regenerate(templates, options);
    expect(result).toEqual(planned);
    const after = project.snapshot();
    expect(differences(before, after)).toEqual(result.changes.map(({ path }) => path).sort());
    // What says that it is done comes last, the version at the very end.
    const records = ['.mlcc/base.json', '.yo-rc.json'];
    const order = result.changes.map(({ path }) => path);
    const last = records.filter((path) => order.includes(path));
    expect(order.slice(order.length - last.length)).toEqual(last);

    expect(read(FILE)).toBe(row.result);
    expect(read(SIDE)).toBe(row.side ?? null);
    expect(kindsOf(result)[FILE]).toBe(row.kind);
    expect(result.pending).toEqual(row.waits ? [FILE] : []);
    // The stamped version moves only when nothing waits.
    expect(project.rc.version).toBe(row.waits ? OLD : NEW);
    expect(project.base.version).toBe(row.waits ? OLD : NEW);
    // A path that waits keeps its base; every other path's moves.
    const nextBase = row.waits ? row.base : row.kind === 'kept' && row.theirs === null ? null : row.theirs;
    expect(project.base.files[FILE]?.contents ?? null).toBe(nextBase);

    // A second run right after the first writes nothing; a restored file is there already.
    const { restore: _restore, ...again } = options as { restore?: string[] };
    const second = await project.regenerate(templates, again);
    expect(second.changes).toEqual([]);
    expect(differences(after, project.snapshot())).toEqual([]);
    expect(second.pending).toEqual(result.pending);
    // Also when it is run without the mode of the first: what was decided stays so.
    const third = await project.regenerate(templates);
    expect(third.changes).toEqual([]);
  });
});

describe('until a decision', () => {
  const conflicting: Row = { base: A, mine: MINE, theirs: THEIRS_SAME_PLACE, result: MINE };
  const dropping: Row = { base: A, mine: MINE, theirs: null, result: MINE };
  const inTheWay: Row = { base: null, mine: MINE, theirs: A, result: MINE };

  async function decided(row: Row, decide: () => void, resolved = true): Promise<UpdateResult> {
    prepare(row);
    const templates = templatesWith(row.theirs === null ? {} : { [FILE]: row.theirs });
    await project.regenerate(templates);
    decide();
    const result = await project.regenerate(templates, resolved ? { resolved: [FILE] } : {});
    const second = await project.regenerate(templates);
    expect(second.changes).toEqual([]);
    expect(second.pending).toEqual(result.pending);
    return result;
  }

  test.each([
    ['a conflict', conflicting, THEIRS_SAME_PLACE],
    ['a file in the way', inTheWay, A],
  ])('%s: --resolved keeps what is on disk, and takes the proposal away', async (_, row, base) => {
    const own = A.replace('two', 'two of both');
    const result = await decided(row, () => project.write(FILE, own));
    expect(result.pending).toEqual([]);
    expect(read(FILE)).toBe(own);
    expect(read(SIDE)).toBeNull();
    expect(project.base.files[FILE]?.contents).toBe(base);
    expect(project.rc.version).toBe(NEW);
  });

  test('a dropped file: --resolved leaves it to the person for good', async () => {
    const result = await decided(dropping, () => {});
    expect(result.pending).toEqual([]);
    expect(read(FILE)).toBe(MINE);
    expect(project.base.files[FILE]).toBeUndefined();
  });

  test.each([
    ['taking theirs', conflicting, () => project.write(FILE, THEIRS_SAME_PLACE), THEIRS_SAME_PLACE],
    ['taking one’s own edit back', conflicting, () => project.write(FILE, A), THEIRS_SAME_PLACE],
    ['deleting the file', conflicting, () => project.delete(FILE), null],
    ['deleting the dropped file', dropping, () => project.delete(FILE), null],
    ['taking the file in the way away', inTheWay, () => project.delete(FILE), A],
  ])('%s is a decision, too', async (_, row, decide, result) => {
    expect((await decided(row, decide, false)).pending).toEqual([]);
    expect(read(FILE)).toBe(result);
    expect(read(SIDE)).toBeNull();
    expect(project.rc.version).toBe(NEW);
  });

  test('a deletion that is resolved stays one, also of a file that was in the way', async () => {
    const result = await decided(inTheWay, () => project.delete(FILE));
    expect(kindsOf(result)[FILE]).toBe('deleted');
    expect(read(FILE)).toBeNull();
  });

  test('what a still newer generator changes is merged with the decision, not lost in it', async () => {
    prepare(conflicting);
    await project.regenerate(templatesWith({ [FILE]: THEIRS_SAME_PLACE }));
    const newer = THEIRS_SAME_PLACE.replace('five', 'five, newer');
    const result = await project.regenerate(templatesWith({ [FILE]: newer }), { resolved: [FILE] });
    expect(result.pending).toEqual([]);
    expect(read(FILE)).toBe(MINE.replace('five', 'five, newer'));
  });

  test('a side file follows the newest proposal, unless a person has edited it', async () => {
    prepare(conflicting);
    await project.regenerate(templatesWith({ [FILE]: THEIRS_SAME_PLACE }));
    const newer = THEIRS_SAME_PLACE.replace('five', 'five, newer');
    await project.regenerate(templatesWith({ [FILE]: newer }));
    expect(read(SIDE)).toBe(newer);
    project.write(SIDE, 'notes of mine\n');
    const newest = THEIRS_SAME_PLACE.replace('five', 'five, newest');
    const result = await project.regenerate(templatesWith({ [FILE]: newest }));
    expect(read(SIDE)).toBe('notes of mine\n');
    expect(result.notes.join()).toContain(SIDE);
    const resolved = await project.regenerate(templatesWith({ [FILE]: newest }), { resolved: [FILE] });
    expect(resolved.pending).toEqual([]);
    expect(read(SIDE)).toBe('notes of mine\n');
  });

  test('a fresh clone knows what waits, and lays the proposal down again', async () => {
    prepare(conflicting);
    const templates = templatesWith({ [FILE]: THEIRS_SAME_PLACE });
    await project.regenerate(templates);
    project.delete(SIDE); // ignored by git, so no clone has it
    const result = await project.regenerate(templates);
    expect(result.pending).toEqual([FILE]);
    expect(read(SIDE)).toBe(THEIRS_SAME_PLACE);
    expect(result.changes.map(({ path }) => path)).toEqual([SIDE]);
  });

  test('markers have to be edited away before they are resolved', async () => {
    prepare(conflicting);
    const templates = templatesWith({ [FILE]: THEIRS_SAME_PLACE });
    await project.regenerate(templates, { conflict: 'markers' });
    await expect(project.regenerate(templates, { resolved: [FILE] })).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining(FILE),
    });
    await project.regenerate(templates, { conflict: 'ours' });
    expect(read(FILE)).toBe(MARKED);
    project.write(FILE, BOTH);
    expect((await project.regenerate(templates, { resolved: [FILE] })).pending).toEqual([]);
  });

  test('decisions about what does not wait and restores of what is not deleted are usage errors', async () => {
    prepare(conflicting);
    const templates = templatesWith({ [FILE]: THEIRS_SAME_PLACE });
    const before = project.snapshot();
    const refused = (options: object) =>
      expect(project.regenerate(templates, options)).rejects.toMatchObject({ exit: 2 });
    await refused({ resolved: [FILE] });
    await refused({ resolved: ['no/such/file'] });
    await refused({ restore: [FILE] });
    await refused({ restore: ['no/such/file'] });
    await refused({ restore: ['../outside'] });
    expect(differences(before, project.snapshot())).toEqual([]);
    // A path may be written as a shell completes it.
    await project.regenerate(templates);
    expect((await project.regenerate(templates, { resolved: [`./${FILE}`] })).pending).toEqual([]);
  });
});
