import { afterEach, describe, expect, test } from '@jest/globals';
import { type Catalog, runtimeOwned } from '../../lib/catalog/index.js';
import { packageTemplates } from '../../lib/project/index.js';
import { target } from './support/catalogs.js';
import {
  catalog,
  differences,
  edited,
  kindsOf,
  NEW,
  OLD,
  templatesWith,
  UpdatedProject,
} from './support/updated-project.js';

let project: UpdatedProject;
afterEach(() => project.remove());

describe('what people and scripts wrote survives', () => {
  test('[C19] [C24] state, engine and draft variables, own lines with comments, edits of scripts and the Dockerfile', async () => {
    const older = templatesWith({
      'do/status': edited('recorded and live state', 'state'),
      'Dockerfile.ejs': edited('EXPOSE 8080', 'EXPOSE 8081'),
    });
    project = new UpdatedProject({ templates: older });
    const engineVariables = catalog.engines.flatMap(({ manifest }) =>
      Object.values(manifest.dimension_map ?? {}).map((suffix) => `${manifest.env_var_prefix}${suffix}`),
    );
    expect(engineVariables).toContain('SGLANG_TP_SIZE');
    const written = new Map<string, string>([
      [target.status_var, target.success_status],
      ...target.runtime_owned_vars.map((key) => [key, `$(touch MARKER) of ${key}`] as const),
      ...engineVariables.map((key) => [key, `it's \`${key}\``] as const),
      ['HP_SPECULATIVE_MODEL', 'a/draft&model\\1'],
    ]);
    for (const [key, value] of written) await project.set(key, value);
    project.edit('do/config', (text) => `${text}# whose it is\nexport MY_TEAM="abc"  # ask them\n`);
    project.edit('do/status', edited('AS_JSON=no\n', 'AS_JSON=no\nMY_OWN=yes\n'));
    project.edit(
      'Dockerfile',
      edited('COPY code/ /opt/mlcc/\n', 'COPY code/ /opt/mlcc/\nRUN pip install mine\n'),
    );
    project.write('notes.txt', 'untracked\n');
    const before = project.read('do/config');

    const result = await project.regenerate();
    expect(result.pending).toEqual([]);
    expect(project.rc.version).toBe(NEW);
    expect(project.read('do/config')).toBe(before);
    for (const [key, value] of written) expect(project.config().get(key)).toBe(value);
    expect(project.read('do/status')).toContain('recorded and live state');
    expect(project.read('do/status')).toContain('MY_OWN=yes\n');
    expect(project.read('Dockerfile')).toContain('EXPOSE 8080');
    expect(project.read('Dockerfile')).toContain('RUN pip install mine\n');
    expect(project.read('notes.txt')).toBe('untracked\n');
    expect(kindsOf(result)).toMatchObject({ 'do/status': 'merge', Dockerfile: 'merge' });
  });

  test('every runtime-owned variable of every descriptor, engine and the shared list', async () => {
    project = new UpdatedProject();
    const names = [...runtimeOwned(catalog)];
    project.edit(
      'do/config',
      (text) => `${text}${names.map((name) => `export ${name}="value of ${name}" # note\n`).join('')}`,
    );
    const changed = templatesWith({ 'do/status': edited('live state', 'living state') });
    await project.regenerate(changed);
    for (const name of names) {
      expect(project.read('do/config')).toContain(`export ${name}="value of ${name}" # note\n`);
    }
  });

  test('[C01] values with the patterns of a replacement text are merged byte for byte', async () => {
    const values = ["x$&y$$z$1$'", 'a&b', 'x\\|y', 'C:\\new', 'p\\2q', 's3://b/p', '`id`'];
    project = new UpdatedProject();
    for (const [index, value] of values.entries()) await project.set(`NOTE_${index}`, value);
    await project.set('PROJECT_DESCRIPTION', values[0] ?? '');
    await project.regenerate(templatesWith({ 'do/status': edited('live state', 'living state') }));
    for (const [index, value] of values.entries()) expect(project.config().get(`NOTE_${index}`)).toBe(value);
    expect(project.config().get('PROJECT_DESCRIPTION')).toBe(values[0]);
    expect(project.rc.answers.description).toBe(values[0]);
  });

  test('[C06] a key that is missing stays a default, and a status line comes back', async () => {
    project = new UpdatedProject();
    project.edit('do/config', edited(/^export DEPLOY_TIMEOUT=.*\n/m, ''));
    project.edit('do/config', edited(new RegExp(`^export ${target.status_var}=.*\n`, 'm'), ''));
    await project.regenerate();
    expect(project.config().has('DEPLOY_TIMEOUT')).toBe(false);
    expect(project.config().get(target.status_var)).toBe('');
    expect((await project.regenerate()).changes).toEqual([]);
  });
});

test('lines of do/config that are no plain settings stay, and are named each time', async () => {
  project = new UpdatedProject();
  project.edit(
    'do/config',
    (text) => `${text}export NOTE='two\nlines'\nif true; then :; fi\nexport DEPLOY_TIMEOUT='77'\n`,
  );
  const before = project.read('do/config');
  const lines = before.split('\n').length;
  for (const _ of ['the first time', 'and again']) {
    const { notes } = await project.regenerate();
    expect(project.read('do/config')).toBe(before);
    expect(notes).toEqual(
      expect.arrayContaining([
        expect.stringMatching(new RegExp(`line ${lines - 4}: the value of NOTE spans lines`)),
        expect.stringMatching(new RegExp(`line ${lines - 2} is no setting`)),
        expect.stringMatching(new RegExp(`sets DEPLOY_TIMEOUT again in line ${lines - 1}`)),
      ]),
    );
  }
  expect(project.rc.answers.deployTimeout).toBe('77');
});

describe('answers', () => {
  test('[C20] a changed setting is an answer; a changed default is reported, not applied', async () => {
    project = new UpdatedProject();
    await project.set('INSTANCE_TYPE', 'ml.g5.12xlarge');
    const newer: Catalog = {
      ...catalog,
      variables: {
        ...catalog.variables,
        INSTANCE_TYPE: { ...catalog.variables.INSTANCE_TYPE, default: 'ml.g6.2xlarge' } as never,
        DEPLOY_TIMEOUT: { ...catalog.variables.DEPLOY_TIMEOUT, default: '7200' } as never,
      },
    };
    const result = await project.regenerate(packageTemplates(), { catalog: newer });
    expect(project.config().get('INSTANCE_TYPE')).toBe('ml.g5.12xlarge');
    expect(project.rc.answers.instanceType).toBe('ml.g5.12xlarge');
    expect(project.config().get('DEPLOY_TIMEOUT')).toBe('3600');
    const notes = result.notes.join('\n');
    expect(notes).toContain('INSTANCE_TYPE was changed in do/config');
    expect(notes).toContain('default of instanceType is "ml.g6.2xlarge" now');
    expect(notes).toContain('default of deployTimeout is "7200" now; this project keeps "3600"');
    // What was said once is not said again, and the answer stays one.
    const second = await project.regenerate(packageTemplates(), { catalog: newer });
    expect(second).toMatchObject({ changes: [], notes: [] });
    expect(project.rc.answers.instanceType).toBe('ml.g5.12xlarge');
  });

  test('an answer changes what is rendered from it', async () => {
    project = new UpdatedProject();
    await project.set('BASE_IMAGE', 'example.com/mine:1');
    await project.regenerate();
    expect(project.read('Dockerfile')).toContain('example.com/mine:1');
  });

  test('an old spelling is taken over, and an alias becomes the target’s name', async () => {
    const withAlias = catalog.targets.find(({ manifest }) => manifest.aliases.length > 0)?.manifest;
    if (!withAlias) throw new Error('no target has an alias');
    project = new UpdatedProject();
    project.edit('do/config', (text) => `${text}export REGION='eu-west-1'\n`);
    await project.set('DEPLOYMENT_TARGET', withAlias.aliases[0] ?? '');
    const result = await project.regenerate();
    expect(project.config().get('AWS_REGION')).toBe('eu-west-1');
    expect(project.config().get('DEPLOYMENT_TARGET')).toBe(withAlias.target);
    expect(project.rc.answers).toMatchObject({ awsRegion: 'eu-west-1', deploymentTarget: withAlias.target });
    expect(result.notes.join('\n')).toContain('REGION is called AWS_REGION now');
    expect((await project.regenerate()).changes).toEqual([]);
  });

  test('a setting that is not allowed stops everything and names the line to mend', async () => {
    project = new UpdatedProject();
    await project.set('INSTANCE_TYPE', 'a big one');
    const before = project.snapshot();
    await expect(project.regenerate()).rejects.toMatchObject({
      exit: 2,
      why: [expect.stringContaining('--instance-type: found "a big one"')],
      next: expect.stringContaining('do/config'),
    });
    expect(differences(before, project.snapshot())).toEqual([]);
  });

  test('a runtime-owned value never becomes an answer', async () => {
    project = new UpdatedProject();
    const before = project.rc.answers.endpointName;
    await project.set('ENDPOINT_NAME', 'demo-1234');
    await project.regenerate();
    expect(project.rc.answers.endpointName).toBe(before);
    expect(project.config().get('ENDPOINT_NAME')).toBe('demo-1234');
  });

  test('what other tools keep in .yo-rc.json stays', async () => {
    project = new UpdatedProject();
    project.edit('.yo-rc.json', (text) => {
      const data = JSON.parse(text);
      data['generator-mlcc'].theirs = { a: 1 };
      return JSON.stringify({ 'generator-other': { b: 2 }, ...data });
    });
    const before = project.read('.yo-rc.json');
    await project.regenerate(packageTemplates(), { version: OLD });
    expect(project.read('.yo-rc.json')).toBe(before);
    await project.regenerate();
    const data = JSON.parse(project.read('.yo-rc.json'));
    expect(data['generator-other']).toEqual({ b: 2 });
    expect(data['generator-mlcc']).toMatchObject({ theirs: { a: 1 }, version: NEW });
  });
});
