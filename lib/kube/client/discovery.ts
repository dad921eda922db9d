import { Failure } from '../../failure/index.js';
import type { ObjectKey } from '../deployed.js';

interface Resource {
  /** `deployments`. */
  plural: string;
  namespaced: boolean;
}

/** A kind that the cluster does not serve: it holds no objects of it. */
export class UnknownKind extends Failure {}

/** The paths of kinds, as the cluster itself names them; each group of kinds is looked up once. */
export class Discovery {
  readonly #groups = new Map<string, Promise<Map<string, Resource>>>();

  /**
   * @param read reads a document of the cluster; undefined where there is none
   * @param context for messages
   */
  constructor(
    private readonly read: (path: string, action: string) => Promise<unknown>,
    private readonly context: string,
  ) {}

  async pathOf({ apiVersion, kind, metadata }: ObjectKey): Promise<string> {
    const collection = await this.collectionOf(apiVersion, kind, metadata.namespace);
    return `${collection}/${encodeURIComponent(metadata.name)}`;
  }

  /** @param namespace absent: of all namespaces */
  async collectionOf(apiVersion: string, kind: string, namespace?: string): Promise<string> {
    const { plural, namespaced } = await this.#resource(apiVersion, kind);
    const within =
      namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
    return `${groupPath(apiVersion)}${within}/${plural}`;
  }

  async isNamespaced({ apiVersion, kind }: Pick<ObjectKey, 'apiVersion' | 'kind'>): Promise<boolean> {
    return (await this.#resource(apiVersion, kind)).namespaced;
  }

  async #resource(apiVersion: string, kind: string): Promise<Resource> {
    const group = this.#groups.get(apiVersion) ?? this.#lookUp(apiVersion);
    this.#groups.set(apiVersion, group);
    const found = (await group).get(kind);
    if (found) return found;
    throw new UnknownKind({
      what: `the cluster of context ${this.context} does not know ${kind} of ${apiVersion}`,
      why: 'no such kind is served there',
      next: 'install what brings it (an operator, a CustomResourceDefinition), or choose another cluster',
    });
  }

  async #lookUp(apiVersion: string): Promise<Map<string, Resource>> {
    const document = await this.read(groupPath(apiVersion), `looking up the kinds of ${apiVersion}`);
    const { resources } = (document ?? { resources: [] }) as {
      resources: { name: string; kind: string; namespaced: boolean }[];
    };
    return new Map(
      resources
        .filter(({ name }) => !name.includes('/'))
        .map(({ name, kind, namespaced }) => [kind, { plural: name, namespaced }]),
    );
  }
}

function groupPath(apiVersion: string): string {
  return apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
}
