import { afterEach, describe, expect, test } from '@jest/globals';
import { packageTemplates } from '../../lib/project/index.js';
import { asTarget, MANIFEST, other, otherCatalog, target } from './support/catalogs.js';
import { differences, edited, kindsOf, templatesWith, UpdatedProject } from './support/updated-project.js';

let project: UpdatedProject;
afterEach(() => project.remove());

describe('descriptors', () => {
  const EDITED = [
    MANIFEST,
    'do/lib/targets.sh',
    'do/lib/targets-guidance.sh',
    'do/README.md',
    'do/config',
  ] as const;

  test('a person’s edit is kept, and what derives from it follows', async () => {
    project = new UpdatedProject();
    const pristine = project.read(MANIFEST);
    const own = { ...JSON.parse(pristine), aliases: [...target.aliases, 'my-alias'], summary: 'Mine' };
    project.write(MANIFEST, `${JSON.stringify(own, null, 2)}\n`);
    const result = await project.regenerate();
    expect(kindsOf(result)[MANIFEST]).toBe('kept');
    expect(project.read('do/lib/targets.sh')).toContain('my-alias');
    expect(project.read('do/README.md')).toContain('Mine');
    // The base keeps what the package has, so that the package's next change can be told from the person's.
    expect(project.base.files[MANIFEST]?.contents).toBe(pristine);
    expect((await project.regenerate()).changes).toEqual([]);
    expect(EDITED.filter((path) => !project.has(path))).toEqual([]);
  });

  test('an edit and a newer descriptor are merged, and both reach what derives', async () => {
    project = new UpdatedProject({ catalog: otherCatalog(() => {}) });
    project.edit(MANIFEST, edited(/"summary": "[^"]*"/, '"summary": "Mine"'));
    const before = project.read('do/lib/targets.sh');
    const newer = otherCatalog((manifest) => {
      const allowed = manifest.verbs as Record<string, boolean>;
      manifest.verbs = { ...allowed, draft: !allowed.draft };
    });
    const result = await project.regenerate(packageTemplates(), { catalog: newer });
    expect(result.pending).toEqual([]);
    expect(kindsOf(result)[MANIFEST]).toBe('merge');
    expect(project.read('do/README.md')).toContain('Mine');
    expect(project.read('do/lib/targets.sh')).not.toBe(before);
    const second = await project.regenerate(packageTemplates(), { catalog: newer });
    expect(second.changes).toEqual([]);
  });

  test.each([
    ['side-file', 'Mine', true],
    ['ours', 'Mine', false],
    ['theirs', 'Newer', false],
  ] as const)(
    'a conflict in a descriptor, %s: everything derives from what is on disk afterwards',
    async (mode, summary, waits) => {
      project = new UpdatedProject();
      project.edit(MANIFEST, edited(/"summary": "[^"]*"/, '"summary": "Mine"'));
      const newer = otherCatalog((manifest) => {
        manifest.summary = 'Newer';
      });
      const result = await project.regenerate(packageTemplates(), { catalog: newer, conflict: mode });
      expect(result.pending).toEqual(waits ? [MANIFEST] : []);
      expect(JSON.parse(project.read(MANIFEST)).summary).toBe(summary);
      expect(project.read('do/README.md')).toContain(summary);
      const second = await project.regenerate(packageTemplates(), { catalog: newer });
      expect(second.changes).toEqual([]);
    },
  );

  test('two edits that fit as text but make a faulty descriptor are a conflict, not a stop', async () => {
    const lone = target.aliases[0] ?? 'lone-alias';
    const before = otherCatalog((manifest) => {
      manifest.aliases = [lone];
    });
    project = new UpdatedProject({ catalog: before });
    // Mine guides away from a verb that theirs begins to support: each is fine, both together are a fault.
    const verb = Object.entries(target.verbs).find(([, allowed]) => !allowed)?.[0] ?? '';
    project.edit(MANIFEST, (text) => {
      const own = JSON.parse(text);
      own.verb_guidance = { ...own.verb_guidance, [verb]: 'Do it by hand.' };
      return `${JSON.stringify(own, null, 2)}\n`;
    });
    const newer = otherCatalog((manifest) => {
      manifest.aliases = [lone];
      manifest.verbs = { ...(manifest.verbs as object), [verb]: true };
      delete manifest.verb_guidance;
    });
    const result = await project.regenerate(packageTemplates(), { catalog: newer });
    expect(result.pending).toEqual([MANIFEST]);
    expect(project.read('do/lib/targets-guidance.sh')).toContain('Do it by hand.');
  });

  test('a faulty edit is named with its file, and nothing is changed', async () => {
    project = new UpdatedProject();
    project.edit(MANIFEST, edited('"family"', '"famly"'));
    const before = project.snapshot();
    await expect(project.regenerate()).rejects.toMatchObject({
      exit: 1,
      why: expect.arrayContaining([expect.stringContaining(`do/targets.d/${target.target}`)]),
    });
    expect(differences(before, project.snapshot())).toEqual([]);
  });

  test('a deleted target stays deleted with all that derives from it; --restore brings it back', async () => {
    project = new UpdatedProject({ answers: { deploymentTarget: other.target } });
    project.delete(`do/targets.d/${target.target}`);
    await project.regenerate();
    await project.regenerate();
    expect(project.has(MANIFEST)).toBe(false);
    expect(project.read('do/lib/targets.sh')).not.toContain(`${target.target} `);
    await project.regenerate(packageTemplates(), { restore: [MANIFEST] });
    expect(project.read('do/lib/targets.sh')).toContain(`${target.target} `);
  });

  test.each([
    ['the target', (name: string) => [`do/targets.d/${name}`]],
    ['the engine', (_: string, engine: string) => [`do/serve.d/${engine}`]],
    ['every target', () => ['do/targets.d']],
    ['every engine', () => ['do/serve.d']],
  ])('%s of the project, deleted: it says how to bring it back', async (_, folders) => {
    project = new UpdatedProject();
    const { deploymentTarget = '', engine = '' } = project.rc.answers;
    const deleted = folders(deploymentTarget, engine);
    for (const folder of deleted) project.delete(folder);
    const before = project.snapshot();
    const failure = await project.regenerate().catch((error) => error);
    expect(failure).toMatchObject({ name: 'Failure', exit: 2 });
    const restore = [...failure.next.matchAll(/--restore (\S+?)[ ;]/g)].map(([, path]) => path);
    expect(restore.length).toBeGreaterThan(0);
    expect(differences(before, project.snapshot())).toEqual([]);
    await project.regenerate(packageTemplates(), { restore });
    for (const path of restore) expect(project.has(path)).toBe(true);
    expect((await project.regenerate()).changes).toEqual([]);
  });

  test('the shared variables are merged the same way; without them the package’s count', async () => {
    const path = 'do/targets.d/variables.json';
    project = new UpdatedProject();
    project.edit(path, edited('Longest wait for a deployment', 'Longest patience with a deployment'));
    await project.regenerate();
    expect(project.read('do/config')).toContain('# Longest patience with a deployment');
    expect(project.read(path)).toContain('Longest patience');
    expect((await project.regenerate()).changes).toEqual([]);
    project.delete(path);
    await project.regenerate();
    expect(project.has(path)).toBe(false);
    expect(project.read('do/config')).toContain('# Longest wait for a deployment');
  });

  test('a target whose script a person deleted stops nothing', async () => {
    project = new UpdatedProject({ answers: { deploymentTarget: other.target } });
    project.delete(`do/clean.d/${target.target}`);
    const result = await project.regenerate();
    expect(kindsOf(result)[`do/clean.d/${target.target}`]).toBe('deleted');
    expect(project.read('do/lib/targets.sh')).toContain(target.target);
  });

  test('a new target of the package arrives', async () => {
    project = new UpdatedProject();
    const newer = otherCatalog(asTarget('brand-new', 'BRANDNEW'), 'brand-new');
    await project.regenerate(packageTemplates(), { catalog: newer });
    expect(project.has('do/targets.d/brand-new/manifest.json')).toBe(true);
    expect(project.isExecutable('do/deploy.d/brand-new')).toBe(true);
    expect(project.read('do/lib/targets.sh')).toContain('brand-new');
    expect(project.config().has('DEPLOYMENT_TARGET_BRANDNEW_STATUS')).toBe(true);
  });
});

describe('targets that the package does not have', () => {
  const NAME = 'own-target';
  const OWN = `do/targets.d/${NAME}/manifest.json`;
  const withOwn = () => otherCatalog(asTarget(NAME, 'OWN'), NAME);

  /** A project into which a person has laid a target. */
  function projectWithOwn(): void {
    project = new UpdatedProject();
    const own = withOwn().targets.find(({ manifest }) => manifest.target === NAME);
    project.write(OWN, own?.manifestText ?? '');
    project.write(`do/deploy.d/${NAME}`, own?.deploy ?? '', 0o755);
    project.write(`do/clean.d/${NAME}`, own?.clean ?? '', 0o755);
    project.write(`do/targets.d/${NAME}/files/model.bin`, '\xff');
    project.write('do/targets.d/.manifest.json.swp', '\xff\xfe');
  }

  test('a project’s own target is kept, and everything derived includes it', async () => {
    projectWithOwn();
    const before = project.snapshot();
    await project.regenerate();
    expect(project.read('do/lib/targets.sh')).toContain(NAME);
    expect(project.read('do/README.md')).toContain(NAME);
    expect(project.config().has('DEPLOYMENT_TARGET_OWN_STATUS')).toBe(true);
    const own = (path: string) => path.includes(NAME);
    expect(differences(before, project.snapshot()).filter(own)).toEqual([]);
    expect(Object.keys(project.base.files).filter(own)).toEqual([]);
    expect((await project.regenerate()).changes).toEqual([]);
    // Its state is state like that of any target.
    await project.set('DEPLOYMENT_TARGET_OWN_STATUS', 'Running');
    await project.regenerate(templatesWith({ 'do/status': edited('live state', 'living state') }));
    expect(project.config().get('DEPLOYMENT_TARGET_OWN_STATUS')).toBe('Running');
    // When it is deleted, what derives from it goes.
    project.delete(`do/targets.d/${NAME}`);
    await project.regenerate();
    expect(project.read('do/lib/targets.sh')).not.toContain(NAME);
  });

  test('one that the package dropped goes, when nobody uses or edited it', async () => {
    project = new UpdatedProject({ catalog: withOwn() });
    expect(project.has(OWN)).toBe(true);
    const result = await project.regenerate();
    expect(kindsOf(result)[OWN]).toBe('remove');
    expect(project.has(`do/targets.d/${NAME}`)).toBe(false);
    expect(project.has(`do/deploy.d/${NAME}`)).toBe(false);
    expect(project.read('do/lib/targets.sh')).not.toContain(NAME);
    expect(project.config().has('DEPLOYMENT_TARGET_OWN_STATUS')).toBe(false);
  });

  test.each([
    ['is the project’s target', () => project.set('DEPLOYMENT_TARGET', NAME)],
    ['is recorded as deployed', () => project.set('DEPLOYMENT_TARGET_OWN_STATUS', 'Failed')],
  ])('one that the package dropped stays as the project’s own where it %s', async (_, use) => {
    project = new UpdatedProject({ catalog: withOwn() });
    await use();
    const result = await project.regenerate();
    expect(result.pending).toEqual([]);
    expect(result.notes.join()).toContain(`do/targets.d/${NAME}`);
    expect(project.has(`do/deploy.d/${NAME}`)).toBe(true);
    expect(project.read('do/lib/targets.sh')).toContain(NAME);
    expect(project.config().has('DEPLOYMENT_TARGET_OWN_STATUS')).toBe(true);
    expect(await project.regenerate()).toMatchObject({ changes: [], notes: [] });
  });

  test('one that the package dropped and a person edited stays whole, and waits for a decision', async () => {
    project = new UpdatedProject({ catalog: withOwn() });
    const script = `do/deploy.d/${NAME}`;
    project.edit(script, (text) => `${text}# mine\n`);
    const result = await project.regenerate();
    expect(result.pending).toEqual([script]);
    expect(project.has(OWN)).toBe(true);
    expect(project.has(`do/clean.d/${NAME}`)).toBe(true);
    expect(project.read('do/lib/targets.sh')).toContain(NAME);
    expect((await project.regenerate()).changes).toEqual([]);
    expect((await project.regenerate(packageTemplates(), { resolved: [script] })).pending).toEqual([]);
    expect(project.has(OWN)).toBe(true);
    expect((await project.regenerate()).changes).toEqual([]);
  });
});
