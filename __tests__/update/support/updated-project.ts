import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type Catalog, loadCatalog } from '../../../lib/catalog/index.js';
import { type ConfigDocument, parseConfig, setConfigValue } from '../../../lib/config/index.js';
import { type Answers, packageTemplates, render, type Templates } from '../../../lib/project/index.js';
import { type RegenerateOptions, regenerate, type UpdateResult } from '../../../lib/update/index.js';
import { writeTree } from '../../support/project.js';

export const OLD = '1.0.0';
export const NEW = '2.0.0';
export const catalog = loadCatalog();

type TemplateChange = string | null | ((text: string) => string);

/** The package's templates with some changed: another text, an edit of the text, or none (null). */
export function templatesWith(changes: Readonly<Record<string, TemplateChange>>): Templates {
  const templates = new Map(packageTemplates());
  for (const [path, change] of Object.entries(changes)) {
    if (change === null) templates.delete(path);
    else if (typeof change === 'string') templates.set(path, change);
    else {
      const before = templates.get(path);
      if (before === undefined) throw new Error(`no template ${path}`);
      templates.set(path, change(before));
    }
  }
  return templates;
}

/** Edits a text, and fails where the edit does nothing. */
export const edited =
  (from: string | RegExp, to: string) =>
  (text: string): string => {
    const after = text.replace(from, () => to);
    if (after === text) throw new Error(`nothing to edit: ${from}`);
    return after;
  };

/** Path -> what a run must not change when it has nothing to do. */
export type Snapshot = Record<string, { contents: string; mode: number; changed: bigint }>;

/** A project that an older generator made, in a temporary folder. */
export class UpdatedProject {
  readonly dir: string;
  readonly #root: string;

  constructor(
    options: {
      templates?: Templates;
      answers?: Answers;
      catalog?: Catalog;
      version?: string;
    } = {},
  ) {
    this.#root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-updated-')));
    this.dir = join(this.#root, 'a project');
    const { templates = packageTemplates(), version = OLD } = options;
    const answers = { projectName: 'demo', ...options.answers };
    writeTree(this.dir, render(answers, options.catalog ?? catalog, { templates, version }));
  }

  path = (name: string): string => join(this.dir, name);
  read = (name: string): string => readFileSync(this.path(name), 'utf8');
  has = (name: string): boolean => existsSync(this.path(name));
  isExecutable = (name: string): boolean => (statSync(this.path(name)).mode & 0o100) !== 0;
  delete = (name: string): void => rmSync(this.path(name), { recursive: true });

  write(name: string, contents: string, mode?: number): void {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), contents);
    if (mode !== undefined) chmodSync(this.path(name), mode);
  }

  edit(name: string, change: (text: string) => string): void {
    this.write(name, change(this.read(name)));
  }

  config = (): ConfigDocument => parseConfig(this.read('do/config'));
  set = (key: string, value: string): Promise<void> => setConfigValue(this.path('do/config'), key, value);

  get rc(): { version: string; answers: Record<string, string> } {
    return JSON.parse(this.read('.yo-rc.json'))['generator-mlcc'];
  }

  get base(): {
    version: string;
    files: Record<string, { contents: string }>;
    pending: Record<string, { contents: string } | null>;
  } {
    return JSON.parse(this.read('.mlcc/base.json'));
  }

  /** A regenerate by a newer generator, with the given templates. */
  regenerate(
    templates: Templates = packageTemplates(),
    options: Partial<RegenerateOptions> & { version?: string } = {},
  ): Promise<UpdateResult> {
    const { version = NEW, ...rest } = options;
    return regenerate(this.dir, { catalog, source: { templates, version }, ...rest });
  }

  snapshot(): Snapshot {
    return snapshotOf(this.dir);
  }

  remove = (): void => rmSync(this.#root, { recursive: true, force: true });
}

/** Everything below a folder but the owner file of a lock that was held. */
export function snapshotOf(dir: string): Snapshot {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name !== 'config.owner')
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  return Object.fromEntries(
    files.map((file) => {
      const stat = lstatSync(file, { bigint: true });
      const { mode, mtimeNs } = stat;
      const contents = stat.isSymbolicLink() ? `-> ${readlinkSync(file)}` : readFileSync(file, 'utf8');
      return [file.slice(dir.length + 1), { contents, mode: Number(mode), changed: mtimeNs }];
    }),
  );
}

/** The kinds of a result's entries by path. */
export const kindsOf = ({ entries }: UpdateResult): Record<string, string> =>
  Object.fromEntries(entries.map(({ path, kind }) => [path, kind]));

/** The paths at which two snapshots differ. */
export function differences(before: Snapshot, after: Snapshot): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths]
    .filter(
      (path) =>
        before[path]?.changed !== after[path]?.changed || before[path]?.contents !== after[path]?.contents,
    )
    .sort();
}
