import type { ApiResource } from './resources.js';

/** Why one field was refused, as in the `details.causes` of a Status. */
export interface Cause {
  reason: string;
  message: string;
  field: string;
}

export interface StatusBody {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: Record<string, unknown>;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: {
    name?: string;
    group?: string;
    kind?: string;
    uid?: string;
    causes?: Cause[];
    retryAfterSeconds?: number;
  };
  code: number;
}

export function statusBody(
  code: number,
  reason: string,
  message: string,
  details?: StatusBody['details'],
): StatusBody {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: code < 400 ? 'Success' : 'Failure',
    ...(message && { message }),
    ...(reason && { reason }),
    ...(details && { details }),
    code,
  };
}

/** A refusal that the client sees as a Status object. */
export class ApiError extends Error {
  constructor(readonly body: StatusBody) {
    super(body.message);
  }
}

/** `deployments.apps`, as messages name a resource. */
export const qualified = (resource: ApiResource): string =>
  resource.group ? `${resource.plural}.${resource.group}` : resource.plural;

const about = (resource: ApiResource, name: string) => ({
  name,
  ...(resource.group && { group: resource.group }),
  kind: resource.plural,
});

export const badRequest = (message: string): ApiError => new ApiError(statusBody(400, 'BadRequest', message));

export const unauthorized = (): ApiError => new ApiError(statusBody(401, 'Unauthorized', 'Unauthorized'));

export const notFound = (resource: ApiResource, name: string): ApiError =>
  new ApiError(
    statusBody(404, 'NotFound', `${qualified(resource)} "${name}" not found`, about(resource, name)),
  );

export const noSuchPath = (): ApiError =>
  new ApiError(statusBody(404, 'NotFound', 'the server could not find the requested resource', {}));

export const forbidden = (resource: ApiResource, name: string, why: string): ApiError =>
  new ApiError(
    statusBody(
      403,
      'Forbidden',
      `${qualified(resource)} "${name}" is forbidden: ${why}`,
      about(resource, name),
    ),
  );

export const alreadyExists = (resource: ApiResource, name: string): ApiError =>
  new ApiError(
    statusBody(
      409,
      'AlreadyExists',
      `${qualified(resource)} "${name}" already exists`,
      about(resource, name),
    ),
  );

export const conflict = (resource: ApiResource, name: string, why: string): ApiError =>
  new ApiError(
    statusBody(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`,
      about(resource, name),
    ),
  );

export const gone = (message: string): ApiError => new ApiError(statusBody(410, 'Expired', message));

/** 422: the object was understood, and breaks a rule of its kind. */
export function invalid(resource: ApiResource, name: string, causes: Cause[]): ApiError {
  const kind = resource.group ? `${resource.kind}.${resource.group}` : resource.kind;
  const problems = causes.map((cause) => `${cause.field}: ${cause.message}`);
  const list = problems.length === 1 ? problems[0] : `[${problems.join(', ')}]`;
  return new ApiError(
    statusBody(422, 'Invalid', `${kind} "${name}" is invalid: ${list}`, {
      name,
      ...(resource.group && { group: resource.group }),
      kind: resource.kind,
      causes,
    }),
  );
}

export const required = (field: string, hint = ''): Cause => ({
  reason: 'FieldValueRequired',
  message: `Required value${hint && `: ${hint}`}`,
  field,
});

export const badValue = (field: string, value: unknown, why: string): Cause => ({
  reason: 'FieldValueInvalid',
  message: `Invalid value: ${JSON.stringify(value)}: ${why}`,
  field,
});

export const forbiddenChange = (field: string, why: string): Cause => ({
  reason: 'FieldValueForbidden',
  message: `Forbidden: ${why}`,
  field,
});

export const unsupported = (field: string, value: unknown, known: readonly unknown[]): Cause => ({
  reason: 'FieldValueNotSupported',
  message: `Unsupported value: ${JSON.stringify(value)}: supported values: ${known.map((v) => JSON.stringify(v)).join(', ')}`,
  field,
});

export const unsupportedMediaType = (accepted: string): ApiError =>
  new ApiError(
    statusBody(
      415,
      'UnsupportedMediaType',
      `the body of the request was in an unknown format - accepted media types include: ${accepted}`,
    ),
  );
