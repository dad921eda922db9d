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
