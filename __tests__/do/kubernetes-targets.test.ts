import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { AwsProject, image } from './support/aws-project.js';
import { FakeKubectl } from './support/fake-kubectl.js';

const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:hub';
const READY = '3|3|1|1|1|1|NewReplicaSetAvailable|';

let project: AwsProject;
let kubectl: FakeKubectl;
afterEach(() => project.remove());

function setUp(
  workload: 'deployment' | 'inference-endpoint-config',
  settings: Record<string, string> = {},
): void {
  project = new AwsProject({ workload }, { INSTANCE_TYPE: 'ml.g5.12xlarge', ...settings });
  kubectl = new FakeKubectl(join(project.project.home, 'cluster'), project.aws.bin);
  project.aws.setState({ secrets: { [SECRET]: 'hf_Secret' }, eks: ['an-eks-cluster'] });
  mlcc('exit 0');
}

/** The mlcc on the PATH: notes its settings and its words, then does what the test says. */
function mlcc(work: string): void {
  const script = `printf '%s\\n' "$*" >>"$FAKE_AWS_DIR/mlcc"; env | grep '^MLCC_SET_' | sort >"$FAKE_AWS_DIR/mlcc-settings"\n${work}`;
  writeFileSync(join(project.aws.bin, 'mlcc'), `#!/bin/bash\n${script}\n`, { mode: 0o755 });
}
const mlccCalls = () => readFileSync(join(project.project.home, 'aws/mlcc'), 'utf8').trimEnd().split('\n');
const mlccSettings = () => readFileSync(join(project.project.home, 'aws/mlcc-settings'), 'utf8');

const succeed = (verb: string, ...args: string[]): string => {
  const { code, stdout, stderr } = project.run(verb, args);
  if (code !== 0) throw new Error(`do/${verb} ended with ${code}:\n${stdout}${stderr}`);
  return stderr;
};

describe('plain objects on the current context', () => {
  beforeEach(() => {
    setUp('deployment');
    kubectl.answer('config current-context', 'my-context\n');
    kubectl.answer('get namespace default', 'namespace/default\n');
    kubectl.answer('get deployments.apps', '3|2|1|1|0|0||', '3|3|1|2|1|1|ReplicaSetUpdated|', READY);
  });

  test('are applied by mlcc, and serve when the status of this generation says so', () => {
    expect(succeed('deploy')).toContain('1 of 1 available');
    expect(project.record('STATUS')).toBe('Running');
    expect(mlccCalls()).toEqual(['deploy apply --help', `deploy apply --project ${project.project.dir}`]);
    expect(mlccSettings()).toContain('MLCC_SET_HP_GPU_COUNT=4\n');
    expect(mlccSettings()).toContain(`MLCC_SET_ECR_IMAGE_URI=${image('a')}\n`);
    expect(mlccSettings()).toContain(`_NAME=${project.record('NAME')}\n`);
    const looks = kubectl.takeCalls().filter(({ arguments: words }) => words.includes('deployments.apps'));
    expect(looks).toHaveLength(3);
  });

  test('every call names the recorded kubeconfig, context and namespace, later ones too when the user has moved on', () => {
    succeed('deploy');
    kubectl.answer('config current-context', 'another-context\n');
    kubectl.answer('get deployments.apps', READY);
    succeed('deploy');
    kubectl.answer('get deployments.apps', 'fail Error from server (NotFound): gone');
    succeed('clean', '--yes');
    const calls = kubectl.takeCalls().filter(({ arguments: words }) => words[0] !== 'config');
    expect(calls.length).toBeGreaterThan(4);
    for (const { kubeconfig, arguments: words } of calls) {
      expect(words.slice(0, 4)).toEqual(['--context', 'my-context', '--namespace', 'default']);
      expect(kubeconfig).toBe(join(project.project.home, '.kube/config'));
    }
    expect(project.record('STATUS')).toBe('');
  });

  test.each([
    ['never come up', '3|3|1|1|1|0|ReplicaSetUpdated|', 'still 0 of 1 available'],
    [
      'exceed their deadline',
      '3|3|1|1|1|0|ProgressDeadlineExceeded|ReplicaSet has timed out progressing.',
      'timed out progressing',
    ],
  ])(
    '[C30] that %s: exit 1, the reason and the events of the pods, whatever kubectl’s exit code was',
    (_, state, reason) => {
      kubectl.answer('get deployments.apps', state);
      const name = `demo-${project.target}`;
      kubectl.answer(
        'get events',
        `Pod/${name}-x: FailedScheduling: 0/3 nodes: Insufficient nvidia.com/gpu\nPod/other: Killing: x\n`,
      );
      const { code, stderr } = project.run('deploy', ['--set', 'DEPLOY_TIMEOUT=1']);
      expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Failed' });
      expect(stderr).toContain(reason);
      expect(stderr).toContain('Insufficient nvidia.com/gpu');
      expect(stderr).not.toContain('Pod/other');
    },
  );

  test('whose update leaves nothing that serves is Failed; one that leaves something is not', () => {
    for (const [available, status] of [
      ['1', 'Running'],
      ['0', 'Failed'],
    ]) {
      kubectl.answer('get deployments.apps', READY);
      succeed('deploy');
      mlcc('[[ $* == *--help ]]');
      kubectl.answer('get deployments.apps', available ?? '');
      expect(project.run('deploy').code).toBe(1);
      expect(project.record('STATUS')).toBe(status);
      mlcc('exit 0');
    }
  });

  test('take one GPU where no instance type is named, and ask for a number where the type is not known', () => {
    const unnamed = project.run('deploy', ['--dry-run', '--instance-type', '']);
    expect([unnamed.code, unnamed.stderr]).toEqual([0, expect.not.stringContaining('GPU')]);
    const { code, stderr } = project.run('deploy', ['--instance-type', 'zz9.large']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/gpu-count|instance-type/);
  });
});

describe('a namespace', () => {
  const NAMESPACE = 'models';
  beforeEach(() => {
    setUp('deployment', { HP_NAMESPACE: NAMESPACE });
    kubectl.answer('config current-context', 'my-context\n');
    kubectl.answer('get deployments.apps', READY);
  });

  const removeWorkload = (labels: string, tenants: string) => {
    kubectl.answer('get deployments.apps', 'fail Error from server (NotFound): gone');
    kubectl.answer(`get namespace ${NAMESPACE} -o jsonpath`, labels);
    kubectl.answer('get deployments,', tenants);
    kubectl.takeCalls();
  };
  const deleted = () =>
    kubectl
      .takeCalls()
      .some(({ arguments: words }) => words.slice(4, 7).join(' ') === `delete namespace ${NAMESPACE}`);

  test('that is not there is made, with our labels, and goes with the deployment', () => {
    succeed('deploy');
    const made = kubectl.takeCalls().find(({ arguments: words }) => words.includes('create'));
    expect(JSON.parse(made?.stdin ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: {
        name: NAMESPACE,
        labels: {
          'app.kubernetes.io/managed-by': 'mlcc',
          'app.kubernetes.io/part-of': 'demo',
          'app.kubernetes.io/component': project.target,
        },
      },
    });
    expect(project.record('NAMESPACE_OWNED')).toBe('yes');
    removeWorkload('mlcc/demo', '');
    succeed('clean', '--yes');
    expect(deleted()).toBe(true);
  });

  test.each([
    ['in which others live', 'mlcc/demo', 'deployment.apps/theirs\n', 'others use it'],
    ['that somebody else has made meanwhile', '/', '', "not this project's"],
  ])('%s stays', (_, labels, tenants, reason) => {
    succeed('deploy');
    removeWorkload(labels, tenants);
    expect(succeed('clean', '--yes')).toContain(reason);
    expect(deleted()).toBe(false);
  });

  test('that was there is not ours', () => {
    kubectl.answer(`get namespace ${NAMESPACE}`, 'namespace/models\n');
    succeed('deploy');
    removeWorkload('mlcc/demo', '');
    succeed('clean', '--yes');
    expect(deleted()).toBe(false);
  });
});

describe('tokens', () => {
  test('go from Secrets Manager to the cluster through pipes: in no argument, no file, no output', () => {
    setUp('deployment', { HF_TOKEN_ARN: SECRET });
    kubectl.answer('config current-context', 'my-context\n');
    kubectl.answer('get namespace default', 'namespace/default\n');
    kubectl.answer('get deployments.apps', READY);
    const said = succeed('deploy');
    const calls = kubectl.takeCalls();
    const stored = calls.find(({ stdin }) => stdin.includes('"Secret"'));
    expect(JSON.parse(stored?.stdin ?? '')).toMatchObject({
      metadata: { name: project.record('SECRET'), namespace: 'default' },
      stringData: { HF_TOKEN: 'hf_Secret' },
    });
    expect(
      JSON.stringify(calls.map((call) => call.arguments)) + said + project.config + mlccSettings(),
    ).not.toContain('hf_Secret');
    expect(stored?.arguments).toContain('--server-side');
    kubectl.answer('get deployments.apps', 'fail Error from server (NotFound): gone');
    succeed('clean', '--yes');
    expect(kubectl.takeCalls().map(({ arguments: words }) => words.slice(4, 6).join(' '))).toContain(
      'delete secret',
    );
  });
});

describe('a HyperPod cluster', () => {
  const ready = (observed: number, state: string, message = '') => `4|${observed}|${state}|${message}`;
  beforeEach(() => {
    setUp('inference-endpoint-config', { HP_CLUSTER_NAME: 'a-hyperpod' });
    project.aws.setState({
      eks: ['an-eks-cluster'],
      cluster: {
        'a-hyperpod': {
          ClusterStatus: 'InService',
          Orchestrator: { Eks: { ClusterArn: 'arn:aws:eks:eu-west-1:123456789012:cluster/an-eks-cluster' } },
        },
        slurm: { ClusterStatus: 'InService', Orchestrator: {} },
      },
    });
    kubectl.answer('get namespace default', 'namespace/default\n');
  });

  test('is reached through its EKS cluster and a kubeconfig of our own; a state of an earlier generation does not count', () => {
    kubectl.answer(
      'get inferenceendpointconfigs',
      ready(3, 'DeploymentComplete'),
      ready(4, 'DeploymentInProgress'),
      ready(4, 'DeploymentComplete'),
    );
    succeed('deploy');
    const file = join(project.project.dir, '.mlcc/run', `kubeconfig-${project.target}`);
    expect({
      status: project.record('STATUS'),
      kubeconfig: project.record('KUBECONFIG'),
      exists: existsSync(file),
    }).toEqual({
      status: 'Running',
      kubeconfig: file,
      exists: true,
    });
    for (const { kubeconfig, arguments: words } of kubectl.takeCalls()) {
      expect([kubeconfig, words[1]]).toEqual([file, 'mlcc-an-eks-cluster']);
    }
    kubectl.answer(
      'get inferenceendpointconfigs',
      'DeletionInProgress|',
      'fail Error from server (NotFound): gone',
    );
    succeed('clean', '--yes');
    expect({ exists: existsSync(file), home: existsSync(join(project.project.home, '.kube')) }).toEqual({
      exists: false,
      home: false,
    });
  });

  test('on which the deployment fails: at once, with the operator’s reason', () => {
    kubectl.answer(
      'get inferenceendpointconfigs',
      ready(
        4,
        'DeploymentFailed',
        'DeploymentFailed True no instance type fits\nDeploymentPending False waiting\n',
      ),
    );
    const { code, stderr } = project.run('deploy');
    expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Failed' });
    expect(stderr).toContain('no instance type fits');
  });

  test('from which the object does not go: an error, and the state is kept', () => {
    kubectl.answer('get inferenceendpointconfigs', ready(4, 'DeploymentComplete'));
    succeed('deploy');
    kubectl.answer(
      'get inferenceendpointconfigs',
      'DeletionFailed|DeletionFailed True the load balancer is still there\n',
    );
    const { code, stderr } = project.run('clean', ['--yes']);
    expect({ code, status: project.record('STATUS') }).toEqual({ code: 1, status: 'Deleting' });
    expect(stderr).toContain('the load balancer is still there');
  });

  test.each([
    ['nowhere', 'there is no HyperPod cluster nowhere'],
    ['slurm', 'does not run on EKS'],
  ])('that cannot be used (%s) is refused before anything is created', (cluster, reason) => {
    const { code, stderr } = project.run('deploy', ['--cluster-name', cluster]);
    expect({ code, status: project.record('STATUS'), calls: kubectl.takeCalls() }).toEqual({
      code: 1,
      status: '',
      calls: [],
    });
    expect(stderr).toContain(reason);
  });
});

describe('the mlcc command', () => {
  beforeEach(() => setUp('deployment'));

  test('that cannot deploy to Kubernetes: exit 1, what is missing, nothing changed', () => {
    mlcc('echo "error: unknown command deploy" >&2; exit 2');
    const { code, stderr } = project.run('deploy');
    expect({ code, status: project.record('STATUS'), calls: kubectl.takeCalls() }).toEqual({
      code: 1,
      status: '',
      calls: [],
    });
    expect(stderr).toContain('this mlcc cannot deploy to Kubernetes: "mlcc deploy apply" does not work');
  });

  test('is $MLCC before the one on the PATH, and the version that made the project through npx where there is none', () => {
    const answers = ['my own mlcc', 'npx'].map((name) => {
      writeFileSync(join(project.aws.bin, name), '#!/bin/bash\necho "called as ${0##*/} $*" >&2; exit 1\n', {
        mode: 0o755,
      });
      return name;
    });
    expect(project.run('deploy', [], { MLCC: join(project.aws.bin, answers[0] ?? '') }).stderr).toContain(
      'called as my own mlcc deploy apply --help',
    );
    rmSync(join(project.aws.bin, 'mlcc'));
    const path = `${project.aws.bin}:/usr/bin:/bin`;
    const { version } = JSON.parse(readFileSync(join(project.project.dir, '.yo-rc.json'), 'utf8'))[
      'generator-mlcc'
    ];
    const { stderr } = project.run('deploy', [], { PATH: path, MLCC: '' });
    expect(stderr).toContain(`called as npx --yes -p generator-mlcc@${version} mlcc deploy apply --help`);
  });
});
