import { Failure } from '../failure/index.js';
import { type Fault, faultLine, schemaFaults } from './faults.js';
import { type SchemaName, validator } from './schemas.js';
import type {
  DescriptorFolder,
  Engine,
  EngineManifest,
  SharedVariable,
  Target,
  TargetManifest,
} from './types.js';

/** A parsed value, or the faults that stand in the way. */
export type Parsed<T> = { value: T; faults: readonly [] } | { value?: undefined; faults: readonly Fault[] };

const failed = (...faults: Fault[]): Parsed<never> => ({ faults });
const done = <T>(value: T): Parsed<T> => ({ value, faults: [] });

export function parseTarget(folder: DescriptorFolder): Parsed<Target> {
  const manifest = parseManifest<TargetManifest>(folder, 'target');
  if (!manifest.value) return manifest;
  const { deploy, clean, missing } = scripts(folder);
  if (missing.length > 0) return failed(...missing);
  const assets = [...folder.files].filter(([path]) => path.startsWith('files/'));
  return done({
    manifest: manifest.value,
    manifestText: text(folder, 'manifest.json'),
    location: folder.location,
    origin: folder.origin,
    deploy,
    clean,
    assets: new Map(assets.map(([path, file]) => [path.slice('files/'.length), file])),
  });
}

export function parseEngine(folder: DescriptorFolder): Parsed<Engine> {
  const manifest = parseManifest<EngineManifest>(folder, 'engine');
  if (!manifest.value) return manifest;
  const missing = scriptFaults(folder, 'serve');
  if (missing.length > 0) return failed(...missing);
  return done({
    manifest: manifest.value,
    manifestText: text(folder, 'manifest.json'),
    location: folder.location,
    origin: folder.origin,
    serve: text(folder, 'serve'),
  });
}

/** A target's manifest by itself; `file` is for messages. Throws a Failure with one line per fault. */
export function parseTargetManifest(contents: string, file: string): TargetManifest {
  return manifestOrThrow<TargetManifest>(contents, file, 'target');
}

/** A serving engine's manifest by itself; `file` is for messages. Throws a Failure with one line per fault. */
export function parseEngineManifest(contents: string, file: string): EngineManifest {
  return manifestOrThrow<EngineManifest>(contents, file, 'engine');
}

export function parseVariables(contents: string, file: string): Parsed<Record<string, SharedVariable>> {
  const parsed = parseJson<{ variables: Record<string, SharedVariable> }>(contents, file, 'variables');
  return parsed.value ? done(parsed.value.variables) : parsed;
}

function scripts(folder: DescriptorFolder): { deploy: string; clean: string; missing: Fault[] } {
  return {
    deploy: text(folder, 'deploy'),
    clean: text(folder, 'clean'),
    missing: [...scriptFaults(folder, 'deploy'), ...scriptFaults(folder, 'clean')],
  };
}

function scriptFaults(folder: DescriptorFolder, name: string): Fault[] {
  const script = folder.files.get(name);
  const file = `${folder.location}/${name}`;
  if (!script) return [{ file, pointer: '', message: 'the script is missing' }];
  const messages = [
    ...(script.executable ? [] : [`the script is not executable; run: chmod +x ${file}`]),
    ...(script.contents.includes('\r\n') ? ['the script has Windows line ends; bash cannot run it'] : []),
  ];
  return messages.map((message) => ({ file, pointer: '', message }));
}

function manifestOrThrow<T extends object>(contents: string, file: string, schema: SchemaName): T {
  const { value, faults } = parseJson<T>(contents, file, schema);
  if (value !== undefined) return value;
  throw new Failure({ what: `${file} is not a descriptor`, why: faults.map(faultLine), exit: 2 });
}

function parseManifest<T extends object>(folder: DescriptorFolder, schema: SchemaName): Parsed<T> {
  const file = `${folder.location}/manifest.json`;
  const manifest = folder.files.get('manifest.json');
  if (!manifest) return failed({ file, pointer: '', message: 'the descriptor is missing' });
  return parseJson<T>(manifest.contents, file, schema);
}

function parseJson<T extends object>(contents: string, file: string, schema: SchemaName): Parsed<T> {
  let data: unknown;
  try {
    data = JSON.parse(contents);
  } catch (error) {
    return failed({ file, pointer: '', message: `not valid JSON: ${(error as Error).message}` });
  }
  const validate = validator(schema);
  return validate(data) ? done(data as T) : failed(...schemaFaults(file, validate.errors ?? []));
}

const text = (folder: DescriptorFolder, path: string): string => folder.files.get(path)?.contents ?? '';
