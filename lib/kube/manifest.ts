import type { Faults } from './faults.js';
import { objectName } from './names.js';
import { checkSchema, unknownKey } from './schemas/validate.js';
import { parseToml, type SourceFile, type TomlDocument } from './toml/document.js';
import { pointer } from './toml/positions.js';

/** A domain manifest: its text and the name of the folder that it stands in. */
export interface ManifestFile extends SourceFile {
  /** Base name of the manifest itself, such as `crucible.toml`. */
  name: string;
  /** Base name of the folder that holds it. */
  folder: string;
}

/** A build and where it goes; the keys are those of `[deploy]`. */
export interface DeployTarget {
  registry?: string;
  dockerfile?: string;
  base_ref?: string;
  deploy_name?: string;
  env?: Record<string, string>;
}

/** The facts of `[deploy]` that the forge is told, each as `FORGE_<KEY>`. */
export const DEPLOY_FACTS = ['registry', 'dockerfile', 'base_ref', 'deploy_name'] as const;

/** All keys of `[deploy]` that are no component's table. */
const DEPLOY_KEYS: readonly string[] = [...DEPLOY_FACTS, 'env'];

/** The manifest as it is written: the keys are those of its JSON Schema. */
interface ManifestData {
  composite?: { name: string };
  component?: { name: string; dir: string }[];
  agent?: {
    sandbox_image?: string;
    env?: Record<string, string>;
    broker?: { bind?: string; name?: string; build?: boolean | string };
  };
  judge?: { measure_cmd?: string };
  world?: { apply_cmd?: string };
  workspace?: { dir?: string };
  deploy?: DeployTarget & Record<string, DeployTarget | undefined>;
}

export interface Component {
  name: string;
  /** Its folder beside the manifest; undefined for a domain that is its own only component. */
  dir?: string;
}

export interface Manifest {
  data: Omit<ManifestData, 'composite' | 'component'>;
  document: TomlDocument;
  file: ManifestFile;
  /** What the run is called: the composite's name or the folder's. */
  domain: string;
  /** The same, fit for the names of objects. */
  name: string;
  components: readonly Component[];
}

export const DEFAULT_WORKSPACE = 'workspace';

/** Reads a domain manifest and checks it. There is none after a syntax error or a fault of its structure. */
export function readManifest(file: ManifestFile, faults: Faults): Manifest | undefined {
  checkFolder(file, faults);
  const document = parseToml(file, faults);
  if (document === undefined) return undefined;
  const before = faults.count;
  reportUnknownDeployKeys(document, faults);
  checkSchema('manifest', document, faults);
  const data = document.data as unknown as ManifestData;
  if (faults.count === before) checkComponents(data, document, file.folder, faults);
  if (faults.count > before) return undefined;
  const domain = data.composite?.name ?? file.folder;
  return {
    data,
    document,
    file,
    domain,
    name: objectName(domain),
    components: data.component ?? [{ name: domain }],
  };
}

/** The table `[deploy.<component>]`; a single domain may be called like a key of `[deploy]`, and then has none. */
export function ownDeployTarget(
  { data: { deploy = {} } }: Manifest,
  component: string,
): DeployTarget | undefined {
  if (DEPLOY_KEYS.includes(component) || !Object.hasOwn(deploy, component)) return undefined;
  return deploy[component];
}

/** The workspace's folder beside the manifest. */
export function workspaceOf(manifest: Manifest): string {
  return manifest.data.workspace?.dir ?? DEFAULT_WORKSPACE;
}

/** The folder's name becomes part of a mount path, which takes no colon. */
function checkFolder({ file, folder }: ManifestFile, faults: Faults): void {
  if (/^[^:\s]+$/.test(folder)) return;
  faults.add(file, `the folder \`${folder}\` that holds it must have a name without colons and spaces`);
}

/** A scalar under `[deploy]` that is no fact of it is a mistyped key, not a component's table. */
function reportUnknownDeployKeys({ data, where }: TomlDocument, faults: Faults): void {
  const { deploy } = data;
  if (typeof deploy !== 'object' || Array.isArray(deploy)) return;
  for (const [key, value] of Object.entries(deploy)) {
    if (DEPLOY_KEYS.includes(key) || (typeof value === 'object' && !Array.isArray(value))) continue;
    faults.add(where(pointer(['deploy', key])), unknownKey('/deploy', key, DEPLOY_KEYS));
    delete deploy[key];
  }
}

function checkComponents(data: ManifestData, document: TomlDocument, folder: string, faults: Faults): void {
  const { composite, component, deploy } = data;
  if (composite && !component)
    faults.add(document.where('/composite'), '`composite` lacks its [[component]] tables');
  if (component && !composite)
    faults.add(document.where('/component'), '`component` needs [composite] with a name');
  const names = component?.map(({ name }) => name) ?? [folder];
  names.forEach((name, index) => {
    const where = document.where(`/component/${index}/name`);
    if (names.indexOf(name) < index) faults.add(where, `two components are called \`${name}\``);
    if (component && DEPLOY_KEYS.includes(name)) {
      faults.add(where, `a component cannot be called \`${name}\`: that is a key of [deploy]`);
    }
  });
  for (const key of Object.keys(deploy ?? {})) {
    if (DEPLOY_KEYS.includes(key) || names.includes(key)) continue;
    const where = document.where(pointer(['deploy', key]));
    faults.add(where, `[deploy.${key}] is for no component; there is ${names.join(', ')}`);
  }
}
