import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  type KubeObject,
  type PackFile,
  readManifestFile,
  readPackFiles,
  readSourceFile,
  renderRun,
} from '../../../lib/kube/index.js';
import { containerOf, faultsOf, PLAYBOOK, pinByName, render, runInput } from './fixture.js';

type ConfigMap = KubeObject & {
  immutable: boolean;
  data: Record<string, string>;
  binaryData?: Record<string, string>;
};

function file(path: string, content: string | Uint8Array = path, executable = false): PackFile {
  return { path, bytes: typeof content === 'string' ? Buffer.from(content) : content, executable };
}

async function packOf(files: PackFile[], manifest = {}): Promise<{ map: ConfigMap; objects: KubeObject[] }> {
  const objects = await render({
    manifest,
    mode: PLAYBOOK,
    pack: { files: [file('crucible.toml', ''), ...files] },
  });
  return { map: objects[0] as ConfigMap, objects };
}

/** The files as the init container sees them. */
function mounted(
  objects: readonly KubeObject[],
  map: ConfigMap,
): Record<string, { bytes: Buffer; mode: number }> {
  const volume = containerOf(objects).spec.volumes.filter(({ name }) => name === 'pack');
  const [{ name, items } = { name: '', items: [] }] = volume.map(({ configMap }) => configMap) as {
    name: string;
    items: { key: string; path: string; mode: number }[];
  }[];
  expect(name).toBe(map.metadata.name);
  return Object.fromEntries(
    items.map(({ key, path, mode }) => {
      const { data, binaryData = {} } = map;
      const isBinary = Object.hasOwn(binaryData, key);
      expect(isBinary || Object.hasOwn(data, key)).toBe(true);
      return [
        path,
        {
          bytes: isBinary ? Buffer.from(binaryData[key] ?? '', 'base64') : Buffer.from(data[key] ?? ''),
          mode,
        },
      ];
    }),
  );
}

describe('a pack', () => {
  test('a file may have any name', async () => {
    const names = ['__proto__', 'constructor', 'a b', 'ü', 'x/__proto__'];
    const { map, objects } = await packOf([
      ...names.map((name) => file(name)),
      file('b/__proto__', Buffer.of(0)),
    ]);
    for (const name of names) expect(String(mounted(objects, map)[name]?.bytes)).toBe(name);
    expect(mounted(objects, map)['b/__proto__']?.bytes).toEqual(Buffer.of(0));
  });

  test('is an immutable ConfigMap before the Pod, whose volume has every path, byte and mode', async () => {
    const binary = Uint8Array.from([0, 255, 128]);
    const files = [
      file('bin/run', '#!/bin/sh\r\n', true),
      file('bom.txt', '\ufeffx'),
      file('data/weights.bin', binary),
      file('nul.txt', 'a\0b'),
      file('a b/ü.txt', 'text'),
      file('.env', 'A=1'),
    ];
    const { map, objects } = await packOf(files);
    expect(objects.map(({ kind }) => kind)).toEqual(['ConfigMap', 'RoleBinding', 'Pod']);
    expect(map.immutable).toBe(true);
    const found = mounted(objects, map);
    for (const { path, bytes, executable } of files) {
      expect(found[path]).toEqual({ bytes: Buffer.from(bytes), mode: executable ? 0o755 : 0o644 });
    }
    for (const key of [...Object.keys(map.data), ...Object.keys(map.binaryData ?? {})]) {
      expect(key).toMatch(/^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/);
    }
  });

  test('its name is a hash of its contents alone: of bytes, paths and modes, not of the files’ order', async () => {
    const nameOf = async (files: PackFile[]) => (await packOf(files)).map.metadata.name;
    const name = await nameOf([file('a'), file('b')]);
    expect(name).toMatch(/^rollout-pack-[0-9a-f]{12}$/);
    expect(await nameOf([file('b'), file('a')])).toBe(name);
    const others = await Promise.all(
      [
        [file('a'), file('b', 'c')],
        [file('a'), file('c', 'b')],
        [file('a'), file('b', 'b', true)],
        [file('a')],
      ].map(nameOf),
    );
    expect(new Set([name, ...others]).size).toBe(5);
  });

  test('paths that give the same key are told apart', async () => {
    const { map, objects } = await packOf([
      file('a/b', '1'),
      file('a_b', '2'),
      file('a//b', '3'),
      file('a b', '4'),
    ]);
    expect(Object.values(mounted(objects, map)).map(({ bytes }) => String(bytes))).toEqual([
      '4',
      '3',
      '1',
      '2',
      '',
    ]);
  });

  test('takes the name that a person gives it', async () => {
    const pack = { name: 'nightly', files: [file('crucible.toml', '')] };
    const [map] = await render({ manifest: {}, mode: PLAYBOOK, pack });
    expect(map?.metadata.name).toMatch(/^nightly-pack-[0-9a-f]{12}$/);
  });

  test('leaves out state, .git and the workspace, at the top alone', async () => {
    const left = ['state/session.jsonl', '.git/config', 'sub/.git', 'workspace/x', 'scratch/x'];
    const kept = ['sub/state/x', 'sub/workspace/x', 'workspaces/x', 'stateful'];
    const { map, objects } = await packOf(
      [...left, ...kept].map((path) => file(path)),
      { workspace: { dir: './scratch/' } },
    );
    expect(Object.keys(mounted(objects, map)).sort()).toEqual(['crucible.toml', ...kept].sort());
  });

  test('of 900 KiB is delivered, above it is refused with its largest files', async () => {
    const manifestBytes = 'crucible.toml'.length;
    const most = 900 * 1024 - manifestBytes - 'big'.length;
    await packOf([file('big', 'x'.repeat(most))]);
    const files = [file('crucible.toml', ''), file('big', 'x'.repeat(most + 1))];
    expect(await faultsOf({ manifest: {}, mode: PLAYBOOK, pack: { files } })).toEqual([
      '--pack: rollout is 901 KiB, at most 900 KiB can be delivered; largest: big (900 KiB), crucible.toml (0 KiB)',
    ]);
  });

  test('with a file that Kubernetes cannot mount is refused', async () => {
    const files = ['crucible.toml', '..odd', '...', 'sub/..fine'].map((path) => file(path));
    expect(await faultsOf({ manifest: {}, mode: PLAYBOOK, pack: { files } })).toEqual(
      [
        '--pack: `..odd` cannot be delivered: Kubernetes mounts no path that begins with two dots',
        '--pack: `...` cannot be delivered: Kubernetes mounts no path that begins with two dots',
      ].sort(),
    );
  });

  test('without the manifest or a component’s folder is refused', async () => {
    const manifest = {
      composite: { name: 'c' },
      component: ['./a/', '../b', '.'].map((dir, index) => ({ name: `n${index}`, dir })),
    };
    expect(await faultsOf({ manifest, mode: PLAYBOOK, pack: { files: [file('a/x')] } })).toEqual([
      '--pack: rollout has no crucible.toml',
      expect.stringMatching(
        /^crucible\.toml:[0-9]+: the folder `\.\.\/b` of component `n1` is not in the delivered folder$/,
      ),
    ]);
  });

  test('is staged into a folder that the run can write to, with the state’s claim inside it', async () => {
    const { spec, container } = containerOf(
      await render({
        pack: {
          files: ['crucible.toml', 'components/engine/x', 'components/router/x'].map((path) => file(path)),
        },
      }),
    );
    const places = container.volumeMounts.map(({ name, mountPath }) => `${name} ${mountPath}`).slice(-2);
    expect(places).toEqual(['domain /opt/domains/rollout', 'state /opt/domains/rollout/state']);
    expect(spec.initContainers?.[0]?.image).toBe(container.image);
    expect(spec.initContainers?.[0]?.volumeMounts.map(({ name }) => name)).toEqual(['pack', 'domain']);
  });
});

describe('reading the files', () => {
  let root: string;
  let folder: string;

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'pack-'));
    folder = join(root, 'my-domain');
    put('my-domain/crucible.toml', '[workspace]\ndir = "scratch"\n');
  });

  afterEach(() => {
    rmSync(root, { recursive: true });
  });

  function put(path: string, content: string | Uint8Array): string {
    const full = join(root, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
    return full;
  }

  test('a folder is delivered as it stands on the disk', async () => {
    chmodSync(put('my-domain/bin/go', 'go'), 0o755);
    put('my-domain/.git/config', '');
    put('my-domain/scratch/model.bin', new Uint8Array(2 ** 20));
    symlinkSync('bin/go', join(folder, 'link'));
    const manifest = readManifestFile(join(folder, 'crucible.toml'));
    expect([manifest.name, manifest.folder]).toEqual(['crucible.toml', 'my-domain']);
    const files = readPackFiles(join(folder, 'crucible.toml'));
    expect(files.map(({ path, executable }) => [path, executable])).toEqual([
      ['bin/go', true],
      ['crucible.toml', false],
      ['link', true],
    ]);
    const objects = await renderRun(
      { ...runInput({ mode: PLAYBOOK }), manifest, pack: { files } },
      pinByName,
    );
    expect(objects[0]?.metadata.name).toMatch(/^my-domain-pack-/);
  });

  test('links out of the folder, links to nothing, and files above the limit are all named', () => {
    put('secret', 'x');
    symlinkSync('../secret', join(folder, 'out'));
    symlinkSync('nowhere', join(folder, 'dangling'));
    put('my-domain/huge', new Uint8Array(901 * 1024));
    expect(() => readPackFiles(join(folder, 'crucible.toml'))).toThrow(
      expect.objectContaining({
        exit: 2,
        why: [
          'dangling is a link to nothing',
          'huge has 901 KiB; at most 900 KiB can be delivered in all',
          'out is a link that leads out of the folder',
        ],
      }),
    );
  });

  test('a file that is not there, is a folder or is no text is a clear failure', () => {
    expect(() => readSourceFile(join(folder, 'none.toml'))).toThrow(
      expect.objectContaining({ why: ['there is no such file'] }),
    );
    expect(() => readSourceFile(folder)).toThrow(expect.objectContaining({ why: ['it is a folder'] }));
    const binary = put('my-domain/binary.toml', Uint8Array.from([0xff, 0xfe]));
    expect(() => readSourceFile(binary)).toThrow(expect.objectContaining({ why: ['it is not UTF-8 text'] }));
  });
});
