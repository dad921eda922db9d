import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { pinImages } from '../../../lib/kube/images/index.js';
import { CERTIFICATE_PROGRAM, TestAuthority } from '../../support/certificates.js';
import { PUSH_PROGRAM, type PushedImage, pushImage } from '../../support/images.js';
import { describeWithPrograms } from '../../support/programs.js';
import { REGISTRY_LOGIN, REGISTRY_PROGRAM, type Registry, startRegistry } from '../../support/registry.js';
import { answers, LoginFolder } from './support/credential-helpers.js';
import { type LoggingProxy, startProxy } from './support/http-servers.js';

const ECR = '123456789012.dkr.ecr.us-east-1.amazonaws.com';
const PLATFORM = { os: 'linux', architecture: 'amd64' };

// The names are known to the proxy alone, so that whoever goes directly finds nothing.
describeWithPrograms(
  [REGISTRY_PROGRAM, PUSH_PROGRAM, CERTIFICATE_PROGRAM],
  'registries behind a proxy',
  () => {
    let authority: TestAuthority;
    let plain: Registry;
    let secure: Registry;
    let withLogin: Registry;
    let image: PushedImage;
    let proxy: LoggingProxy;
    let logins: LoginFolder;

    beforeAll(async () => {
      authority = new TestAuthority();
      plain = await startRegistry();
      const { storage } = plain;
      image = await pushImage(`${plain.host}/library/nginx:latest`, [PLATFORM]);
      const names = ['registry.test', 'registry-1.docker.io', ECR].map((name) => `DNS:${name}`);
      const tls = authority.issue('IP:127.0.0.1', ...names);
      secure = await startRegistry({ storage, tls });
      withLogin = await startRegistry({ storage, tls, basicAuth: true });
    });
    afterAll(async () => {
      await Promise.all([plain, secure, withLogin].map((registry) => registry?.stop()));
      authority?.remove();
    });
    beforeEach(async () => {
      logins = new LoginFolder();
      proxy = await startProxy({
        'registry.test:5000': secure.port,
        'registry-1.docker.io:443': secure.port,
        [`${ECR}:443`]: withLogin.port,
      });
    });
    afterEach(async () => {
      await proxy.stop();
      logins.remove();
    });

    function pin(host: string, path: string, env: NodeJS.ProcessEnv = {}) {
      const registries = { [host]: { caFile: authority.root.certificateFile } };
      const proxied = { ...logins.env, HTTPS_PROXY: `http://${proxy.host}`, ...env };
      return pinImages([path], { registries, env: proxied, timeoutMs: 5_000 });
    }

    test('[C41] the proxy is used, and NO_PROXY is honoured', async () => {
      const behind = 'registry.test:5000/library/nginx:latest';
      expect([...(await pin('registry.test:5000', behind)).values()]).toEqual([`${behind}@${image.digest}`]);
      expect(proxy.log).toEqual(['CONNECT registry.test:5000']);

      const direct = `${secure.host}/library/nginx:latest`;
      for (const exempt of [secure.host, '127.0.0.1', '127.0.0.0/8']) {
        const pinned = await pin(secure.host, direct, { NO_PROXY: `other.test,${exempt}` });
        expect(pinned.get(direct)).toBe(`${direct}@${image.digest}`);
      }
      expect(proxy.log).toEqual(['CONNECT registry.test:5000']);

      // The proxy knows no way to that one, which shows that it is asked unless NO_PROXY says otherwise.
      await expect(pin(secure.host, direct)).rejects.toThrow('could not be reached');
      expect(proxy.log).toContain(`CONNECT ${secure.host}`);
      await expect(pin('registry.test:5000', behind, { NO_PROXY: '.test' })).rejects.toMatchObject({
        why: expect.arrayContaining(['It was asked directly (NO_PROXY names it).']),
      });
    });

    test('a proxy’s refusal and its absence are told as such', async () => {
      await expect(pin('unknown.test', 'unknown.test/a:v1')).rejects.toMatchObject({
        message: 'unknown.test could not be reached',
        why: [
          expect.stringContaining('502'),
          `It was asked through the proxy http://${proxy.host} (HTTPS_PROXY).`,
        ],
      });
      const gone = await startProxy({});
      await gone.stop();
      const env = { HTTPS_PROXY: `http://${gone.host}` };
      await expect(pin('registry.test:5000', 'registry.test:5000/a:v1', env)).rejects.toMatchObject({
        message: 'registry.test:5000 could not be reached',
        why: [expect.stringContaining('ECONNREFUSED'), expect.stringContaining(gone.host)],
      });
    });

    test('a name without a host is Docker Hub’s, whose API has another host', async () => {
      const pinned = await pin('docker.io', 'nginx');
      expect([...pinned]).toEqual([['nginx', `docker.io/library/nginx:latest@${image.digest}`]]);
      expect(proxy.log).toEqual(['CONNECT registry-1.docker.io:443']);
    });

    test('an ECR host is asked on port 443, with the login of its helper', async () => {
      const reference = `${ECR}/library/nginx:latest`;
      await expect(pin(ECR, reference)).rejects.toMatchObject({
        message: `${ECR} asks for a login`,
        next: expect.stringContaining('aws ecr get-login-password --region us-east-1 | docker login'),
      });
      logins.addHelper('ecr-login', answers(REGISTRY_LOGIN.username, REGISTRY_LOGIN.password));
      logins.configure({ credHelpers: { [ECR]: 'ecr-login' } });
      expect((await pin(ECR, reference)).get(reference)).toBe(`${reference}@${image.digest}`);
      expect(logins.asked()).toEqual([`ecr-login get ${ECR}`]);
    });
  },
);
