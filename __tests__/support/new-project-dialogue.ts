import { loadCatalog } from '../../lib/catalog/index.js';
import { chosenTarget, projectOptions, render } from '../../lib/project/index.js';

const ENTER = '\r';
const CLEAR_LINE = '\x15';
export const DESCRIPTION = `R&D "7B" it's <fast> $(touch MARKER)`;

const catalog = loadCatalog();
/** The target that is scaffolded when nobody says otherwise. */
export const target = chosenTarget(catalog, {}).manifest.target;
/** The questions for the target that is scaffolded when nobody says otherwise. */
const asked = projectOptions(catalog, chosenTarget(catalog, {})).filter(({ prompt }) => prompt);
const promptOf = (answer: string) => asked.find((option) => option.answer === answer)?.prompt ?? '';

/** A person who mistypes the name and a value, describes the project, and takes every other default: text to wait for, keys. */
export const dialogue: readonly [string, string][] = [
  ['Name of the project', `My Thing${ENTER}`],
  ['try: my-thing', `${CLEAR_LINE}my-thing${ENTER}`],
  [promptOf('deploymentTarget'), ENTER],
  ...asked
    .filter(({ answer }) => answer !== 'deploymentTarget')
    .flatMap(({ answer, prompt = '', description }): [string, string][] => {
      if (answer === 'description') return [[prompt, `${DESCRIPTION}${ENTER}`]];
      if (answer !== 'instanceType') return [[prompt, ENTER]];
      return [
        [prompt, `large${ENTER}`],
        [`found "large". ${description}`, `${CLEAR_LINE}${ENTER}`],
      ];
    }),
];

/** The same person, who leaves at the question for the instance type. */
export const abandoned: readonly [string, string][] = [
  ...dialogue.slice(
    0,
    dialogue.findIndex(([text]) => text === promptOf('instanceType')),
  ),
  [promptOf('instanceType'), '\x03'],
];

/** What the person gets: path, executable bit, contents. */
export const expectedProject = [
  ...render({ projectName: 'my-thing', description: DESCRIPTION }, catalog),
].map(([path, { contents, executable }]): [string, boolean, string] => [path, executable, contents]);

/** One line of help for each question. */
export const helpLines = asked.map(({ description }) => description);
