import {
  aliasFault,
  nameFault,
  type Stub,
  stubs,
  type TargetRequest,
  tagFault,
  tagOf,
} from '../authoring/index.js';
import type { Catalog } from '../catalog/index.js';

/** A question in the form that inquirer and Yeoman's prompt() both take. */
export interface TargetQuestion {
  type: 'input' | 'select';
  name: string;
  message: string;
  default: string;
  choices?: readonly { name: string; value: string }[];
  validate?: (value: string) => true | string;
}

export type AskAboutTarget = (questions: TargetQuestion[]) => Promise<Record<string, string>>;

/** Completes a request by asking for what it leaves open, each question with the default of the kind of target. */
export async function askForTarget(
  request: Partial<TargetRequest>,
  catalog: Catalog,
  ask: AskAboutTarget,
): Promise<TargetRequest> {
  const name = request.name ?? (await askName(catalog, ask));
  const kind = await askKind(request, ask);
  const proposedTag = tagOf(name);
  const reply = await ask([
    ...(request.summary === undefined
      ? [input('summary', 'What it is, in one line', kind?.summary ?? '')]
      : []),
    ...(request.statusTag === undefined
      ? [
          input('statusTag', 'Status tag: DEPLOYMENT_TARGET_<tag>_STATUS', proposedTag, (tag) =>
            tagFault(tag, catalog),
          ),
        ]
      : []),
    ...(request.aliases === undefined
      ? [
          input('aliases', 'Other names for it (separated by blanks; empty: none)', '', (text) =>
            firstFault(text, (alias) => aliasFault(alias, name, catalog)),
          ),
        ]
      : []),
    ...(request.required === undefined
      ? [
          input('required', 'More variables that must be set before a deploy (empty: none)', '', (text) =>
            firstFault(text, variableFault),
          ),
        ]
      : []),
  ]);
  return {
    ...request,
    name,
    ...(kind && { family: kind.family, invocation: kind.invocation, workload: kind.workload }),
    ...(reply.summary ? { summary: reply.summary } : {}),
    ...(reply.statusTag ? { statusTag: reply.statusTag } : {}),
    ...(reply.aliases ? { aliases: words(reply.aliases) } : {}),
    ...(reply.required ? { required: words(reply.required) } : {}),
  };
}

async function askName(catalog: Catalog, ask: AskAboutTarget): Promise<string> {
  const reply = await ask([input('name', 'Name of the target', '', (name) => nameFault(name, catalog))]);
  return reply.name ?? '';
}

/** The kind is asked for when nothing that was said decides it. */
async function askKind(request: Partial<TargetRequest>, ask: AskAboutTarget): Promise<Stub | undefined> {
  const { like, family, invocation, workload } = request;
  if (like !== undefined || family !== undefined || invocation !== undefined || workload !== undefined) {
    return undefined;
  }
  const choices = stubs().map(({ summary, ...stub }, index) => ({
    name: `${stub.family}, ${stub.invocation}: ${summary}`,
    value: String(index),
  }));
  const message = 'What kind of target is it?';
  const reply = await ask([{ type: 'select', name: 'kind', message, default: '0', choices }]);
  return stubs()[Number(reply.kind)];
}

function input(
  name: string,
  message: string,
  initial: string,
  fault: (value: string) => string | undefined = () => undefined,
): TargetQuestion {
  return { type: 'input', name, message, default: initial, validate: (value) => fault(value) ?? true };
}

const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '');

const firstFault = (text: string, fault: (word: string) => string | undefined): string | undefined =>
  words(text)
    .map(fault)
    .find((found) => found !== undefined);

const variableFault = (name: string): string | undefined =>
  /^[A-Z][A-Z0-9_]*$/.test(name)
    ? undefined
    : `"${name}": a variable has capital letters, digits and underscores, and begins with a letter`;
