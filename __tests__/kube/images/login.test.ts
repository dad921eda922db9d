import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { pinImages } from '../../../lib/kube/images/index.js';
import { CERTIFICATE_PROGRAM, TestAuthority } from '../../support/certificates.js';
import { PUSH_PROGRAM, type PushedImage, pushImage } from '../../support/images.js';
import { describeWithPrograms } from '../../support/programs.js';
import { REGISTRY_LOGIN, REGISTRY_PROGRAM, type Registry, startRegistry } from '../../support/registry.js';
import { answers, authEntry, LoginFolder } from './support/credential-helpers.js';
import { type Recorder, record } from './support/http-servers.js';
import { startTokenServer, type TokenServer } from './support/token-server.js';

const { username, password } = REGISTRY_LOGIN;
const BASIC = `Basic ${authEntry(username, password).auth}`;
const PLATFORM = { os: 'linux', architecture: 'amd64' };

describeWithPrograms(
  [REGISTRY_PROGRAM, PUSH_PROGRAM, CERTIFICATE_PROGRAM],
  'registries that ask for a login',
  () => {
    let open: Registry;
    let image: PushedImage;
    let logins: LoginFolder;
    let front: Recorder;

    beforeAll(async () => {
      open = await startRegistry();
      image = await pushImage(`${open.host}/team/a:v1`, [PLATFORM]);
      await pushImage(`${open.host}/team/b:v1`, [PLATFORM]);
      await pushImage(`${open.host}/team/a:v2`, [PLATFORM]);
    });
    afterAll(() => open?.stop());
    beforeEach(() => {
      logins = new LoginFolder();
    });
    afterEach(() => logins.remove());

    function pin(paths: readonly string[], platform?: string) {
      const registries = { [front.host]: { insecure: true } };
      return pinImages(
        paths.map((path) => `${front.host}/${path}`),
        { registries, platform, env: logins.env },
      );
    }

    describe('by Basic', () => {
      let registry: Registry;
      beforeAll(async () => {
        registry = await startRegistry({ storage: open.storage, basicAuth: true });
      });
      afterAll(() => registry?.stop());
      beforeEach(async () => {
        front = await record(registry);
      });
      afterEach(() => front.stop());

      test('the login of config.json opens it, for manifests and configurations', async () => {
        logins.configure({ auths: { [front.host]: authEntry(username, password) } });
        const pinned = await pin(['team/a:v1'], 'linux/amd64');
        expect([...pinned.values()]).toEqual([`${front.host}/team/a:v1@${image.digest}`]);
        expect(front.succeeded('HEAD')).toHaveLength(1);
      });

      test('a credential helper is asked once for all images of a registry', async () => {
        logins.addHelper('counting', answers(username, password));
        logins.configure({ credHelpers: { [front.host]: 'counting' } });
        expect((await pin(['team/a:v1', 'team/a:v2', 'team/b:v1'])).size).toBe(3);
        expect(logins.asked()).toEqual([`counting get ${front.host}`]);
        expect(front.succeeded('HEAD').sort()).toEqual([
          'HEAD /v2/team/a/manifests/v1',
          'HEAD /v2/team/a/manifests/v2',
          'HEAD /v2/team/b/manifests/v1',
        ]);
      });

      test('without a login it is said once which is missing and how to log in', async () => {
        await expect(pin(['team/a:v1', 'team/b:v1'])).rejects.toMatchObject({
          message: `${front.host} asks for a login`,
          why: [expect.stringContaining(logins.file)],
          next: `Log in with: docker login ${front.host}`,
        });
      });

      test('a wrong password is said to be refused, and is not shown', async () => {
        logins.configure({ auths: { [front.host]: authEntry(username, 'hunter2') } });
        const failure = await pin(['team/a:v1']).then(undefined, (error) => error as { lines(): string[] });
        expect(failure).toMatchObject({ message: `${front.host} refused the login for ${front.host}` });
        expect((failure as { lines(): string[] }).lines().join()).not.toContain('hunter2');
      });

      test('a helper that is missing is an error only for the registry that asks for a login', async () => {
        logins.configure({ credsStore: 'absent' });
        await expect(pin(['team/a:v1'])).rejects.toThrow('docker-credential-absent');
        const anonymous = await record(open);
        const reference = `${anonymous.host}/team/a:v1`;
        try {
          const registries = { [anonymous.host]: { insecure: true } };
          expect((await pinImages([reference], { registries, env: logins.env })).size).toBe(1);
        } finally {
          await anonymous.stop();
        }
      });
    });

    describe('by Bearer', () => {
      const service = 'registry, with a comma';
      let authority: TestAuthority;
      let tokens: TokenServer;
      let registry: Registry;
      let accepts: (request: TokenServer['requests'][number]) => boolean;

      beforeAll(async () => {
        authority = new TestAuthority();
        const issuer = 'tests';
        tokens = await startTokenServer({
          service,
          issuer,
          signer: authority.root,
          accepts: (asked) => accepts(asked),
        });
        const tokenAuth = {
          realm: tokens.realm,
          service,
          issuer,
          rootCertificates: authority.root.certificate,
        };
        registry = await startRegistry({ storage: open.storage, tokenAuth });
      });
      afterAll(async () => {
        await registry?.stop();
        await tokens?.stop();
        authority?.remove();
      });
      beforeEach(async () => {
        tokens.requests.length = 0;
        front = await record(registry);
      });
      afterEach(() => front.stop());

      test('without a login an anonymous token is fetched, once per repository', async () => {
        accepts = () => true;
        const pinned = await pin(['team/a:v1', 'team/a:v2', 'team/b:v1'], 'linux/amd64');
        expect(pinned.get(`${front.host}/team/a:v1`)).toBe(`${front.host}/team/a:v1@${image.digest}`);
        expect(tokens.requests.map(({ fields }) => fields)).toHaveLength(2);
        expect(tokens.requests).toEqual(
          expect.arrayContaining(
            ['team/a', 'team/b'].map((repository) => ({
              method: 'GET',
              fields: { service, scope: `repository:${repository}:pull` },
              authorization: undefined,
            })),
          ),
        );
        expect(front.succeeded('HEAD')).toHaveLength(3);
      });

      test('the login goes to the token server alone', async () => {
        accepts = ({ authorization }) => authorization === BASIC;
        logins.configure({ auths: { [front.host]: authEntry(username, password) } });
        expect((await pin(['team/a:v1'])).size).toBe(1);
        expect(front.seen.map(({ status }) => status)).toEqual([401, 200]);
        expect(front.seen.filter(({ authorization }) => authorization?.startsWith('Basic'))).toEqual([]);
      });

      test('an identity token is exchanged by POST', async () => {
        accepts = ({ method, fields }) =>
          method === 'POST' && fields.grant_type === 'refresh_token' && fields.refresh_token === 'refresh&me';
        logins.addHelper('x', answers('<token>', 'refresh&me'));
        logins.configure({ credsStore: 'x' });
        expect((await pin(['team/a:v1'])).size).toBe(1);
        expect(tokens.requests).toMatchObject([{ fields: { service, scope: 'repository:team/a:pull' } }]);
      });

      test('a registry token is sent as it is', async () => {
        logins.configure({ auths: { [front.host]: { registrytoken: 'not-signed' } } });
        await expect(pin(['team/a:v1'])).rejects.toMatchObject({
          why: [expect.stringContaining('denies access')],
        });
        expect(front.seen.at(-1)?.authorization).toBe('Bearer not-signed');
        expect(tokens.requests).toEqual([]);
      });

      test('a refusal of the token server names it and says whether there was a login', async () => {
        accepts = () => false;
        await expect(pin(['team/a:v1', 'team/b:v1'])).rejects.toMatchObject({
          message: `${tokens.host} refused access without a login for ${front.host}`,
          why: ['No login was found for it.'],
        });
        logins.configure({ auths: { [front.host]: authEntry(username, password) } });
        await expect(pin(['team/a:v1'])).rejects.toMatchObject({
          message: `${tokens.host} refused the login for ${front.host}`,
          why: ['The login may be wrong or have expired.'],
        });
      });
    });
  },
);
