import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Failure } from '../../../lib/failure/index.js';
import { DockerKeychain } from '../../../lib/kube/images/keychain.js';
import { answers, authEntry, HANGS, HAS_NOTHING, LoginFolder } from './support/credential-helpers.js';

const ECR = '123456789012.dkr.ecr.eu-west-1.amazonaws.com';
const HUB = 'https://index.docker.io/v1/';

describe('logins of Docker’s config.json', () => {
  let logins: LoginFolder;
  beforeEach(() => {
    logins = new LoginFolder();
  });
  afterEach(() => logins.remove());
  const login = (host: string, timeoutMs = 10_000) =>
    new DockerKeychain(logins.env, timeoutMs).credentialFor(host);
  const password = (username: string, secret: string) => ({ kind: 'password', username, password: secret });

  test('[C40] an empty entry in auths does not win over credsStore', async () => {
    logins.addHelper('x', answers('me', 'stored'));
    logins.configure({ auths: { 'r.io': {} }, credsStore: 'x' });
    expect(await login('r.io')).toEqual(password('me', 'stored'));
    logins.configure({ credsStore: 'x' });
    expect(await login('r.io')).toEqual(password('me', 'stored'));
    expect(logins.asked()).toEqual(['x get r.io', 'x get r.io']);
  });

  test('[C40] credHelpers comes before credsStore, and credsStore before auths', async () => {
    logins.addHelper('ecr-login', answers('AWS', 'token'));
    logins.addHelper('store', answers('me', 'stored'));
    const auths = { [ECR]: authEntry('old', 'old'), 'r.io': authEntry('old', 'old') };
    logins.configure({ credHelpers: { [ECR]: 'ecr-login' }, credsStore: 'store', auths });
    expect(await login(ECR)).toEqual(password('AWS', 'token'));
    expect(await login('r.io')).toEqual(password('me', 'stored'));
    expect(logins.asked()).toEqual([`ecr-login get ${ECR}`, 'store get r.io']);
  });

  test('[C40] a helper that is not installed is named, and no login is used in its stead', async () => {
    logins.configure({
      credHelpers: { [ECR]: 'ecr-login' },
      credsStore: 'x',
      auths: { 'r.io': authEntry('a', 'b') },
    });
    for (const [host, helper] of [
      [ECR, 'docker-credential-ecr-login'],
      ['r.io', 'docker-credential-x'],
    ] as const) {
      await expect(login(host)).rejects.toMatchObject({
        name: 'Failure',
        message: expect.stringContaining(helper),
        why: ['there is no such program on the PATH'],
      });
    }
  });

  test('where the store has nothing, auths is asked', async () => {
    logins.addHelper('x', HAS_NOTHING);
    logins.configure({ credsStore: 'x', auths: { 'https://r.io/v1/': authEntry('me', 'a:b') } });
    expect(await login('r.io')).toEqual(password('me', 'a:b'));
    expect(await login('other.io')).toBeUndefined();
    logins.addHelper('x', answers('', ''));
    expect(await login('r.io')).toEqual(password('me', 'a:b'));
  });

  test('each registry’s helper is asked once, however many ask', async () => {
    logins.addHelper('x', answers('me', 'stored'));
    logins.configure({ credsStore: 'x' });
    const keychain = new DockerKeychain(logins.env, 10_000);
    await Promise.all(['r.io', 'r.io', 'R.io', 's.io', 'r.io'].map((host) => keychain.credentialFor(host)));
    await keychain.credentialFor('r.io');
    expect(logins.asked().sort()).toEqual(['x get r.io', 'x get s.io']);
  });

  test('a helper that fails once is not asked again either', async () => {
    logins.addHelper('x', 'echo boom; exit 3');
    logins.configure({ credsStore: 'x' });
    const keychain = new DockerKeychain(logins.env, 10_000);
    for (let i = 0; i < 3; i++) {
      await expect(keychain.credentialFor('r.io')).rejects.toMatchObject({
        why: ['it ended with code 3: boom'],
      });
    }
    expect(logins.asked()).toHaveLength(1);
  });

  test('a helper that hangs is ended, also when its own child keeps the pipe', async () => {
    logins.addHelper('x', HANGS);
    logins.configure({ credsStore: 'x' });
    await expect(login('r.io', 200)).rejects.toMatchObject({ why: ['it gave no answer within 0.2 s'] });
  });

  test.each([
    ['echo not-json', 'its answer is not the JSON of a login'],
    ['echo "{}"', 'its answer is not the JSON of a login'],
    ['kill -9 $$', 'it ended with SIGKILL'],
  ])('a helper that runs %j is a clear failure', async (script, why) => {
    logins.addHelper('x', script);
    logins.configure({ credsStore: 'x' });
    await expect(login('r.io')).rejects.toMatchObject({ name: 'Failure', why: [why] });
  });

  test('a helper’s name cannot lead out of the PATH', async () => {
    for (const credsStore of ['../x', 'x/../y', 'x y', ' ']) {
      logins.configure({ credsStore });
      await expect(login('r.io')).rejects.toMatchObject({ why: ['its name is no program’s name'] });
    }
  });

  test('Docker Hub is found under each of its names', async () => {
    for (const key of [HUB, 'docker.io', 'index.docker.io']) {
      logins.configure({ auths: { [key]: authEntry('me', key) } });
      expect(await login('docker.io')).toEqual(password('me', key));
    }
    logins.addHelper('x', answers('me', 'stored'));
    logins.configure({ credsStore: 'x' });
    await login('docker.io');
    expect(logins.asked()).toEqual([`x get ${HUB}`]);
  });

  test('identity and registry tokens are told from passwords', async () => {
    logins.addHelper('x', answers('<token>', 'refresh'));
    logins.configure({
      credHelpers: { 'h.io': 'x' },
      auths: { 'i.io': { identitytoken: 'i' }, 'r.io': { registrytoken: 'r' } },
    });
    expect(await login('h.io')).toEqual({ kind: 'identity-token', token: 'refresh' });
    expect(await login('i.io')).toEqual({ kind: 'identity-token', token: 'i' });
    expect(await login('r.io')).toEqual({ kind: 'registry-token', token: 'r' });
  });

  test('an entry may hold the user name and the password as they are', async () => {
    logins.configure({ auths: { 'r.io:5000': { username: 'u', password: 'p' } } });
    expect(await login('r.io:5000')).toEqual(password('u', 'p'));
    expect(await login('r.io')).toBeUndefined();
  });

  test('without DOCKER_CONFIG the file is ~/.docker/config.json, and without a file there is no login', async () => {
    const home = join(logins.dockerConfig, 'home');
    expect(await new DockerKeychain({ HOME: home }, 10_000).credentialFor('r.io')).toBeUndefined();
    mkdirSync(join(home, '.docker'), { recursive: true });
    writeFileSync(
      join(home, '.docker', 'config.json'),
      JSON.stringify({ auths: { 'r.io': authEntry('u', 'p') } }),
    );
    expect(await new DockerKeychain({ HOME: home }, 10_000).credentialFor('r.io')).toEqual(
      password('u', 'p'),
    );
  });

  test.each([
    ['{"auths": {"r.io": {"auth": "hunter2', 'it is not JSON'],
    ['[]', 'it is no JSON object'],
    ['{"auths": []}', "'auths' is no map"],
    ['{"credHelpers": "x"}', "'credHelpers' is no map"],
    ['{"credsStore": 1}', "'credsStore' is no text"],
    ['{"auths": {"r.io": {"auth": "aHVudGVyMg=="}}}', "'auth' of 'r.io'"],
  ])('%s is refused, and no secret is shown', async (text, why) => {
    logins.configure(text);
    const failure: unknown = await login('r.io').catch((error: unknown) => error);
    const message = failure instanceof Failure ? failure.lines().join('\n') : '';
    expect(message).toContain(logins.file);
    expect(message).toContain(why);
    expect(message).not.toContain('hunter2');
  });
});
