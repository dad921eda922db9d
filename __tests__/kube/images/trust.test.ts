import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { pinImages, type RegistrySettings } from '../../../lib/kube/images/index.js';
import { trustedRoots } from '../../../lib/kube/images/trust.js';
import { CERTIFICATE_PROGRAM, TestAuthority } from '../../support/certificates.js';
import { PUSH_PROGRAM, type PushedImage, pushImage } from '../../support/images.js';
import { describeWithPrograms } from '../../support/programs.js';
import { REGISTRY_PROGRAM, type Registry, startRegistry } from '../../support/registry.js';
import { LoginFolder } from './support/credential-helpers.js';
import { type LoggingProxy, serve, startProxy } from './support/http-servers.js';

const PROGRAMS = [REGISTRY_PROGRAM, PUSH_PROGRAM, CERTIFICATE_PROGRAM];

describeWithPrograms(PROGRAMS, 'whether a registry is trusted', () => {
  let authority: TestAuthority;
  let otherAuthority: TestAuthority;
  let plain: Registry;
  let signed: Registry;
  let selfSigned: Registry;
  let image: PushedImage;
  let folder: LoginFolder;
  let proxy: LoggingProxy | undefined;

  beforeAll(async () => {
    folder = new LoginFolder();
    authority = new TestAuthority();
    otherAuthority = new TestAuthority();
    plain = await startRegistry();
    const { storage } = plain;
    const names = ['IP:127.0.0.1', 'DNS:reg'];
    image = await pushImage(`${plain.host}/a:v1`, [{ os: 'linux', architecture: 'amd64' }]);
    signed = await startRegistry({ storage, tls: authority.issue(...names) });
    selfSigned = await startRegistry({ storage, tls: authority.selfSigned(...names) });
  });
  afterEach(async () => {
    await proxy?.stop();
    proxy = undefined;
  });
  afterAll(async () => {
    await Promise.all([plain, signed, selfSigned].map((registry) => registry?.stop()));
    for (const made of [authority, otherAuthority, folder]) made?.remove();
  });

  async function pin(host: string, settings: Record<string, RegistrySettings>, env: NodeJS.ProcessEnv = {}) {
    const reference = `${host}/a:v1`;
    return (await pinImages([reference], { registries: settings, env })).get(reference);
  }
  const pinnedAt = (host: string) => `${host}/a:v1@${image.digest}`;

  test('[C45] only the registry that is marked insecure may speak plain HTTP or sign its own certificate', async () => {
    for (const marked of [plain, selfSigned]) {
      const settings = { [marked.host]: { insecure: true } };
      expect(await pin(marked.host, settings)).toBe(pinnedAt(marked.host));
      const other = marked === plain ? selfSigned : plain;
      await expect(pin(other.host, settings)).rejects.toMatchObject({
        message:
          other === plain
            ? `${plain.host} does not speak HTTPS`
            : `The certificate of ${other.host} is not trusted`,
        next: expect.stringContaining(`[registries."${other.host}"]`),
      });
    }
    await expect(pin(plain.host, { [plain.host]: { insecure: false } })).rejects.toThrow(
      'does not speak HTTPS',
    );
  });

  test('[C45] the same for a registry that is known by name and port', async () => {
    proxy = await startProxy({ 'reg:5000': plain.port });
    const env = { HTTPS_PROXY: `http://${proxy.host}`, HTTP_PROXY: `http://${proxy.host}` };
    expect(await pin('reg:5000', { 'reg:5000': { insecure: true } }, env)).toBe(pinnedAt('reg:5000'));
    expect(proxy.log).toEqual(['CONNECT reg:5000', 'HEAD http://reg:5000/v2/a/manifests/v1']);
    await expect(pin('reg:5000', { reg: { insecure: true } }, env)).rejects.toThrow(
      'reg:5000 does not speak HTTPS',
    );
  });

  test('an own authority is trusted for the registry that names it, and for no other', async () => {
    const settings = { [signed.host]: { caFile: authority.root.certificateFile } };
    expect(await pin(signed.host, settings)).toBe(pinnedAt(signed.host));
    await expect(pin(signed.host, {})).rejects.toThrow(`The certificate of ${signed.host} is not trusted`);
    await expect(pin(selfSigned.host, settings)).rejects.toThrow('is not trusted');
    const other = { [signed.host]: { caFile: otherAuthority.root.certificateFile } };
    await expect(pin(signed.host, other)).rejects.toThrow('is not trusted');
  });

  test('an own authority stands beside the system’s roots, it does not replace them', async () => {
    const settings = { [signed.host]: { caFile: otherAuthority.root.certificateFile } };
    for (const variable of ['SSL_CERT_FILE', 'NODE_EXTRA_CA_CERTS']) {
      const env = { [variable]: authority.root.certificateFile };
      expect(await pin(signed.host, settings, env)).toBe(pinnedAt(signed.host));
      expect(await pin(signed.host, {}, env)).toBe(pinnedAt(signed.host));
    }
  });

  test('a certificate for another name is not trusted, whoever signed it', async () => {
    proxy = await startProxy({ 'other.test:443': signed.port });
    const settings = { 'other.test': { caFile: authority.root.certificateFile } };
    const env = { HTTPS_PROXY: `http://${proxy.host}` };
    await expect(pin('other.test', settings, env)).rejects.toThrow(
      'The certificate of other.test is not trusted',
    );
  });

  test('Node’s own roots are always among those that are trusted', () => {
    const own = trustedRoots({ SSL_CERT_FILE: '/absent' }, authority.root.certificateFile);
    expect(own).toEqual(expect.arrayContaining([...rootCertificates]));
    expect(own).toHaveLength(rootCertificates.length + 1);
  });

  test('what came by HTTPS is not continued by plain HTTP, and a login is not sent in the clear', async () => {
    const clear: string[] = [];
    const listener = await serve((incoming, outgoing) => {
      clear.push(`${incoming.method} ${incoming.url}`);
      outgoing.end('{"token":"t"}');
    });
    let answer: { status: number; headers: Record<string, string> };
    const secure = await serve(
      (_, out) => out.writeHead(answer.status, answer.headers).end(),
      authority.issue('IP:127.0.0.1'),
    );
    try {
      const settings = { [secure.host]: { caFile: authority.root.certificateFile } };
      answer = { status: 307, headers: { location: `http://${listener.host}/` } };
      await expect(pin(secure.host, settings)).rejects.toMatchObject({
        why: [`It redirects from HTTPS to plain HTTP (${listener.host}).`],
      });
      answer = {
        status: 401,
        headers: { 'www-authenticate': `Bearer realm="http://${listener.host}/token"` },
      };
      await expect(pin(secure.host, settings)).rejects.toMatchObject({
        why: [expect.stringContaining('a login would be sent in the clear')],
      });
      expect(clear).toEqual([]);
    } finally {
      await Promise.all([secure.stop(), listener.stop()]);
    }
  });

  test('an authority’s file that is absent or holds none is named', async () => {
    const absent = join(folder.dockerConfig, 'absent.pem');
    const empty = join(folder.dockerConfig, 'empty.pem');
    const broken = join(folder.dockerConfig, 'broken.pem');
    writeFileSync(empty, 'nothing\n');
    writeFileSync(broken, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    for (const caFile of [absent, empty, broken]) {
      await expect(pin(signed.host, { [signed.host]: { caFile } })).rejects.toMatchObject({
        exit: 2,
        message: `The CA file ${caFile} cannot be used`,
      });
    }
  });

  test('settings stand under a host, not under an address', async () => {
    const settings = { [`http://${plain.host}`]: { insecure: true } };
    await expect(pin(plain.host, settings)).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('is no registry host'),
    });
  });
});
