import {
  type Catalog,
  camelCase,
  findTarget,
  hint,
  type TargetManifest,
  type TextFile,
  type VerbName,
} from '../catalog/index.js';
import { Failure } from '../failure/index.js';
import { jsonText } from './json-text.js';
import { aliasFault, nameFault, tagFault, tagOf } from './names.js';
import type { TargetRequest } from './request.js';
import { KIND_FIELDS, type Stub, stubs } from './stubs.js';
import { paramsFor, variablesFrom } from './variables.js';
import { vocabulary } from './vocabulary.js';

/** What the author has to decide is marked in the scripts with this word. */
export const DECISION_MARK = 'MLCC-DECIDE:';

/** A new target: the three files of its folder, and where its descriptor needs the author's words. */
export interface NewTarget {
  manifest: TargetManifest;
  files: { 'manifest.json': TextFile; deploy: TextFile; clean: TextFile };
  /** What to look at in manifest.json: field and reason. */
  openFields: readonly string[];
}

/** Makes a target of what was asked for. Throws a usage Failure with one reason for each thing that is wrong. */
export function makeTarget(request: TargetRequest, catalog: Catalog, schemaPath?: string): NewTarget {
  const faults: string[] = [];
  const note = (what: string, fault: string | undefined) => {
    if (fault !== undefined) faults.push(`${what}: ${fault}`);
  };
  const { name, aliases = [] } = request;
  const tag = request.statusTag ?? tagOf(name);
  note('name', nameFault(name, catalog));
  for (const alias of aliases) note(`--alias ${alias}`, aliasFault(alias, name, catalog));
  // A tag that follows from a bad name is not worth a word of its own.
  if (request.statusTag !== undefined || faults.length === 0) note('--status-tag', tagFault(tag, catalog));
  note('--success', notAmong(request.success, vocabulary().successes));
  note('--serving-source', notAmong(request.servingSource, vocabulary().servingSources));
  const stub = startingPoint(request, catalog, faults);
  const given = { required: request.required ?? [], optional: request.optional ?? [] };
  const variables = stub && variablesFrom(stub, given, faults);
  const chosenVerbs = verbChoices(request.verbs ?? [], faults);
  if (!stub || !variables || faults.length > 0) throw refusal(name, faults);

  const { params, invented } = paramsFor(stub, variables, catalog);
  const verbs = { ...stub.verbs, ...chosenVerbs };
  const statusVar = `DEPLOYMENT_TARGET_${tag}_STATUS`;
  const guidance = Object.entries(stub.verb_guidance).filter(([verb]) => !verbs[verb as VerbName]);
  const manifest: TargetManifest = {
    ...(schemaPath === undefined ? {} : { $schema: schemaPath }),
    target: name,
    summary: request.summary ?? stub.summary,
    aliases: [...aliases],
    status_var: statusVar,
    answer_key: camelCase(statusVar),
    success_status: (request.success ?? stub.success_status) as TargetManifest['success_status'],
    family: stub.family,
    invocation: stub.invocation,
    workload: stub.workload,
    sagemaker_endpoint: stub.sagemaker_endpoint,
    deploy_script: `deploy.d/${name}`,
    clean_script: `clean.d/${name}`,
    required_vars: variables.required,
    optional_vars: variables.optional,
    runtime_owned_vars: [
      ...['STATUS', ...stub.records].map((what) => `DEPLOYMENT_TARGET_${tag}_${what}`),
      ...stub.shared_records,
    ],
    serving_config_source: (request.servingSource ??
      stub.serving_config_source) as TargetManifest['serving_config_source'],
    verbs,
    ...(guidance.length === 0 ? {} : { verb_guidance: Object.fromEntries(guidance) }),
    ...(Object.keys(params).length === 0 ? {} : { params }),
  };
  return {
    manifest,
    files: {
      'manifest.json': { contents: jsonText(manifest), executable: false },
      deploy: { contents: stub.deploy, executable: true },
      clean: { contents: stub.clean, executable: true },
    },
    openFields: [
      ...(request.summary === undefined ? ['/summary: say in one line what the target is'] : []),
      ...invented.map(
        (variable) => `/params/${variable}: say what it is; a pattern or a list of values guards it`,
      ),
      '/verbs: say for each verb whether it applies, and in verb_guidance what to do instead',
    ],
  };
}

export const refusal = (name: string, why: readonly string[]): Failure =>
  new Failure({
    what: `the target "${name}" cannot be added; nothing was written`,
    why,
    next: 'mlcc add-target --help shows what can be said; mlcc targets shows the targets that there are',
    exit: 2,
  });

function notAmong(value: string | undefined, allowed: readonly string[]): string | undefined {
  if (value === undefined || allowed.includes(value)) return undefined;
  return `found "${value}"; allowed: ${allowed.join(', ')}${hint(value, allowed)}`;
}

/** The stub of the kind that was asked for, or an existing target in its place. */
function startingPoint(request: TargetRequest, catalog: Catalog, faults: string[]): Stub | undefined {
  const words = vocabulary();
  const allowed = { family: words.families, invocation: words.invocations, workload: words.workloads };
  const wrong = KIND_FIELDS.flatMap((field) => {
    const fault = notAmong(request[field], allowed[field]);
    return fault === undefined ? [] : [`--${field}: ${fault}`];
  });
  if (wrong.length > 0) {
    faults.push(...wrong);
    return undefined;
  }
  const isWanted = (stub: Stub) =>
    KIND_FIELDS.every((field) => (request[field] ?? stub[field]) === stub[field]);
  if (request.like !== undefined) return stubLike(request.like, isWanted, catalog, faults);
  if (KIND_FIELDS.every((field) => request[field] === undefined)) {
    faults.push(`--family: say what kind of target it is: ${words.families.join(', ')}; or --like TARGET`);
    return undefined;
  }
  const found = stubs().find(isWanted);
  if (!found) {
    const kinds = stubs().filter(({ family }) => family === (request.family ?? family));
    faults.push(`no target is ${wordsOf(request)}; there are: ${kinds.map(wordsOf).join('; ')}`);
  }
  return found;
}

function stubLike(
  like: string,
  isWanted: (stub: Stub) => boolean,
  catalog: Catalog,
  faults: string[],
): Stub | undefined {
  const target = findTarget(catalog, like);
  if (!target) {
    const known = catalog.targets.map(({ manifest }) => manifest.target);
    faults.push(`--like: there is no target "${like}"${hint(like, known)}; there are: ${known.join(', ')}`);
    return undefined;
  }
  const { manifest, deploy, clean } = target;
  const own = manifest.status_var.replace(/STATUS$/, '');
  const isOwn = (name: string) => name.startsWith(own);
  const records = manifest.runtime_owned_vars.filter((name) => isOwn(name) && name !== manifest.status_var);
  const stub: Stub = {
    ...manifest,
    summary: manifest.summary ?? '',
    verb_guidance: manifest.verb_guidance ?? {},
    params: manifest.params ?? {},
    records: records.map((name) => name.slice(own.length)),
    shared_records: manifest.runtime_owned_vars.filter((name) => !isOwn(name)),
    deploy,
    clean,
  };
  if (isWanted(stub)) return stub;
  faults.push(`--like ${like}: it is ${wordsOf(stub)}, and its scripts do not fit another kind`);
  return undefined;
}

const wordsOf = (kind: { family?: string; invocation?: string; workload?: string }): string =>
  KIND_FIELDS.flatMap((field) => (kind[field] === undefined ? [] : [`${field} ${kind[field]}`])).join(', ');

function verbChoices(given: readonly string[], faults: string[]): Partial<TargetManifest['verbs']> {
  const { verbs } = vocabulary();
  const choices: Partial<TargetManifest['verbs']> = {};
  for (const text of given) {
    const [, verb = text, choice] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const known = verbs.find((name) => name === verb);
    if (!known) faults.push(`--verb ${text}: ${notAmong(verb, verbs)}`);
    else if (choice !== 'yes' && choice !== 'no')
      faults.push(`--verb ${text}: write it as ${verb}=yes or ${verb}=no`);
    else choices[known] = choice === 'yes';
  }
  return choices;
}
