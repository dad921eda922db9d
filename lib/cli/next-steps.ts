import type { Answers } from '../project/index.js';
import { quoteShell } from '../shell/index.js';

/** What a person types after scaffolding, as lines. */
export function nextSteps(folder: string, answers: Answers, files: number): string[] {
  return [
    `${answers.projectName}: ${files} files in ${folder}, for the target ${answers.deploymentTarget} with ${answers.engine}`,
    '',
    'Next:',
    ...(folder === '.' ? [] : [`  cd ${/^[\w./-]+$/.test(folder) ? folder : quoteShell(folder)}`]),
    '  do/status              what is deployed (nothing yet)',
    '  do/deploy --dry-run    what a deploy would do',
    '  do/deploy --help       every setting',
  ];
}
