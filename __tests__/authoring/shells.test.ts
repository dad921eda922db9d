import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import helpers from 'yeoman-test';
import AddTargetGenerator from '../../generators/add-target/index.js';
import { stubs } from '../../lib/authoring/index.js';
import { runAddTarget } from '../../lib/cli/index.js';
import { NewTargetProject } from './support/new-target-project.js';

type Ask = Parameters<typeof runAddTarget>[2]['ask'];
type Questions = Parameters<NonNullable<Ask>>[0];

const folder = process.cwd();
let project: NewTargetProject;
beforeEach(() => {
  project = new NewTargetProject();
});
afterEach(() => {
  // Yeoman changes into the project.
  process.chdir(folder);
  project.remove();
});

/** A person who answers some questions, and takes the default of the others; every question is noted. */
function person(answers: Readonly<Record<string, string>>) {
  const asked: Questions = [];
  const ask: Ask = async (questions) => {
    asked.push(...questions);
    return Object.fromEntries(
      questions.map(({ name, default: initial }) => [name, answers[name] ?? initial]),
    );
  };
  return { asked, ask };
}

const run = (name: string | undefined, flags: Parameters<typeof runAddTarget>[1], ask: Ask) =>
  runAddTarget(name, flags, { cwd: project.project.dir, targetDirs: [], ask });

describe('on a terminal', () => {
  test('what was not said is asked, with the defaults of the kind', async () => {
    const { asked, ask } = person({ name: 'edge', kind: '1', aliases: 'rim, border', required: 'RACK' });
    await run(undefined, {}, ask);
    const stub = stubs()[1];
    expect(asked.map(({ name }) => name)).toEqual([
      'name',
      'kind',
      'summary',
      'statusTag',
      'aliases',
      'required',
    ]);
    expect(asked.find(({ name }) => name === 'summary')?.default).toBe(stub?.summary);
    expect(asked.find(({ name }) => name === 'statusTag')?.default).toBe('EDGE');
    expect(project.manifest('edge')).toMatchObject({
      family: stub?.family,
      invocation: stub?.invocation,
      summary: stub?.summary,
      aliases: ['rim', 'border'],
      required_vars: [...(stub?.required_vars ?? []), 'RACK'],
    });
  });

  test('what was said is not asked again, and with --yes nothing is', async () => {
    const said = person({});
    const flags = {
      family: 'kubernetes',
      summary: 'x',
      statusTag: 'E',
      alias: ['rim'],
      required: ['HP_RACK'],
    };
    await run('edge', flags, said.ask);
    expect(said.asked).toEqual([]);
    const silent = person({});
    await run('other', { family: 'kubernetes', yes: true }, silent.ask);
    expect(silent.asked).toEqual([]);
  });

  test('a bad answer is refused where it is given', async () => {
    const { asked, ask } = person({ name: 'edge' });
    await run(undefined, {}, ask);
    const refuse = (name: string, value: string) =>
      asked.find((each) => each.name === name)?.validate?.(value);
    expect(refuse('name', 'Edge')).toContain('capital letters');
    expect(refuse('statusTag', 'ed ge')).toContain('capital letters and digits');
    expect(refuse('aliases', 'rim edge')).toContain('name of the target itself');
    expect(refuse('required', 'HP_RACK size')).toContain('"size"');
    expect(refuse('required', 'HP_RACK')).toBe(true);
  });
});

describe('yo mlcc:add-target', () => {
  const { argv } = process;
  afterEach(() => {
    process.argv = argv;
    process.exitCode = undefined;
  });
  /** Runs the generator as yo does; resolves to what it printed. */
  async function yo(...args: string[]): Promise<string> {
    process.argv = ['node', 'yo', 'mlcc:add-target', ...args];
    const lines: string[] = [];
    const write = process.stdout.write;
    process.stdout.write = ((text: string) => lines.push(String(text)) > 0) as typeof write;
    try {
      await helpers
        .create(
          AddTargetGenerator as never,
          { resolved: 'generators/add-target', namespace: 'mlcc:add-target' } as never,
        )
        .cd(project.project.dir)
        .withArguments(args.filter((argument, at) => at === 0 && !argument.startsWith('-')));
    } finally {
      process.stdout.write = write;
    }
    return lines.join('');
  }

  test('does what mlcc add-target does, several values of a flag included', async () => {
    const args = [
      'edge',
      '--family',
      'kubernetes',
      '--alias',
      'rim',
      '--alias=border',
      '--summary',
      'An edge',
    ];
    const output = await yo(...args);
    const other = new NewTargetProject();
    expect(output).toBe(await other.succeed('add-target', ...args));
    expect(project.snapshot()).toEqual(other.snapshot());
    other.remove();
  });

  test('refuses what mlcc add-target refuses', async () => {
    const before = project.snapshot();
    await expect(yo('Edge', '--family', 'kubernetes')).rejects.toThrow('capital letters');
    await expect(yo('edge', '--famly', 'kubernetes')).rejects.toThrow('unknown option --famly');
    expect(project.snapshot()).toEqual(before);
  });
});
