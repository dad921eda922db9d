import type { KubeApi } from '../../support/kube-api/index.js';

/** One kind of request to the cluster's API, as it was recorded when nothing went wrong. */
export interface KubeCall {
  /** Part of the client's name for itself. */
  agent: string;
  method: string;
  path: string;
  isDryRun: boolean;
  /** Counted from 1, over the requests that are alike. */
  turn: number;
}

type Logged = KubeApi['log']['entries'][number];

/** kubectl keeps what it has found out about a cluster; that is asked for now and then. */
const DISCOVERY = /^\/(api(\/v1)?|apis(\/[^/]+(\/v[^/]+)?)?|openapi.*|version)$/;
/** A look that is repeated until something is so is as good as its first two. */
const MOST_TURNS = 2;

export function recordedKubeCalls(entries: readonly Logged[]): KubeCall[] {
  const turns = new Map<string, number>();
  const calls: KubeCall[] = [];
  for (const { userAgent, method, path, query } of entries) {
    const agent = /^[a-z-]+/.exec(userAgent)?.[0] ?? '';
    if (agent === 'kubectl' && DISCOVERY.test(path)) continue;
    const call = { agent, method, path, isDryRun: query.has('dryRun') };
    const turn = (turns.get(JSON.stringify(call)) ?? 0) + 1;
    turns.set(JSON.stringify(call), turn);
    if (turn <= MOST_TURNS || call.method !== 'GET') calls.push({ ...call, turn });
  }
  return calls;
}

export const changes = ({ method, isDryRun }: KubeCall): boolean => method !== 'GET' && !isDryRun;

export function nameOfCall({ agent, method, path, isDryRun, turn }: KubeCall): string {
  return `${agent} ${method} ${path}${isDryRun ? ' (dry run)' : ''} (${turn})`;
}

/** Whose the call is, without the names of objects and namespaces: what the scripts do, wherever they do it. */
export function sortOf({ agent, method, path, isDryRun }: KubeCall): string {
  const [, , kind = path] = /\/(namespaces\/[^/]+\/)?([a-z]+)(\/[^/]+)?$/.exec(path) ?? [];
  return `${agent} ${method} ${DISCOVERY.test(path) ? path : kind}${isDryRun ? ' (dry run)' : ''}`;
}

/** What a rule of the API server needs to meet the same requests. */
export function matching({ agent, method, path, isDryRun }: KubeCall): {
  agent: string;
  method: string;
  path: RegExp;
} {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return {
    agent,
    method,
    path: new RegExp(
      `^${literal}(\\?${isDryRun ? '(?=.*dryRun)' : '(?!.*dryRun)'}.*|${isDryRun ? '(?!)' : ''})$`,
    ),
  };
}
