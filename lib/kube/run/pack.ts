import type { ConfigMap, KeyToPath } from 'kubernetes-types/core/v1.js';
import type { Faults } from '../faults.js';
import { DEFAULT_WORKSPACE, type Manifest, workspaceOf } from '../manifest.js';
import { isDnsLabel, objectNameEnding, shortHash } from '../names.js';
import type { KubeObject } from '../objects.js';
import type { Pack, PackFile } from './input.js';

/** What a delivered folder may hold in all; a ConfigMap takes little more. */
export const LARGEST_PACK_BYTES = 900 * 1024;
const HASH_DIGITS = 12;
const LONGEST_KEY = 253;

/** Whether a path in the manifest's folder is not delivered, nor anything below it. */
export function isLeftOut(path: string, workspace: string): boolean {
  const leftOut = ['state', DEFAULT_WORKSPACE, normalise(workspace)];
  return (
    path.split('/').includes('.git') ||
    leftOut.some((folder) => path === folder || path.startsWith(`${folder}/`))
  );
}

/** The files of a folder that a pack delivers, in a fixed order. */
function deliveredFiles(pack: Pack, manifest: Manifest): PackFile[] {
  const workspace = workspaceOf(manifest);
  return pack.files
    .filter(({ path }) => !isLeftOut(path, workspace))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

/** Adds a fault for a pack that cannot be delivered. */
export function checkPack(pack: Pack, manifest: Manifest, faults: Faults): void {
  const files = deliveredFiles(pack, manifest);
  const folder = manifest.file.folder;
  if (pack.name !== undefined && !isDnsLabel(pack.name)) {
    const expected = 'a name of lower-case letters, digits and inner hyphens, at most 63 characters';
    faults.add('--pack', `\`${pack.name}\` must be ${expected}`);
  }
  if (!files.some(({ path }) => path === manifest.file.name)) {
    faults.add('--pack', `${folder} has no ${manifest.file.name}`);
  }
  for (const { path } of files.filter(({ path }) => path.startsWith('..'))) {
    faults.add(
      '--pack',
      `\`${path}\` cannot be delivered: Kubernetes mounts no path that begins with two dots`,
    );
  }
  const size = files.reduce((sum, { path, bytes }) => sum + bytes.length + keyOf(path).length, 0);
  if (size > LARGEST_PACK_BYTES) {
    const largest = [...files].sort((one, other) => other.bytes.length - one.bytes.length).slice(0, 3);
    const shown = largest.map(({ path, bytes }) => `${path} (${kibibytes(bytes.length)} KiB)`).join(', ');
    const most = kibibytes(LARGEST_PACK_BYTES);
    faults.add(
      '--pack',
      `${folder} is ${kibibytes(size)} KiB, at most ${most} KiB can be delivered; largest: ${shown}`,
    );
  }
  manifest.components.forEach(({ name, dir }, index) => {
    const folder = normalise(dir ?? '.');
    if (folder === '' || files.some(({ path }) => path.startsWith(`${folder}/`))) return;
    const where = manifest.document.where(`/component/${index}/dir`);
    faults.add(where, `the folder \`${dir}\` of component \`${name}\` is not in the delivered folder`);
  });
}

function kibibytes(bytes: number): number {
  return Math.ceil(bytes / 1024);
}

/** A folder as it begins paths: without `./` and a last slash; empty for the manifest's own. */
function normalise(dir: string): string {
  return dir
    .replace(/\/+$/, '')
    .replace(/^(?:\.\/)+/, '')
    .replace(/^\.$/, '');
}

/** The immutable ConfigMap of a pack, named by its contents, and the paths of its keys. */
export function packConfigMap(
  pack: Pack,
  manifest: Manifest,
  { namespace, labels }: { namespace: string; labels: Record<string, string> },
): { object: KubeObject; items: KeyToPath[] } {
  const files = deliveredFiles(pack, manifest);
  // Maps, since a file may be called `__proto__`.
  const data = new Map<string, string>();
  const binaryData = new Map<string, string>();
  const items: KeyToPath[] = [];
  for (const { path, bytes, executable } of files) {
    const key = keyOf(path);
    const text = textOf(bytes);
    if (text === undefined) binaryData.set(key, Buffer.from(bytes).toString('base64'));
    else data.set(key, text);
    items.push({ key, path, mode: executable ? 0o755 : 0o644 });
  }
  const name = objectNameEnding(`${pack.name ?? manifest.name}-pack`, contentHash(files));
  const object: ConfigMap & KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    immutable: true,
    data: Object.fromEntries(data),
    ...(binaryData.size > 0 ? { binaryData: Object.fromEntries(binaryData) } : {}),
  };
  return { object, items };
}

/** A ConfigMap's key for a path: the path itself where it is one, else made fit with a hash of it. */
function keyOf(path: string): string {
  if (/^[-._a-zA-Z0-9]{1,253}$/.test(path)) return path;
  const hash = shortHash(path);
  return `${path
    .replace(/[^-._a-zA-Z0-9]+/g, '_')
    .replace(/^\.+/, '')
    .slice(0, LONGEST_KEY - hash.length - 1)}-${hash}`;
}

/** The text of a file, or undefined where it is not UTF-8 or holds what no text should. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    // A byte order mark is kept: the file must arrive as it is.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

function contentHash(files: readonly PackFile[]): string {
  const parts = files.map(
    ({ path, bytes, executable }) => `${path}\0${executable}\0${shortHash(bytes, 64)}\n`,
  );
  return shortHash(parts.join(''), HASH_DIGITS);
}
