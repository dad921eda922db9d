import { type Catalog, lifecycleOf, paramOf, type Target, variablesOf } from '../catalog/index.js';
import { exportLine } from '../shell/index.js';
import { type Answers, answerTo } from './answers.js';
import { defaultOf } from './options.js';

/** A line that would hide the user's own setting as long as it is empty, so it is never written empty. */
const NEVER_EMPTY = new Set(['KUBECONFIG']);

const HEAD = `# do/config: the settings and the state of this project.
# @mlcc-script
# type: model-centric
# guard: none
# lifecycle: configuration
# targets: all
# usage: sourced by every script in do/
#
# Data only: one export KEY='value' a line, a quote in a value written as '\\''. Edit it, or use do/lib/config-store.sh
# set KEY VALUE. For one run only: do/<verb> --set KEY=VALUE. Lines and comments of your own are kept by regenerate.
`;

/** The initial do/config: settings that all targets share, those of the chosen target, and one status line per target. */
export function renderConfig(catalog: Catalog, target: Target, answers: Answers): string {
  const shared = Object.keys(catalog.variables).filter(
    (name) => !ownVariables(catalog, target).includes(name),
  );
  const others = catalog.targets
    .filter((other) => other !== target)
    .flatMap((other) => variablesOf(other).map((name) => [name, other] as const))
    .filter(([name]) => !variablesOf(target).includes(name) && catalog.variables[name] === undefined);

  const sections = [
    HEAD,
    section(
      'Project',
      shared.flatMap((name) => sharedLine(catalog, target, answers, name)),
    ),
    section(
      `Target ${target.manifest.target}`,
      ownVariables(catalog, target).flatMap((name) =>
        settingLine(catalog, target, name, settingOf(catalog, target, answers, name)),
      ),
    ),
    section(
      'Settings of other targets',
      [...new Map(others)].flatMap(([name, other]) => {
        const value = answerTo(catalog, answers, name);
        return value === undefined ? [] : settingLine(catalog, other, name, value);
      }),
    ),
    statusBlock(catalog),
  ];
  return sections.filter((text) => text !== '').join('\n');
}

/** The variables that the target's section shows: its own, unless they belong to every project. */
function ownVariables(catalog: Catalog, target: Target): string[] {
  return variablesOf(target).filter((name) => {
    const shared = catalog.variables[name];
    return shared === undefined || shared.lifecycle === 'runtime-owned';
  });
}

function settingOf(catalog: Catalog, target: Target, answers: Answers, variable: string): string {
  return answerTo(catalog, answers, variable) ?? defaultOf(catalog, target, variable);
}

/** A shared variable without a default gets its line once there is a value, a runtime-owned one when a script writes it. */
function sharedLine(catalog: Catalog, target: Target, answers: Answers, variable: string): string[] {
  const declared = catalog.variables[variable];
  const isAlias = Object.entries(catalog.variables).some(
    ([name, other]) =>
      name !== variable && other.answer !== undefined && other.answer === declared?.answer && other.flag,
  );
  if (isAlias || lifecycleOf(catalog, variable) === 'runtime-owned') return [];
  const answer = answerTo(catalog, answers, variable);
  if (answer === undefined && declared?.default === undefined) return [];
  return settingLine(catalog, target, variable, answer ?? defaultOf(catalog, target, variable));
}

function settingLine(catalog: Catalog, target: Target, variable: string, value: string): string[] {
  if (value === '' && NEVER_EMPTY.has(variable)) return [];
  const description = paramOf(catalog, target, variable)?.description;
  return [...(description ? [`# ${description}`] : []), exportLine(variable, value)];
}

function statusBlock(catalog: Catalog): string {
  const lines = catalog.targets.map(({ manifest }) => exportLine(manifest.status_var, ''));
  return [
    '# >>> GENERATED status: one line per target, written by its deploy and clean scripts',
    ...lines,
    '# <<< END GENERATED',
    '',
  ].join('\n');
}

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `# --- ${title}\n${lines.join('\n')}\n`;
