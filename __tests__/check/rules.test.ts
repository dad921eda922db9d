import { describe, expect, test } from '@jest/globals';
import { loadCatalog } from '../../lib/catalog/index.js';
import { type Finding, inspect } from '../../lib/check/index.js';
import { Failure } from '../../lib/failure/index.js';
import { type FileTree, render } from '../../lib/project/index.js';
import { withFile } from './support/mutants.js';

const packageCatalog = loadCatalog();
const options = { packageCatalog, parses: () => true };
const project = render({ projectName: 'demo' }, packageCatalog);
const [target, other] = packageCatalog.targets.map(({ manifest }) => manifest);
if (!target || !other) throw new Error('the catalogue has two targets at least');
const deploy = `do/${target.deploy_script}`;
const prefix = target.status_var.replace(/STATUS$/, '');

/** The project with lines added to one of its files, or with a new file. */
function withText(path: string, text: string): FileTree {
  const before = project.get(path);
  return new Map(project).set(path, {
    contents: `${before?.contents ?? '#!/bin/bash\n'}${text}\n`,
    executable: before?.executable ?? true,
  });
}

const found = (tree: FileTree): readonly Finding[] => inspect(tree, options).findings;
const brief = (tree: FileTree): string[] => found(tree).map((one) => `${one.authority} ${one.file}`);
const lineOf = (path: string): number => (project.get(path)?.contents ?? '').split('\n').length;

describe('what people may do', () => {
  test.each<[string, FileTree]>([
    ['a verb of their own', withText('do/mine', 'echo "$(aws s3 ls)"; [[ $1 == all ]] || exit 1')],
    [
      'a verb of their own with a header',
      withText(
        'do/mine',
        `# Does it.\n# @mlcc-script\n# type: hybrid\n# guard: none\n# lifecycle: monitor\n# targets: ${target.target}\n# usage: do/mine\n. lib/script-contract.sh`,
      ),
    ],
    ['a key of their own', withText('do/config', "export MY_KEY='x'\n# and a word about it")],
    [
      'a setting of another value',
      withFile(
        project,
        'do/config',
        (project.get('do/config')?.contents ?? '').replace(
          /^export MODEL_NAME=.*$/m,
          "export MODEL_NAME='other/model'",
        ),
      ),
    ],
    [
      'a setting deleted',
      withFile(
        project,
        'do/config',
        (project.get('do/config')?.contents ?? '').replace(/^export MODEL_NAME=.*\n/m, ''),
      ),
    ],
    ['an edited script', withText('do/status', 'echo "more"')],
    [
      'a target script that names its own target',
      withText(deploy, `[[ $_TARGET == ${target.target} ]] && _info ${target.target}`),
    ],
    ['a deleted document', withFile(project, 'do/README.md', undefined)],
    [
      'an edited document',
      withFile(
        project,
        'do/README.md',
        `${project.get('do/README.md')?.contents.replace(/^#.*$/m, '# Ours')}\nMore.\n`,
      ),
    ],
    [
      'a document with Windows line ends',
      withFile(project, 'do/README.md', project.get('do/README.md')?.contents.replaceAll('\n', '\r\n')),
    ],
    [
      'a config with Windows line ends',
      withFile(project, 'do/config', project.get('do/config')?.contents.replaceAll('\n', '\r\n')),
    ],
    ['a deleted verb', withFile(project, 'do/export', undefined)],
    [
      'a message about an AWS call',
      withText(
        'do/mine',
        '_info \'try: aws sts get-caller-identity\'; _info "or (aws sts get-caller-identity)"',
      ),
    ],
    [
      'a word that is a target elsewhere',
      withText('do/mine', `aws ${other.target} list; echo ${target.target}`),
    ],
    [
      'a value of a field, although a target has it as a name, too',
      withText(
        'do/mine',
        `case $_TARGET_INVOCATION in ${target.invocation}) ;; ${other.invocation} | pod) ;; esac`,
      ),
    ],
    ['a record of their own target that is declared', withText(deploy, '_record IMAGE x')],
    [
      'a refusal in the words of the contract',
      withText('do/mine', '[[ $_TARGET_FAMILY == kubernetes ]] || _contract_violation target a b'),
    ],
    [
      'a question about the target that ends nothing',
      withText('do/mine', 'if [[ $_TARGET_FAMILY == kubernetes ]]; then\n  x=1\nfi\nexit 1'),
    ],
  ])('%s', (_, tree) => {
    expect(found(tree)).toEqual([]);
  });

  test('state: every status that scripts write, and values that scripts record', () => {
    const config = project.get('do/config')?.contents ?? '';
    for (const status of [
      'InService',
      'Running',
      'Completed',
      'Creating',
      'Failed',
      'Interrupted',
      'Deleting',
    ]) {
      const live = config.replace(
        `export ${target.status_var}=''`,
        `export ${target.status_var}='${status}'`,
      );
      expect(live).not.toBe(config);
      expect(brief(withFile(project, 'do/config', `${live}export ${prefix}IMAGE='repo@sha256:0'\n`))).toEqual(
        [],
      );
    }
  });
});

describe('what people may not do', () => {
  const mine = lineOf('do/mine') + 1;
  const rows: [authority: string, what: string, path: string, text: string, line?: number][] = [
    ['undeclared-write', 'a key that nobody declares', 'do/mine', '_update_config NEW_KEY "$x"', mine],
    [
      'undeclared-write',
      'a key that belongs to the answers',
      'do/mine',
      '_update_config INSTANCE_TYPE x',
      mine,
    ],
    ['undeclared-write', 'a record that the descriptor does not list', deploy, '_record NOVELTY "$x"'],
    [
      'undeclared-write',
      'a record through functions',
      deploy,
      'a() { local what=$2; b "$what" x; }\nb() { _record "NEW_$1" "$2"; }\ntarget_more() { a 1 THING; }\ntarget_more',
    ],
    [
      'undeclared-write',
      'a record through a shared function',
      deploy,
      '_sm_create() { _record "$2" "$3"; }\n_sm_create model NOVELTY "$name"',
    ],
    [
      'aws-preflight',
      'the identity asked for',
      'do/mine',
      'account=$(aws sts get-caller-identity --query Account)',
      mine,
    ],
    [
      'aws-preflight',
      'the identity asked for in quotes',
      'do/mine',
      'x="$(aws --region x sts get-caller-identity)"',
      mine,
    ],
    [
      'aws-preflight',
      'the identity asked for in a condition',
      'do/lib/wait.sh',
      'if ! aws sts get-caller-identity >/dev/null; then :; fi',
    ],
    [
      'target-name-in-code',
      'a comparison',
      'do/mine',
      `[[ $DEPLOYMENT_TARGET == ${target.target} ]] && echo`,
      mine,
    ],
    [
      'target-name-in-code',
      'an alias',
      'do/mine',
      `[[ $DEPLOYMENT_TARGET != ${target.aliases[0] ?? target.target} ]] && echo`,
      mine,
    ],
    ['target-name-in-code', 'a comparison in quotes', 'do/lib/wait.sh', `[ "$x" = "${other.target}" ]`],
    ['target-name-in-code', 'a case', 'do/mine', `case $x in ${target.target} | b) ;; esac`, mine],
    ['target-name-in-code', 'an arm of a case', 'do/mine', `case $x in\n  a|${target.target}) ;;\nesac`],
    ['target-name-in-code', 'a script of a target', 'do/mine', `. "$DO_DIR/deploy.d/${target.target}"`, mine],
    [
      'target-name-in-code',
      'another target in the script of one',
      deploy,
      `[[ $_TARGET != ${other.target} ]]`,
    ],
    ['target-name-in-code', 'the tag of a target', 'do/mine', `echo "$${target.status_var}"`, mine],
    [
      'target-name-in-code',
      'a name in Python',
      'do/lib/python/descriptors.py',
      `if name == "${target.target}":`,
    ],
    [
      'refusal-exit',
      'a refusal in one line',
      'do/mine',
      '[[ $_TARGET_FAMILY == kubernetes ]] || exit 1',
      mine,
    ],
    [
      'refusal-exit',
      'a refusal in a block',
      'do/mine',
      'if [[ "$DEPLOYMENT_TARGET" != "$x" ]]; then\n  echo no\n  exit 1\nfi',
      mine + 2,
    ],
    [
      'refusal-exit',
      'a refusal in a case',
      'do/mine',
      'case $_TARGET_INVOCATION in\n  pod)\n    exit 3\n    ;;\nesac',
      mine + 2,
    ],
    [
      'refusal-exit',
      'a refusal as a failure',
      'do/mine',
      "[[ ${_TARGET_WORKLOAD:-} != none ]] || _fail 'no'",
      mine,
    ],
    ['raw-secret', 'a token', 'do/config', "export MY_KEY='hf_abcdefghijklmnopqrst'"],
    ['raw-secret', 'a token in a comment', 'do/config', '# ghp_abcdefghijklmnopqrst'],
    ['status-block', 'a status twice', 'do/config', `export ${target.status_var}='Failed'`],
    [
      'header',
      'a header without its fields',
      'do/mine',
      '# Does it.\n# @mlcc-script\n# type: hybrid\n# guard: none\n\nx',
    ],
    [
      'header',
      'a guard that does not exist',
      'do/mine',
      '# Does it.\n# @mlcc-script\n# type: hybrid\n# guard: deployed\n# lifecycle: monitor\n# targets: all\n# usage: do/mine',
    ],
    [
      'verb-targets',
      'a target that does not exist',
      'do/mine',
      '# Does it.\n# @mlcc-script\n# type: hybrid\n# guard: none\n# lifecycle: monitor\n# targets: nowhere\n# usage: do/mine',
    ],
  ];
  test.each(rows.map((row) => [row[0], row[1], row] as const))(
    '%s: %s',
    (authority, _, [, , path, text, line]) => {
      const findings = found(withText(path, text));
      expect(findings.map((one) => `${one.authority} ${one.file}`)).toContain(`${authority} ${path}`);
      expect(findings.every((one) => one.file === path)).toBe(true);
      if (line) expect(findings.map((one) => one.line)).toContain(line);
    },
  );

  test('no finding repeats a secret', () => {
    expect(
      JSON.stringify(found(withText('do/config', "export MY_KEY='hf_abcdefghijklmnopqrst'"))),
    ).not.toContain('hf_abc');
  });

  test.each(['target_preflight', 'target_deploy', 'target_update'])('a deploy script without %s', (name) => {
    const contents = project.get(deploy)?.contents.replaceAll(new RegExp(`^${name}\\(\\)`, 'gm'), 'other()');
    expect(brief(withFile(project, deploy, contents))).toContain(`script-functions ${deploy}`);
  });

  test('a clean script without its function', () => {
    const path = `do/${target.clean_script}`;
    expect(brief(withFile(project, path, '#!/bin/bash\n'))).toContain(`script-functions ${path}`);
  });

  test('a script that bash cannot parse', () => {
    const tree = withText(deploy, 'if');
    const parses = (file: { contents: string }) => file !== tree.get(deploy);
    const findings = inspect(tree, { ...options, parses }).findings;
    expect(findings.map((one) => `${one.authority} ${one.file}`)).toEqual([`script-parses ${deploy}`]);
  });

  test('a script that no descriptor has', () => {
    expect(brief(withText('do/deploy.d/stray', ''))).toEqual(['dispatch do/deploy.d/stray']);
  });

  test('a verb that enforces nothing of its header', () => {
    const contents = project.get('do/status')?.contents.replace(/^\. .*script-contract\.sh"$/m, '');
    expect(brief(withFile(project, 'do/status', contents))).toEqual(['header do/status']);
  });

  test.each([
    ['guard-map', 'do/lib/script-contract.sh'],
    ['dispatch', 'do/deploy'],
    ['dispatch', 'do/clean'],
    ['serving-source', 'do/lib/resolve-serving-config.sh'],
    ['python-derived', 'do/lib/python/deploy_schema.py'],
    ['script-present', 'do/lib/records.sh'],
  ])('%s: %s is missing, and is brought back', (authority, path) => {
    const { findings, mended } = inspect(withFile(project, path, undefined), options);
    expect(findings.map((one) => `${one.authority} ${one.file}`)).toContain(`${authority} ${path}`);
    expect(mended.get(path)).toEqual(project.get(path));
  });

  test.each([
    ['guard-map', 'do/lib/script-contract.sh', /lib\/targets\.sh/],
    ['dispatch', 'do/lib/deploy-run.sh', /deploy\.d/],
    ['dispatch', 'do/lib/clean-run.sh', /clean\.d/],
    ['serving-source', 'do/lib/resolve-serving-config.sh', /lib\/targets\.sh/],
    ['serving-source', 'do/lib/resolve-serving-config.sh', /lib\/engines\.sh/],
    ['python-derived', 'do/lib/python/deploy_schema.py', /target_manifest/],
  ])('%s: %s does not read %s any more', (authority, path, what) => {
    const contents = project.get(path)?.contents.replaceAll(new RegExp(what, 'g'), 'elsewhere');
    expect(contents).not.toBe(project.get(path)?.contents);
    expect(found(withFile(project, path, contents)).map((one) => one.authority)).toContain(authority);
  });

  test('a damaged record of the last render', () => {
    expect(brief(withFile(project, '.mlcc/base.json', '{"version":'))).toEqual(['records .mlcc/base.json']);
  });

  test('a shared variable that regenerate does not keep, or does not read back, any more', () => {
    const path = 'do/targets.d/variables.json';
    const data = JSON.parse(project.get(path)?.contents ?? '{}');
    data.variables.ECR_IMAGE_URI.lifecycle = 'template-owned';
    data.variables.MODEL_NAME.answer = 'modelId';
    const findings = found(withFile(project, path, JSON.stringify(data, null, 2)));
    const fields = findings.map((one) => `${one.authority} ${one.field}`);
    expect(fields).toContain(`runtime-owned ${path}#/variables/ECR_IMAGE_URI/lifecycle`);
    expect(fields).toContain(`round-trip ${path}#/variables/MODEL_NAME/answer`);
    expect(findings.filter((one) => one.file === path).every((one) => (one.line ?? 0) > 1)).toBe(true);
  });

  test('no shared variables at all', () => {
    const path = 'do/targets.d/variables.json';
    const findings = found(withFile(project, path, undefined)).filter((one) => one.file === path);
    expect(findings).toMatchObject([{ authority: 'descriptor', mend: `mlcc regenerate --restore ${path}` }]);
  });

  test('answers that the descriptors do not allow', () => {
    const rc = project.get('.yo-rc.json')?.contents.replace(/("instanceType": ")[^"]*/, '$1nonsense');
    expect(found(withFile(project, '.yo-rc.json', rc))[0]).toMatchObject({
      authority: 'round-trip',
      file: '.yo-rc.json',
      message: expect.stringContaining('instance-type'),
    });
  });
});

describe('an edited descriptor', () => {
  const path = `do/targets.d/${target.target}/manifest.json`;
  const edited = (edit: (manifest: Record<string, unknown>) => void): FileTree => {
    const manifest = JSON.parse(project.get(path)?.contents ?? '{}');
    edit(manifest);
    return withFile(project, path, `${JSON.stringify(manifest, null, 2)}\n`);
  };

  test('makes what derives from it stale, by authority, and --fix lets it follow', () => {
    const tree = edited((manifest) => {
      manifest.aliases = [...(manifest.aliases as string[]), 'novel'];
      manifest.verbs = { ...(manifest.verbs as object), benchmark: !target.verbs.benchmark };
      if (manifest.verb_guidance) delete (manifest.verb_guidance as Record<string, string>).benchmark;
    });
    const { findings, mended } = inspect(tree, options);
    expect(new Set(findings.map((one) => one.authority))).toEqual(
      new Set(['verb-targets', 'python-derived', 'generated-text']),
    );
    expect(findings.every((one) => one.fixable)).toBe(true);
    const fixed = new Map([...tree, ...mended]);
    expect(inspect(fixed, options).findings).toEqual([]);
    expect(fixed.get('do/lib/targets.sh')?.contents).toContain('|novel)');
  });

  test('with a fault is a finding with field and line, and nothing else is judged by it', () => {
    const tree = edited((manifest) => {
      manifest.answer_key = 'deploymentTargetOtherStatus';
    });
    const field = `${path}#/answer_key`;
    expect(found(tree)).toMatchObject([{ authority: 'round-trip', field, file: path, fixable: false }]);
    const lines = tree.get(path)?.contents.split('\n') ?? [];
    expect(lines[(found(tree)[0]?.line ?? 0) - 1]).toContain('answer_key');
  });

  test('of a new target: what derives is stale until it is fixed', () => {
    const name = 'edge-novel';
    const manifest = {
      ...JSON.parse(project.get(path)?.contents ?? '{}'),
      target: name,
      aliases: [],
      status_var: 'DEPLOYMENT_TARGET_NOVEL_STATUS',
      answer_key: 'deploymentTargetNovelStatus',
      deploy_script: `deploy.d/${name}`,
      clean_script: `clean.d/${name}`,
      runtime_owned_vars: target.runtime_owned_vars.map((one) =>
        one.replace(prefix, 'DEPLOYMENT_TARGET_NOVEL_'),
      ),
    };
    const file = (from: string) => ({ contents: project.get(from)?.contents ?? '', executable: true });
    const tree = new Map(project)
      .set(`do/targets.d/${name}/manifest.json`, { contents: JSON.stringify(manifest), executable: false })
      .set(`do/deploy.d/${name}`, file(deploy))
      .set(`do/clean.d/${name}`, file(`do/${target.clean_script}`));
    const { findings, mended } = inspect(tree, options);
    const authorities = new Set(findings.map((one) => one.authority));
    for (const one of ['guard-map', 'dispatch', 'status-block', 'python-derived', 'generated-text'])
      expect(authorities).toContain(one);
    const fixed = new Map([...tree, ...mended]);
    expect(inspect(fixed, options).findings).toEqual([]);
    expect(fixed.get('do/config')?.contents).toContain("export DEPLOYMENT_TARGET_NOVEL_STATUS=''");
  });
});

test('of a project of another version, derived text is left to regenerate', () => {
  const tree = withFile(project, 'do/lib/engines.sh', `${project.get('do/lib/engines.sh')?.contents}x`);
  const { findings, mended } = inspect(tree, { ...options, source: { version: '99.0.0' } });
  expect(findings).toMatchObject([{ file: 'do/lib/engines.sh', mend: 'mlcc regenerate', fixable: false }]);
  expect(mended.size).toBe(0);
});

test('no file, whatever it holds, ends a check with an internal error', () => {
  const garbage = ['', '\0{[', '[]', 'null', '# >>> GENERATED x\n', '"'.repeat(3)];
  for (const [index, path] of [...project.keys()].entries()) {
    const contents = garbage[index % garbage.length];
    for (const tree of [withFile(project, path, contents), withFile(project, path, undefined)]) {
      if (path === '.yo-rc.json') expect(() => found(tree)).toThrow(Failure);
      else expect(Array.isArray(found(tree))).toBe(true);
    }
  }
  for (const path of [
    '.mlcc/base.json',
    'do/targets.d/variables.json',
    `do/targets.d/${target.target}/manifest.json`,
  ]) {
    for (const contents of garbage) expect(found(withFile(project, path, contents))).not.toEqual([]);
  }
});
