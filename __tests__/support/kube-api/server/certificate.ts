import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** DER: tag, length, contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const body = Buffer.concat(contents);
  const bytes: number[] = [];
  for (let rest = body.length; rest > 0; rest >>= 8) bytes.unshift(rest & 255);
  const length = body.length < 128 ? [body.length] : [128 | bytes.length, ...bytes];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

const sequence = (...contents: Buffer[]) => der(0x30, ...contents);
const octets = (contents: Buffer) => der(0x04, contents);
const bits = (contents: Buffer) => der(0x03, Buffer.from([0]), contents);
const oid = (...bytes: number[]) => der(0x06, Buffer.from(bytes));
const yes = der(0x01, Buffer.from([255]));
const utcTime = (date: Date) =>
  der(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

const ECDSA_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2));
const COMMON_NAME = oid(0x55, 4, 3);
const BASIC_CONSTRAINTS = oid(0x55, 0x1d, 0x13);
const SUBJECT_ALT_NAME = oid(0x55, 0x1d, 0x11);
const DAY_MS = 86_400_000;

/** A fresh certificate for localhost and 127.0.0.1, signed by itself: the server's, and the CA that clients are given. */
export function selfSignedCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('test kube-apiserver')))));
  const names = sequence(der(0x82, Buffer.from('localhost')), der(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, yes, octets(sequence(yes))),
    sequence(SUBJECT_ALT_NAME, octets(names)),
  );
  const serial = Buffer.concat([Buffer.from([1]), randomBytes(8)]);
  const toSign = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, serial),
    ECDSA_SHA256,
    name,
    sequence(utcTime(new Date(Date.now() - DAY_MS)), utcTime(new Date(Date.now() + 30 * DAY_MS))),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  );
  const certificate = sequence(toSign, ECDSA_SHA256, bits(sign('sha256', toSign, privateKey)));
  const lines = certificate.toString('base64').replace(/.{64}/g, '$&\n');
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  };
}
