import { badRequest } from '../api-error.js';
import { type KubeObject, valueAt } from '../json.js';

export type Matcher = (object: KubeObject) => boolean;

/** The label part: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b)`, `a`, `!a`, joined by commas. */
function labelMatcher(selector: string): Matcher {
  const terms = selector
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter(Boolean)
    .map(labelTerm);
  return (object) => terms.every((term) => term(object.metadata.labels ?? {}));
}

function labelTerm(term: string): (labels: Record<string, string>) => boolean {
  const set = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term);
  if (set) {
    const [, key = '', operator, list = ''] = set;
    const values = list.split(',').map((value) => value.trim());
    return (labels) => values.includes(labels[key] ?? '\0') === (operator === 'in');
  }
  const equality = /^([^!=\s]+)\s*(!=|==?)\s*(\S*)$/.exec(term);
  if (equality) {
    const [, key = '', operator, value] = equality;
    return (labels) => (labels[key] === value) === (operator !== '!=');
  }
  const existence = /^(!?)([^!=\s,()]+)$/.exec(term);
  if (!existence) throw badRequest(`unable to parse requirement: ${term}`);
  const [, negated, key = ''] = existence;
  return (labels) => key in labels === (negated === '');
}

/** The field part: `metadata.name=x`, `status.phase!=Running`, ... */
function fieldMatcher(selector: string): Matcher {
  const terms = selector
    .split(',')
    .filter(Boolean)
    .map((term) => {
      const match = /^([^!=]+)(!=|==?)(.*)$/.exec(term);
      if (!match) throw badRequest(`invalid field selector ${JSON.stringify(term)}`);
      const [, field = '', operator, value] = match;
      return (object: KubeObject) =>
        (String(valueAt(object, ...field.split('.')) ?? '') === value) === (operator !== '!=');
    });
  return (object) => terms.every((term) => term(object));
}

/** Both selectors of a query. */
export function queryMatcher(query: URLSearchParams): Matcher {
  const labels = labelMatcher(query.get('labelSelector') ?? '');
  const fields = fieldMatcher(query.get('fieldSelector') ?? '');
  return (object) => labels(object) && fields(object);
}
