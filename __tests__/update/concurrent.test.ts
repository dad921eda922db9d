import { afterAll, afterEach, expect, test } from '@jest/globals';
import { runtimeOwned } from '../../lib/catalog/index.js';
import { withConfigLock } from '../../lib/config/index.js';
import { packageTemplates } from '../../lib/project/index.js';
import type { UpdateResult } from '../../lib/update/index.js';
import { stageJournal } from '../../lib/update/journal.js';
import { LANGUAGES, type Language, Writers } from '../config/support/writers.js';
import { target } from './support/catalogs.js';
import { catalog, edited, NEW, templatesWith, UpdatedProject } from './support/updated-project.js';

const writers = new Writers();
let project: UpdatedProject;
afterEach(() => project.remove());
afterAll(() => writers.remove());

const older = () => templatesWith({ 'do/status': edited('live state', 'living state') });
const removeStatusLine = () =>
  project.edit('do/config', edited(new RegExp(`^export ${target.status_var}=.*\n`, 'm'), ''));

test('[C05] 40 writers of 40 keys in three languages and one regenerate: all 40 are kept, and so is the new render', async () => {
  project = new UpdatedProject({ templates: older() });
  removeStatusLine();
  const state = [...runtimeOwned(catalog)].filter((key) => key !== target.status_var).slice(0, 20);
  const keys = [...state, ...Array.from({ length: 20 }, (_, index) => `MY_KEY_${index}`)];
  const value = (key: string) => `value of ${key} & $1`;
  const writing = keys.map((key, index) =>
    writers.run(
      writers.command(LANGUAGES[index % 3] as Language, project.path('do/config'), key, value(key)),
    ),
  );
  // In the middle of the writing.
  await Promise.race(writing);
  const result = await project.regenerate();
  expect((await Promise.all(writing)).filter(({ code }) => code !== 0)).toEqual([]);

  expect(result.pending).toEqual([]);
  for (const key of keys) expect(project.config().get(key)).toBe(value(key));
  expect(project.config().get(target.status_var)).toBe('');
  expect(project.read('do/status')).toContain('live state');
  expect(project.rc.version).toBe(NEW);
  expect((await project.regenerate()).changes).toEqual([]);
});

test('a setting that is written while regenerate waits for the lock is an answer, not lost', async () => {
  project = new UpdatedProject({ templates: older() });
  let regenerating: Promise<unknown> = Promise.resolve();
  await withConfigLock(project.path('do/config'), async ({ text, replace }) => {
    regenerating = project.regenerate();
    // Regenerate has decided from the old text by now, and waits.
    await new Promise((resolve) => setTimeout(resolve, 50));
    replace(text.replace(/^export DEPLOY_TIMEOUT=.*$/m, "export DEPLOY_TIMEOUT='77'"));
  });
  await regenerating;
  expect(project.config().get('DEPLOY_TIMEOUT')).toBe('77');
  expect(project.rc.answers.deployTimeout).toBe('77');
  expect(project.read('do/status')).toContain('live state');
});

test('several at once: one does it, the others find nothing left to do', async () => {
  project = new UpdatedProject({ templates: older() });
  const results = await Promise.all([1, 2, 3].map(() => project.regenerate()));
  expect(results.filter(({ changes }) => changes.length > 0)).toHaveLength(1);
  expect(project.rc.version).toBe(NEW);
  expect((await project.regenerate()).changes).toEqual([]);
});

test('an update that is killed while regenerate waits for its lock is completed, too', async () => {
  project = new UpdatedProject({ templates: older() });
  let regenerating: Promise<UpdateResult> | undefined;
  await withConfigLock(project.path('do/config'), async () => {
    regenerating = project.regenerate();
    await new Promise((resolve) => setTimeout(resolve, 50));
    const after = { contents: 'new\n', executable: false };
    stageJournal(project.dir, [{ path: 'NEW.txt', before: undefined, after }]);
  });
  expect((await regenerating)?.notes).toContain('an interrupted update was completed first');
  expect(project.read('NEW.txt')).toBe('new\n');
  expect(project.read('do/status')).toContain('live state');
});

test('a writer that was killed with the lock delays regenerate by seconds, not for ever', async () => {
  project = new UpdatedProject({ templates: older() });
  const holder = writers.start(writers.command('Python', project.path('do/config'), 'K', 'v', '', 'hold'));
  await new Promise((resolve) => holder.stdout?.once('data', resolve));
  holder.kill('SIGKILL');
  await project.regenerate(packageTemplates());
  expect(project.rc.version).toBe(NEW);
}, 20_000);
