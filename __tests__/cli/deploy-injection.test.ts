import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { stringify } from 'smol-toml';
import { type KubeApi, startKubeApi } from '../support/kube-api/index.js';
import { KUBERNETES_TARGETS, Workplace } from './support/deployments.js';

const HOSTILE = [
  '$(HOME)',
  '$$(HOME)',
  '$$',
  '$(OTHER) and $(id)',
  '`id`; "quoted" \'twice\'',
  'two\nlines\n',
  'a\n---\napiVersion: v1\nkind: Secret\n',
  '{{ .Values.x }} <%= x %>',
  '# no comment',
  ' spaces ',
  '- item: [x',
  'on',
  '0777',
];
const variables = (prefix: string, texts: readonly string[]) =>
  Object.fromEntries(texts.map((text, index) => [`${prefix}_${index}`, text]));
const VARIABLES = variables('HOSTILE', HOSTILE);
/** A line of do/config holds no line break. */
const SETTINGS = variables(
  'HOSTILE',
  HOSTILE.filter((text) => !text.includes('\n')),
);

let api: KubeApi;
let place: Workplace;
beforeEach(async () => {
  const labels = { 'node.kubernetes.io/instance-type': 'ml.g5.2xlarge' };
  api = await startKubeApi({ namespaces: ['loops', 'rig', 'serving'], nodes: [{ labels }] });
  api.objects.create('ServiceAccount', { metadata: { name: 'runner', namespace: 'loops' } });
  api.pods.add(() => true, {
    exec: ({ environment, stdout }) => {
      stdout(JSON.stringify(environment));
      return 0;
    },
  });
  place = new Workplace(api);
});
afterEach(async () => {
  place.remove();
  await api.stop();
});

/** The environment that the container has in the end: after the YAML, the server and the kubelet. */
async function environmentOf(target: string, namespace: string): Promise<Record<string, string>> {
  const { stdout, stderr } = await place.mlcc(['kube', 'exec', target, '-n', namespace, '--', 'env']);
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout);
}

test('values of a run that invite injection are seen by its container as the same text', async () => {
  place.writeRun({ more: stringify({ env: { HOME: '/root', ...VARIABLES } }) });
  expect((await place.applyRun()).code).toBe(0);
  await place.mlcc(['kube', 'rollout-status', 'pod/tuning-loop', '-n', 'loops', '--timeout', '1s']);
  expect(await environmentOf('tuning-loop', 'loops')).toMatchObject(VARIABLES);
});

test.each(KUBERNETES_TARGETS.map(({ target }) => target))(
  'the same for the container of a project for %s, by its settings and a profile',
  async (target) => {
    const settings = Object.fromEntries(
      Object.entries(SETTINGS).map(([name, text]) => [`IC_ENV_${name}`, text]),
    );
    const dir = place.project(target, { IC_ENV_HOME: '/root', ...settings });
    const more = variables('PROFILE', HOSTILE);
    writeFileSync(join(place.dir, 'serving.toml'), stringify({ env: more }));
    const args = ['deploy', 'apply', '--project', dir, '--profile', 'serving.toml', '--no-pin', '--wait'];
    expect(await place.mlcc(args)).toMatchObject({ code: 0 });
    expect(await environmentOf(`deployment/chat-${target}`, 'serving')).toMatchObject({
      ...SETTINGS,
      ...more,
    });
  },
);
