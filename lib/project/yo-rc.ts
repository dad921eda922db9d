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
  return `${JSON.stringify({ [packageName]: { version, answers } }, null, 2)}\n`;
}

/** Reads the text of .yo-rc.json. Throws a usage Failure where it is not that of a project of ours. */
export function parseYoRc(text: string | undefined, folder: string): YoRc {
  const none = new Failure({
    what: `${folder} is not a project of ${packageName}`,
    why:
      text === undefined
        ? `${YO_RC_PATH} is missing`
        : `${YO_RC_PATH} has no version and answers of ${packageName}`,
    next: 'go to the project, or make one: mlcc new NAME',
    exit: 2,
  });
  if (text === undefined) throw none;
  try {
    const { version, answers } = JSON.parse(text)[packageName] as YoRc;
    if (typeof version !== 'string' || typeof answers !== 'object' || answers === null) throw none;
    return { version, answers };
  } catch {
    throw none;
  }
}

/** The same text with another version and answers; what others keep in the file stays. */
export function updateYoRc(text: string, rc: YoRc): string {
  const data = JSON.parse(text) as Record<string, unknown>;
  return `${JSON.stringify({ ...data, [packageName]: rc }, null, 2)}\n`;
}
