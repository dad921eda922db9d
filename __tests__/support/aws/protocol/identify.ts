import type { AwsRequest } from './request.js';
import { loadServiceModel, type Operation, type ServiceModel, shapeOf } from './service-model.js';

/** Which operation of which service a request is for. */
export interface Identity {
  /** The service as the AWS CLI names it (`s3` for s3api, too), or `unknown`. */
  service: string;
  /** The operation as the service names it, or `Unknown`. */
  operation: string;
}

/** Says what a request is for, from its signature and, by protocol, its target header, form or path. */
export function identify(request: AwsRequest, dataFolder: string): Identity {
  const target = request.headers['x-amz-target'];
  const service = serviceOf(request);
  if (typeof target === 'string') return { service, operation: target.slice(target.lastIndexOf('.') + 1) };
  const action = /(?:^|[?&])Action=(\w+)/;
  const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') ?? false;
  const found = (isForm && action.exec(request.body.toString('latin1'))) || action.exec(request.url);
  if (found?.[1]) return { service: service || 'sts', operation: found[1] };
  if (!REST_SERVICES.has(service)) return { service: service || 'unknown', operation: 'Unknown' };
  const model = loadServiceModel(dataFolder, service);
  return { service, operation: restOperation(request, model, service === 's3') ?? 'Unknown' };
}

const REST_SERVICES = new Set(['s3', 'eks', 'sagemaker-runtime']);

function serviceOf({ signingName, url }: AwsRequest): string {
  if (signingName === 'sagemaker' && url.startsWith('/endpoints/')) return 'sagemaker-runtime';
  return signingName;
}

/** The operation whose method, path and required query the request has: of several, the one that asks for the most. */
function restOperation(request: AwsRequest, model: ServiceModel, pathStyle: boolean): string | undefined {
  const { path, query } = splitUrl(request.url);
  let best: { name: string; weight: number } | undefined;
  for (const operation of Object.values(model.operations)) {
    if (operation.http.method !== request.method) continue;
    const weight = matchWeight(operation, model, request, path, query, pathStyle);
    if (weight !== undefined && (!best || weight > best.weight)) best = { name: operation.name, weight };
  }
  return best?.name;
}

function matchWeight(
  operation: Operation,
  model: ServiceModel,
  request: AwsRequest,
  path: string,
  query: URLSearchParams,
  pathStyle: boolean,
): number | undefined {
  const { path: template, query: wanted } = splitUrl(operation.http.requestUri);
  const input = operation.input && shapeOf(model, operation.input.shape);
  const takesBucket = pathStyle && input?.members?.Bucket !== undefined;
  const whole = takesBucket && !template.includes('{Bucket}') ? `/{Bucket}${template}` : template;
  if (!pathPattern(whole).test(path)) return undefined;
  let weight = whole.split('/').filter((part) => part && !part.startsWith('{')).length;
  for (const [name, value] of wanted) {
    if (!query.has(name) || (value !== '' && query.get(name) !== value)) return undefined;
    weight += 2;
  }
  for (const name of input?.required ?? []) {
    const member = input?.members?.[name];
    const location = member?.locationName ?? name;
    if (member?.location === 'querystring') {
      if (!query.has(location)) return undefined;
      weight += 1;
    }
    if (member?.location === 'header') {
      if (request.headers[location.toLowerCase()] === undefined) return undefined;
      weight += 1;
    }
  }
  return weight;
}

function pathPattern(template: string): RegExp {
  const trimmed = template.replace(/\/$/, '');
  const body = trimmed
    .replace(/[.*]/g, '\\$&')
    .replace(/\{\w+(\+?)\}/g, (_, greedy) => (greedy ? '.+' : '[^/]+'));
  return new RegExp(`^${body}/?$`);
}

function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, query: new URLSearchParams() };
  return { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) };
}
