import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { Failure } from '../../failure/index.js';

/** Where operating systems keep their roots as one PEM file; the first that exists is theirs. */
const SYSTEM_BUNDLES = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

/**
 * The roots that HTTPS trusts, as PEM texts: Node's own, the system's (or SSL_CERT_FILE's), NODE_EXTRA_CA_CERTS and
 * `caFile`. All are named since a list given to TLS replaces its defaults. A bad `caFile` is a Failure.
 */
export function trustedRoots(env: NodeJS.ProcessEnv, caFile?: string): string[] {
  const bundles = env.SSL_CERT_FILE ? [env.SSL_CERT_FILE] : SYSTEM_BUNDLES;
  return [
    ...rootCertificates,
    ...firstReadable(bundles),
    ...firstReadable(env.NODE_EXTRA_CA_CERTS ? [env.NODE_EXTRA_CA_CERTS] : []),
    ...(caFile === undefined ? [] : ownRoots(caFile)),
  ];
}

function firstReadable(files: readonly string[]): string[] {
  for (const file of files) {
    try {
      return [readFileSync(file, 'utf8')];
    } catch {
      // Each system has one of these files; that the others are absent says nothing.
    }
  }
  return [];
}

function ownRoots(caFile: string): string[] {
  try {
    const text = readFileSync(caFile, 'utf8');
    const certificates = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length === 0) throw new Error('it holds no PEM certificate');
    for (const certificate of certificates) new X509Certificate(certificate);
    return certificates;
  } catch (cause) {
    throw new Failure({
      what: `The CA file ${caFile} cannot be used`,
      why: (cause as Error).message,
      next: 'Name a PEM file with the certificate of the authority that signed the registry’s.',
      exit: 2,
      cause,
    });
  }
}
