import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The program that makes certificates. */
export const CERTIFICATE_PROGRAM = 'openssl';

export interface Certificate {
  certificateFile: string;
  keyFile: string;
  certificate: string;
  key: string;
}

/** A certificate authority of a test's own, in a temporary folder. */
export class TestAuthority {
  readonly #folder = mkdtempSync(join(tmpdir(), 'mlcc-ca-'));
  readonly root: Certificate;
  #issued = 0;

  constructor() {
    this.root = this.#make('root', '/CN=Test authority', [
      ...['-addext', 'basicConstraints=critical,CA:TRUE'],
      ...['-addext', 'keyUsage=critical,keyCertSign,digitalSignature'],
    ]);
  }

  /** A server's certificate for names and addresses (`DNS:a.test`, `IP:127.0.0.1`), signed by this authority. */
  issue(...subjectAltNames: string[]): Certificate {
    this.#issued += 1;
    const name = `server-${this.#issued}`;
    const request = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    const key = join(this.#folder, `${name}.key`);
    const certificate = join(this.#folder, `${name}.pem`);
    openssl('req', '-new', '-nodes', ...NEW_KEY, '-keyout', key, '-subj', '/CN=server', '-out', request);
    writeFileSync(extensions, `subjectAltName=${subjectAltNames.join(',')}\n`);
    openssl(
      ...['x509', '-req', '-in', request, '-days', '2', '-extfile', extensions, '-out', certificate],
      ...['-CA', this.root.certificateFile, '-CAkey', this.root.keyFile, '-set_serial', String(this.#issued)],
    );
    return read(certificate, key);
  }

  /** A server's certificate that nobody but itself signed. */
  selfSigned(...subjectAltNames: string[]): Certificate {
    this.#issued += 1;
    const names = `subjectAltName=${subjectAltNames.join(',')}`;
    return this.#make(`self-${this.#issued}`, '/CN=self-signed', ['-addext', names]);
  }

  /** Removes all files. */
  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #make(name: string, subject: string, extensions: readonly string[]): Certificate {
    const certificate = join(this.#folder, `${name}.pem`);
    const key = join(this.#folder, `${name}.key`);
    const files = ['-keyout', key, '-out', certificate];
    openssl('req', '-x509', '-nodes', ...NEW_KEY, '-days', '2', '-subj', subject, ...extensions, ...files);
    return read(certificate, key);
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

function openssl(...args: string[]): void {
  execFileSync(CERTIFICATE_PROGRAM, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

function read(certificateFile: string, keyFile: string): Certificate {
  return {
    certificateFile,
    keyFile,
    certificate: readFileSync(certificateFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
  };
}
