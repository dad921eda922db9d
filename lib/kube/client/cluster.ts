import type { IncomingMessage } from 'node:http';
import type { ObjectKey } from '../deployed.js';
import type { KubeObject } from '../objects.js';
import { type ApiAnswer, Connection } from './connection.js';
import { Discovery } from './discovery.js';
import { type ApiRefusal, refusal } from './failures.js';
import { type ClusterChoice, findAccess } from './kubeconfig.js';
import { APPLY_MANAGER, EDIT_MANAGER, type LiveObject, nameOf } from './objects.js';

export interface ConnectOptions extends ClusterChoice {
  /** For each request, in milliseconds; 30 s by default. */
  timeoutMs?: number;
  /** Told what the cluster warns of, such as an old version of a kind. */
  onWarning?: (text: string) => void;
}

export interface ListOptions {
  /** Absent: of all namespaces. */
  namespace?: string;
  labels?: Readonly<Record<string, string>>;
  fields?: Readonly<Record<string, string>>;
}

const PAGE = 500;

/** Finds the way to a cluster. Nothing is sent before the first call. */
export function connect({ timeoutMs, onWarning, ...choice }: ConnectOptions): Cluster {
  return new Cluster(new Connection(findAccess(choice), choice.env, timeoutMs), onWarning);
}

/** A cluster's API. Every refusal is an ApiRefusal, every lost connection a Failure. */
export class Cluster {
  readonly #kinds: Discovery;

  readonly #warned = new Set<string>();

  constructor(
    private readonly connection: Connection,
    private readonly onWarning: (text: string) => void = () => undefined,
  ) {
    const read = async (path: string, action: string) => {
      const answer = await connection.send({ method: 'GET', path });
      return answer.status === 404 ? undefined : this.#success(action, answer);
    };
    this.#kinds = new Discovery(read, this.context);
  }

  /** Name of the context that leads here. */
  get context(): string {
    return this.connection.access.context;
  }

  /** The context's namespace. */
  get namespace(): string {
    return this.connection.access.namespace;
  }

  /** The object, or undefined where there is none. */
  async get(key: ObjectKey): Promise<LiveObject | undefined> {
    const path = await this.#kinds.pathOf(key);
    const answer = await this.connection.send({ method: 'GET', path });
    if (answer.status === 404) return undefined;
    return this.#object(`reading ${nameOf(key)}`, answer);
  }

  /** Whether there is such an object; what it holds is not asked for. */
  async exists(key: ObjectKey): Promise<boolean> {
    const path = await this.#kinds.pathOf(key);
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const answer = await this.connection.send({ method: 'GET', path, accept });
    if (answer.status === 404) return false;
    this.#object(`looking for ${nameOf(key)}`, answer);
    return true;
  }

  /** All objects of a kind that fit, page by page. */
  async list(apiVersion: string, kind: string, options: ListOptions = {}): Promise<LiveObject[]> {
    const { namespace, labels, fields } = options;
    const found: LiveObject[] = [];
    let next = '';
    do {
      const query = new URLSearchParams({ limit: String(PAGE) });
      if (labels) query.set('labelSelector', selector(labels));
      if (fields) query.set('fieldSelector', selector(fields));
      if (next !== '') query.set('continue', next);
      const path = `${await this.#kinds.collectionOf(apiVersion, kind, namespace)}?${query}`;
      const answer = await this.connection.send({ method: 'GET', path });
      const body = this.#success(`listing ${kind} objects`, answer) as {
        items: LiveObject[];
        metadata: { continue?: string };
      };
      found.push(...body.items.map((item) => ({ ...item, apiVersion, kind })));
      next = body.metadata.continue ?? '';
    } while (next !== '');
    return found;
  }

  /** Server-side apply as the field manager `mlcc`; a field that the kind does not know is refused. */
  async apply(object: KubeObject, { dryRun = false, force = false } = {}): Promise<LiveObject> {
    const query = new URLSearchParams({
      fieldManager: APPLY_MANAGER,
      fieldValidation: 'Strict',
      ...(force && { force: 'true' }),
      ...(dryRun && { dryRun: 'All' }),
    });
    const path = `${await this.#kinds.pathOf(object)}?${query}`;
    const contentType = 'application/apply-patch+yaml';
    const answer = await this.connection.send({ method: 'PATCH', path, body: object, contentType });
    return this.#object(`applying ${nameOf(object)}`, answer);
  }

  /** Creates an object. */
  async create(object: KubeObject, { dryRun = false } = {}): Promise<LiveObject> {
    const query = new URLSearchParams({
      fieldManager: APPLY_MANAGER,
      fieldValidation: 'Strict',
      ...(dryRun && { dryRun: 'All' }),
    });
    const { apiVersion, kind, metadata } = object;
    const path = `${await this.#kinds.collectionOf(apiVersion, kind, metadata.namespace)}?${query}`;
    const answer = await this.connection.send({ method: 'POST', path, body: object });
    return this.#object(`creating ${nameOf(object)}`, answer);
  }

  /** Changes some fields of an object, as a manager of its own. */
  async patch(key: ObjectKey, body: object): Promise<LiveObject> {
    const isBuiltIn = /^(?:v1|[a-z]+\/|[a-z.]*\.k8s\.io\/)/.test(key.apiVersion);
    const contentType = `application/${isBuiltIn ? 'strategic-merge' : 'merge'}-patch+json`;
    const query = new URLSearchParams({ fieldManager: EDIT_MANAGER, fieldValidation: 'Strict' });
    const path = `${await this.#kinds.pathOf(key)}?${query}`;
    const answer = await this.connection.send({ method: 'PATCH', path, body, contentType });
    return this.#object(`changing ${nameOf(key)}`, answer);
  }

  /**
   * Begins the deletion of an object and of what belongs to it, if it still is the one that was looked at. One that is
   * not there is no failure.
   */
  async delete(object: LiveObject): Promise<void> {
    const { uid } = object.metadata;
    const body = {
      kind: 'DeleteOptions',
      apiVersion: 'v1',
      propagationPolicy: 'Foreground',
      ...(uid === undefined ? {} : { preconditions: { uid } }),
    };
    const answer = await this.connection.send({
      method: 'DELETE',
      path: await this.#kinds.pathOf(object),
      body,
    });
    if (answer.status !== 404) this.#success(`deleting ${nameOf(object)}`, answer);
  }

  /** The log of a container of a Pod; with `follow` until it ends. */
  async log(
    { namespace, name }: { namespace: string; name: string },
    { container, follow = false }: { container: string; follow?: boolean },
  ): Promise<IncomingMessage> {
    const query = new URLSearchParams({ container, ...(follow && { follow: 'true' }) });
    const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/log?${query}`;
    const stream = await this.connection.stream(path);
    if (stream.statusCode === 200) return stream;
    let text = '';
    for await (const chunk of stream) text += String(chunk);
    let body: unknown = text;
    try {
      body = JSON.parse(text);
    } catch {
      // A proxy in between may answer in plain text.
    }
    throw this.refused(`reading the log of pod/${name}`, { status: stream.statusCode ?? 0, body });
  }

  /** For other protocols than plain requests. */
  socketOptions(): ReturnType<Connection['socketOptions']> {
    return this.connection.socketOptions();
  }

  /** Makes a Failure of an answer that is no success. */
  refused(action: string, { status, body }: Pick<ApiAnswer, 'status' | 'body'>): ApiRefusal {
    return refusal(action, status, body, {
      context: this.context,
      server: this.connection.access.cluster.server,
    });
  }

  close(): void {
    this.connection.close();
  }

  /** Whether objects of the kind live in namespaces. */
  isNamespaced(key: Pick<ObjectKey, 'apiVersion' | 'kind'>): Promise<boolean> {
    return this.#kinds.isNamespaced(key);
  }

  #object(action: string, answer: ApiAnswer): LiveObject {
    return this.#success(action, answer) as LiveObject;
  }

  #success(action: string, answer: ApiAnswer): unknown {
    for (const warning of answer.warnings.filter((text) => !this.#warned.has(text))) {
      this.#warned.add(warning);
      this.onWarning(warning);
    }
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw this.refused(action, answer);
  }
}

function selector(terms: Readonly<Record<string, string>>): string {
  return Object.entries(terms)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}
