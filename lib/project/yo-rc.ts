import { Failure } from '../failure/index.js';
import { packageName } from '../package/index.js';
import type { Answers } from './answers.js';

export const YO_RC_PATH = '.yo-rc.json';

/** Answers and generator version, where Yeoman keeps them. */
export interface YoRc {
  version: string;
  answers: Answers;
}

export function renderYoRc({ version, answers }: YoRc): string {
  return format({ [packageName]: { version, answers } });
}

/** Reads the text of .yo-rc.json. Throws a usage Failure where it is not that of a project of ours. */
export function parseYoRc(text: string | undefined, folder: string): YoRc {
  if (text === undefined) throw notAProject(folder, `${YO_RC_PATH} is missing`);
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch (error) {
    throw new Failure({
      what: `${YO_RC_PATH} of ${folder} is damaged`,
      why: (error as Error).message,
      next: 'mend it, or get it back from version control',
      exit: 2,
    });
  }
  const entry = isObject(data) ? data[packageName] : undefined;
  if (!isObject(entry) || typeof entry.version !== 'string' || !isObject(entry.answers)) {
    throw notAProject(folder, `${YO_RC_PATH} has no version and answers of ${packageName}`);
  }
  return { version: entry.version, answers: entry.answers as Answers };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const notAProject = (folder: string, why: string): Failure =>
  new Failure({
    what: `${folder} is not a project of ${packageName}`,
    why,
    next: 'go to the project, or make one: mlcc new NAME',
    exit: 2,
  });

/** The same text with another version and answers; what others keep in the file stays, and a text that says all that stays whole. */
export function updateYoRc(text: string, { version, answers }: YoRc): string {
  const data = JSON.parse(text) as Record<string, object>;
  const before = data[packageName];
  const after = { ...before, version, answers };
  return JSON.stringify(before) === JSON.stringify(after) ? text : format({ ...data, [packageName]: after });
}

/** Adds a new project's entry to the text of a .yo-rc.json that may be there; undefined where it has one or is no JSON object. */
export function mergeIntoYoRc(text: string | undefined, rendered: string): string | undefined {
  if (text === undefined) return rendered;
  try {
    const data: unknown = JSON.parse(text);
    if (!isObject(data) || packageName in data) return undefined;
    return format({ ...data, ...(JSON.parse(rendered) as object) });
  } catch {
    return undefined;
  }
}

const format = (data: object): string => `${JSON.stringify(data, null, 2)}\n`;
