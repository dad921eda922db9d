import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { readLock, writeLock } from '../../../lib/kube/images/lock-file.js';

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;

describe('mlcc.lock.json', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mlcc-lock-'));
    file = join(folder, 'mlcc.lock.json');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test('holds reference, digest and platform, sorted, whatever the order they came in', () => {
    const images: [string, { digest: string; platform?: string }][] = [
      ['ghcr.io/z/a:1', { digest: B, platform: 'linux/amd64' }],
      ['docker.io/library/nginx:latest', { digest: A }],
      ['Ghcr.io/z/a:1', { digest: B }],
    ];
    writeLock(file, new Map(images));
    const text = readFileSync(file, 'utf8');
    expect(text).toBe(`{
  "lockVersion": 1,
  "images": {
    "Ghcr.io/z/a:1": {
      "digest": "${B}"
    },
    "docker.io/library/nginx:latest": {
      "digest": "${A}"
    },
    "ghcr.io/z/a:1": {
      "digest": "${B}",
      "platform": "linux/amd64"
    }
  }
}
`);
    expect(readLock(file)).toEqual(new Map(images));
    writeLock(file, new Map([...images].reverse()));
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  test('the same images leave the file itself alone', () => {
    const images = new Map([['ghcr.io/a/b:1', { digest: A }]]);
    writeLock(file, images);
    const before = statSync(file).ino;
    writeLock(file, images);
    expect(statSync(file).ino).toBe(before);
    writeLock(file, new Map([['ghcr.io/a/b:1', { digest: B }]]));
    expect(statSync(file).ino).not.toBe(before);
  });

  test('a replaced lock keeps its mode, a link stays a link, and no other file is left', () => {
    const link = join(folder, 'link.json');
    writeLock(file, new Map([['ghcr.io/a/b:1', { digest: A }]]));
    chmodSync(file, 0o640);
    symlinkSync(file, link);
    writeLock(link, new Map([['ghcr.io/a/b:1', { digest: B }]]));
    expect(statSync(file).mode & 0o777).toBe(0o640);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readLock(file).get('ghcr.io/a/b:1')?.digest).toBe(B);
    expect(readdirSync(folder).sort()).toEqual(['link.json', 'mlcc.lock.json']);
  });

  test('a lock that cannot be written is a failure that names it', () => {
    expect(() => writeLock(join(folder, 'absent', 'mlcc.lock.json'), new Map())).toThrow(
      'could not be written',
    );
  });

  test('no file locks nothing, and another spelling of a reference finds the same image', () => {
    expect(readLock(file)).toEqual(new Map());
    writeFileSync(file, JSON.stringify({ lockVersion: 1, images: { nginx: { digest: A } } }));
    expect(readLock(file).get('docker.io/library/nginx:latest')).toEqual({ digest: A });
  });

  test.each([
    ['<<<<<<< ours', 'not JSON'],
    ['[]', "no map 'images'"],
    ['{"lockVersion":1,"images":[]}', "no map 'images'"],
    ['{"images":{}}', 'lockVersion'],
    ['{"lockVersion":2,"images":{}}', 'lockVersion is 2'],
    ['{"lockVersion":1,"images":{"Bad Name":{"digest":"x"}}}', 'not a valid image reference'],
    ['{"lockVersion":1,"images":{"nginx":null}}', "'nginx' has no digest"],
    ['{"lockVersion":1,"images":{"nginx":{"digest":"sha256:12"}}}', "'nginx' has no digest"],
    [`{"lockVersion":1,"images":{"nginx":{"digest":"${A}","platform":1}}}`, "platform of 'nginx'"],
    [`{"lockVersion":1,"images":{"nginx":{"digest":"${A}"},"nginx:latest":{"digest":"${B}"}}}`, 'twice'],
  ])('%s is refused as damaged', (text, why) => {
    writeFileSync(file, text);
    let failure: unknown;
    try {
      readLock(file);
    } catch (error) {
      failure = error;
    }
    expect(failure).toMatchObject({ name: 'Failure', exit: 2 });
    expect((failure as { lines(): string[] }).lines().join('\n')).toContain(why);
    expect((failure as Error).message).toContain(file);
  });
});
