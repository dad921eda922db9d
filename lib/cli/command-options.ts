/** One option of a command. Flags, help and documentation are made from this list; values of projects are in lib/project. */
export interface CommandOption {
  /** Flag without dashes. */
  flag: string;
  /** A second flag that means the same. */
  alias?: string;
  /** Name of the value in help; absent: a switch. */
  value?: string;
  /** One letter that means the same. */
  short?: string;
  /** Whether the flag may stand without its value. */
  optional?: boolean;
  /** Whether the flag may be given several times. */
  multiple?: boolean;
  choices?: readonly string[];
  description: string;
}

const YES: CommandOption = {
  flag: 'yes',
  alias: 'skip-prompts',
  description: 'Take the default of everything that is not given, and ask nothing.',
};
const ANSWERS: CommandOption = {
  flag: 'answers',
  value: 'FILE',
  description: 'Read answers from a JSON file: an object of answer names and texts.',
};
const TARGETS_DIR: CommandOption = {
  flag: 'targets-dir',
  value: 'DIR',
  multiple: true,
  description: 'Add the target descriptors of a folder to the built-in ones.',
};

/** What `yo mlcc` and `mlcc new` share, beside the options of the project itself. */
export const scaffoldOptions: readonly CommandOption[] = [
  YES,
  ANSWERS,
  { flag: 'here', description: 'Scaffold into the current folder instead of a new one.' },
  TARGETS_DIR,
];

export const newOptions: readonly CommandOption[] = [
  ...scaffoldOptions,
  { flag: 'dest', value: 'DIR', description: 'Scaffold into this folder instead of ./<name>.' },
  {
    flag: 'force',
    description:
      'Scaffold into a folder that has files: those stay, and what differs is laid beside as *.mlcc-new.',
  },
  { flag: 'dry-run', description: 'Show what would be written, and write nothing.' },
  { flag: 'json', description: 'Print the result as JSON.' },
];

export const targetsOptions: readonly CommandOption[] = [
  TARGETS_DIR,
  { flag: 'json', description: 'Print the matrix as JSON.' },
];

export const checkOptions: readonly CommandOption[] = [
  { flag: 'fix', description: 'Mend what derives from the descriptors, and report what is left.' },
  { flag: 'json', description: 'Print the findings as JSON.' },
];

export const configOptions: readonly CommandOption[] = [
  { flag: 'dir', value: 'DIR', description: 'The project; the current folder by default.' },
];

/** What `yo mlcc:regenerate` and `mlcc regenerate` share. */
export const regenerateOptions: readonly CommandOption[] = [
  { ...YES, description: 'Ask nothing, as always: for scripts that give this to every generator.' },
  TARGETS_DIR,
  {
    flag: 'conflict',
    value: 'MODE',
    choices: ['side-file', 'markers', 'ours', 'theirs'],
    description:
      'Where both changed the same place: lay the proposal beside the file (the default), show both sides in it, keep yours, or take the new one.',
  },
  {
    flag: 'resolved',
    value: 'PATH',
    multiple: true,
    description: 'What this file holds now is right; forget the proposal.',
  },
  { flag: 'restore', value: 'PATH', multiple: true, description: 'Bring back a file that was deleted.' },
  {
    flag: 'allow-downgrade',
    description: 'Go back to an older generator than the one that made the project.',
  },
  { flag: 'dry-run', description: 'Show what would be done, and do nothing.' },
  { flag: 'diff', description: 'Show the changes as a unified diff.' },
  { flag: 'check', description: 'Do nothing, and exit with 3 if anything would be done.' },
  { flag: 'json', description: 'Print the result as JSON.' },
];

const CONTEXT: CommandOption = {
  flag: 'context',
  value: 'NAME',
  description: 'Context of the kubeconfig; by default the recorded one, the profile’s, or the current one.',
};
const KUBECONFIG: CommandOption = {
  flag: 'kubeconfig',
  value: 'FILE',
  description: 'The kubeconfig; by default the recorded one, KUBECONFIG, or ~/.kube/config.',
};
const TIMEOUT: CommandOption = {
  flag: 'timeout',
  value: 'DURATION',
  description: 'Longest wait, such as 90s or 1h30m.',
};
const FORCE_CONFLICTS: CommandOption = {
  flag: 'force-conflicts',
  description: 'Take over fields that somebody else has set.',
};
const REPLACE: CommandOption = {
  flag: 'replace',
  description: 'Delete and make again what cannot be changed in place.',
};
const SERVER_DRY_RUN: CommandOption = {
  flag: 'dry-run',
  value: 'MODE',
  choices: ['server'],
  description: 'Let the cluster check everything, and change nothing.',
};

/** What says which deployment is meant: `mlcc deploy`. */
const deploymentOptions: readonly CommandOption[] = [
  { flag: 'project', value: 'DIR', description: 'A project: its serving workload.' },
  { flag: 'target', value: 'NAME', description: 'A target of the project; by default its active one.' },
  { flag: 'manifest', value: 'FILE', description: 'A domain manifest (crucible.toml): a run.' },
  { flag: 'profile', value: 'FILE', description: 'The profile of the cluster; a project can do without.' },
  { flag: 'playbook', description: 'Run a playbook once instead of the agent loop.' },
];
const runOptions: readonly CommandOption[] = [
  { flag: 'iterations', value: 'N', description: 'The loop ends after as many iterations.' },
  { flag: 'max-cost', value: 'USD', description: 'The run ends when it has cost so many US dollars.' },
  {
    flag: 'max-time',
    value: 'DURATION',
    description: 'A playbook ends after this time, such as 90m or 1h30m.',
  },
  { flag: 'param', value: 'KEY=VALUE', multiple: true, description: 'A parameter of the playbook.' },
  {
    flag: 'pack',
    value: 'NAME',
    optional: true,
    description: 'Deliver the manifest’s folder in a ConfigMap; NAME begins its name.',
  },
];
const pinOptions: readonly CommandOption[] = [
  {
    flag: 'lock',
    value: 'FILE',
    description: 'Take digests from this file, and add those that are looked up.',
  },
  { flag: 'offline', description: 'Open no connection: all digests must be given or locked.' },
  { flag: 'no-pin', description: 'Leave images as they are written.' },
];

export const deployRenderOptions: readonly CommandOption[] = [
  ...deploymentOptions,
  ...runOptions,
  ...pinOptions,
  {
    flag: 'output',
    short: 'o',
    value: 'FILE',
    description: 'Write to this file instead of standard output.',
  },
  {
    flag: 'list-secrets',
    description: 'List the secrets and keys that must be in the cluster, and render nothing.',
  },
];

export const deployApplyOptions: readonly CommandOption[] = [
  ...deploymentOptions,
  ...runOptions,
  ...pinOptions,
  CONTEXT,
  KUBECONFIG,
  SERVER_DRY_RUN,
  { flag: 'wait', description: 'Wait until the model serves, or the run has ended.' },
  TIMEOUT,
  REPLACE,
  FORCE_CONFLICTS,
];

export const deployDeleteOptions: readonly CommandOption[] = [
  ...deploymentOptions,
  ...[...runOptions, ...pinOptions].map((option) => ({
    ...option,
    description: 'Not needed; as in the command that applied.',
  })),
  CONTEXT,
  KUBECONFIG,
  TIMEOUT,
];

/** What every `mlcc kube` command has. */
export const kubeOptions: readonly CommandOption[] = [
  { flag: 'namespace', short: 'n', value: 'NAME', description: 'Namespace; by default the context’s.' },
  { ...CONTEXT, description: 'Context of the kubeconfig; by default the profile’s, or the current one.' },
  { ...KUBECONFIG, description: 'The kubeconfig; by default KUBECONFIG, or ~/.kube/config.' },
  { flag: 'profile', value: 'FILE', description: 'A profile: its context is used.' },
];

const CONTAINER: CommandOption = {
  flag: 'container',
  short: 'c',
  value: 'NAME',
  description: 'The container, where there are several.',
};

/** What single `mlcc kube` commands have beside that. */
export const kubeCommandOptions = {
  'set-image': [CONTAINER],
  'set-pull-secret': [],
  'set-rolling-update': [
    { flag: 'max-surge', value: 'COUNT', description: 'As many Pods more than wanted, such as 1 or 25%.' },
    {
      flag: 'max-unavailable',
      value: 'COUNT',
      description: 'As many Pods fewer than wanted, such as 0 or 25%.',
    },
  ],
  'rollout-restart': [],
  'rollout-status': [TIMEOUT],
  'current-image': [CONTAINER],
  'pod-name': [],
  exec: [CONTAINER, { flag: 'stdin', short: 'i', description: 'Hand standard input to the command.' }],
  apply: [
    { flag: 'filename', short: 'f', value: 'FILE', description: 'YAML or JSON; - is standard input.' },
    SERVER_DRY_RUN,
    { flag: 'wait', description: 'Wait until Deployments are available, and Pods of their own have ended.' },
    TIMEOUT,
    REPLACE,
    FORCE_CONFLICTS,
  ],
  'gpu-headroom': [
    {
      flag: 'resource',
      value: 'NAME',
      description: 'The resource that is counted; nvidia.com/gpu by default.',
    },
    { flag: 'json', description: 'Print the result as JSON.' },
  ],
  view: [
    { flag: 'steer', value: 'TEXT', description: 'Tell the run something instead of following it.' },
    { flag: 'stop', description: 'Ask the run to end instead of following it.' },
  ],
} as const satisfies Readonly<Record<string, readonly CommandOption[]>>;
