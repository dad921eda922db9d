import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** A shape of a service's model: the type of a value, with its limits. */
export interface Shape {
  type: string;
  members?: Record<string, Member>;
  required?: string[];
  member?: Member;
  key?: Member;
  value?: Member;
  enum?: string[];
  min?: number;
  max?: number;
  pattern?: string;
}

export interface Member {
  shape: string;
  location?: string;
  locationName?: string;
}

export interface Operation {
  name: string;
  http: { method: string; requestUri: string; responseCode?: number };
  input?: Member;
  output?: Member;
}

/** A service as botocore describes it in JSON. */
export interface ServiceModel {
  metadata: { protocol: string; targetPrefix?: string; signingName?: string };
  operations: Record<string, Operation>;
  shapes: Record<string, Shape>;
}

const loaded = new Map<string, ServiceModel>();

/** The newest model of a service in botocore's folder of data. */
export function loadServiceModel(dataFolder: string, service: string): ServiceModel {
  const folder = join(dataFolder, service);
  const known = loaded.get(folder);
  if (known) return known;
  const version = readdirSync(folder).sort().at(-1) ?? '';
  const plain = join(folder, version, 'service-2.json');
  const text = existsSync(plain) ? readFileSync(plain) : gunzipSync(readFileSync(`${plain}.gz`));
  const model = JSON.parse(text.toString('utf8')) as ServiceModel;
  loaded.set(folder, model);
  return model;
}

/** The shape of that name. */
export function shapeOf(model: ServiceModel, name: string): Shape {
  const shape = model.shapes[name];
  if (!shape) throw new Error(`the service's model has no shape ${name}`);
  return shape;
}
