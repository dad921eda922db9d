import fc from 'fast-check';

/** A change of a text of numbered lines: per line its replacement, which may be empty or have several lines. */
export type Edits = ReadonlyMap<number, readonly string[]>;

/** One file in three versions. Its base has lines `b0`, `b1`…; lines that mine wrote begin with `m`, theirs with `t`. */
export interface ThreeVersions {
  base: string | undefined;
  mine: string | undefined;
  theirs: string | undefined;
  /** What both edits together make, where each is at least one line away from the other. */
  disjoint: string | undefined;
}

const lines = (count: number): string[] => Array.from({ length: count }, (_, index) => `b${index}`);
const join = (list: readonly string[]): string => list.map((line) => `${line}\n`).join('');

/** A line is replaced by up to two lines, or goes, or gets lines behind it. */
const edits = (count: number, author: string): fc.Arbitrary<Edits> =>
  fc.array(fc.tuple(fc.nat(count - 1), fc.constantFrom('replace', 'remove', 'add')), { maxLength: 3 }).map(
    (list) =>
      new Map(
        list.map(([line, kind], index) => {
          const own = `${author}${index} at ${line}`;
          const text = { replace: [own], remove: [], add: [`b${line}`, own, `${own} too`] }[kind];
          return [line, text ?? []] as const;
        }),
      ),
  );

const apply = (count: number, ...all: Edits[]): string =>
  join(lines(count).flatMap((line, index) => all.find((change) => change.has(index))?.get(index) ?? [line]));

const areApart = (mine: Edits, theirs: Edits): boolean =>
  [...mine.keys()].every((a) => [...theirs.keys()].every((b) => Math.abs(a - b) > 1));

const both: fc.Arbitrary<ThreeVersions> = fc.integer({ min: 1, max: 12 }).chain((count) =>
  fc.tuple(edits(count, 'm'), edits(count, 't')).map(([mine, theirs]) => ({
    base: apply(count),
    mine: apply(count, mine),
    theirs: apply(count, theirs),
    disjoint: areApart(mine, theirs) ? apply(count, mine, theirs) : undefined,
  })),
);

const absent: fc.Arbitrary<ThreeVersions> = fc
  .tuple(both, fc.constantFrom('base', 'mine', 'theirs', 'base and mine', 'base and theirs'))
  .map(([versions, gone]) => {
    const without = { ...versions, disjoint: undefined };
    for (const version of ['base', 'mine', 'theirs'] as const) {
      if (gone.includes(version)) without[version] = undefined;
    }
    return without;
  });

/** On disk some files have CRLF line ends, as an editor may leave them. */
const crlf = ({ mine, ...others }: ThreeVersions): ThreeVersions => ({
  ...others,
  mine: mine?.replaceAll('\n', '\r\n'),
});

const file = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: both }, { weight: 2, arbitrary: absent }), fc.nat(7))
  .map(([versions, dice]) => (dice === 0 ? crlf(versions) : versions));

/** Up to four files, also in folders that only one version has. */
export const threeTrees: fc.Arbitrary<ReadonlyMap<string, ThreeVersions>> = fc
  .tuple(
    fc.option(file, { nil: undefined }),
    fc.option(file, { nil: undefined }),
    fc.option(file, { nil: undefined }),
    file,
  )
  .map((files) => {
    const paths = ['a', 'folder/b', 'folder/deeper/c', 'other/d'];
    return new Map(
      paths.flatMap((path, index) => (files[index] ? [[path, files[index] as ThreeVersions]] : [])),
    );
  });
