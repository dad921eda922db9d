import { validationException } from '../aws-error.js';
import type { Json, Resource } from './resource.js';

const LONGEST_PAGE = 100;
const DEFAULT_PAGE = 10;

/** The resources that a list operation asks for: filtered, sorted, one page. */
export function page(
  input: Json,
  resources: readonly Resource[],
): { found: Resource[]; next: { NextToken?: string } } {
  const wanted = resources.filter((resource) => isWanted(resource, input));
  wanted.sort(order(String(input.SortBy ?? 'CreationTime')));
  if ((input.SortOrder ?? 'Descending') === 'Descending') wanted.reverse();
  const start = startOf(input.NextToken);
  const end = start + Math.min(Number(input.MaxResults ?? DEFAULT_PAGE), LONGEST_PAGE);
  const next = end < wanted.length ? { NextToken: Buffer.from(`from ${end}`).toString('base64') } : {};
  return { found: wanted.slice(start, end), next };
}

function isWanted(resource: Resource, input: Json): boolean {
  const { NameContains, StatusEquals, CreationTimeAfter, CreationTimeBefore } = input;
  if (resource.unseen > 0) return false;
  if (
    NameContains !== undefined &&
    !resource.name.toLowerCase().includes(String(NameContains).toLowerCase())
  ) {
    return false;
  }
  if (StatusEquals !== undefined && resource.status !== StatusEquals) return false;
  if (CreationTimeAfter !== undefined && resource.createdAt <= Number(CreationTimeAfter)) return false;
  return CreationTimeBefore === undefined || resource.createdAt < Number(CreationTimeBefore);
}

function order(by: string): (one: Resource, other: Resource) => number {
  if (by === 'Name') return (one, other) => (one.name < other.name ? -1 : 1);
  if (by === 'Status') return (one, other) => (one.status < other.status ? -1 : 1);
  return (one, other) => one.createdAt - other.createdAt;
}

function startOf(token: unknown): number {
  if (token === undefined) return 0;
  const start = /^from (\d+)$/.exec(Buffer.from(String(token), 'base64').toString('latin1'))?.[1];
  if (start === undefined) throw validationException('Invalid pagination token.');
  return Number(start);
}
