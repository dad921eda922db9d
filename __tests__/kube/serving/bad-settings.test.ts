import { describe, expect, test } from '@jest/globals';
import { objectsOfServing } from '../../../lib/kube/index.js';
import { servingFaults, servingInput, WORKLOADS } from './fixture.js';

describe.each(WORKLOADS)('%s', (workload) => {
  test('[C47] GPU counts that are no whole number, and quantities that are none', async () => {
    const bad = { HP_GPU_COUNT: '0.5', HP_MEM_REQUEST: '10GB', HP_CPU_REQUEST: 'two' };
    expect(await servingFaults(workload, { settings: bad })).toEqual([
      expect.stringMatching(/^do\/config:\d+: HP_CPU_REQUEST: `two` is not a quantity/),
      expect.stringMatching(/^do\/config:\d+: HP_MEM_REQUEST: `10GB` is not a quantity: write 10G or 10Gi$/),
      expect.stringMatching(
        /^do\/config:\d+: HP_GPU_COUNT `0\.5` is not a whole number of GPUs, 0 or more, nor auto$/,
      ),
    ]);
    expect(await servingFaults(workload, { settings: { INSTANCE_TYPE: 'ml.zz9.large' } })).toEqual([
      'do/config: HP_GPU_COUNT is auto, but the accelerators of ml.zz9.large are not known: set a number',
    ]);
  });

  test('everything that is missing or wrong is said at once, with its line', async () => {
    const settings = {
      PROJECT_NAME: undefined,
      MODEL_NAME: undefined,
      ECR_IMAGE_URI: undefined,
      HP_GPU_COUNT: '1',
      HP_REPLICAS: '0',
      HP_NAMESPACE: 'Not_A_Namespace',
      HP_QUEUE: 'a b',
      DEPLOY_TIMEOUT: 'soon',
      IC_ENV_4K: 'x',
    };
    const faults = await servingFaults(workload, { settings });
    const written = servingInput(workload, { settings }).config.text.split('\n');
    const at = (name: string) => `do/config:${written.findIndex((line) => line.includes(`${name}=`)) + 1}`;
    expect(faults).toEqual([
      'do/config: set PROJECT_NAME: the objects are named after it',
      `${at('HP_NAMESPACE')}: HP_NAMESPACE \`Not_A_Namespace\` is not a namespace's name: it has lower-case letters, digits and inner hyphens`,
      `${at('DEPLOY_TIMEOUT')}: DEPLOY_TIMEOUT \`soon\` is not a whole number above 0`,
      'do/config: set ECR_IMAGE_URI: there is no image to deploy',
      `${at('HP_REPLICAS')}: HP_REPLICAS \`0\` is not a whole number above 0`,
      `${at('HP_QUEUE')}: HP_QUEUE \`a b\` must be at most 63 letters, digits and inner hyphens, dots or underscores`,
      'do/config: set MODEL_NAME: there is no model to serve',
      `${at('IC_ENV_4K')}: IC_ENV_4K gives no environment variable's name: \`4K\``,
    ]);
  });

  test.each(['9lives', 'My-Project', 'a_b', 'a-', '-a'])(
    '[C43] a project called %s is refused, unless it is deployed under a recorded name',
    async (project) => {
      expect(await servingFaults(workload, { settings: { PROJECT_NAME: project } })).toEqual([
        `do/config:1: PROJECT_NAME \`${project}\` must have lower-case letters, digits and inner hyphens, and a letter first`,
      ]);
      const tag = servingInput(workload).target.status_var.replace(/STATUS$/, '');
      const settings = { PROJECT_NAME: project, [`${tag}NAME`]: 'as-recorded' };
      expect(objectsOfServing(servingInput(workload, { settings })).keys[0]?.metadata.name).toBe(
        'as-recorded',
      );
    },
  );

  test('[C42] an image whose digest is none is refused at its line', async () => {
    expect(
      await servingFaults(workload, { settings: { ECR_IMAGE_URI: 'r.example.com/a:1@sha256:ABC' } }),
    ).toEqual([
      expect.stringMatching(
        /^do\/config:6: 'r\.example\.com\/a:1@sha256:ABC' is not a valid image reference: /,
      ),
    ]);
  });

  test('a faulty profile is reported together with the settings', async () => {
    const given = { settings: { HP_REPLICAS: 'x' }, profile: '[cluster]\nserving_namespac = "a"' };
    expect(await servingFaults(workload, given)).toEqual([
      'profile.toml:2: unknown key `cluster.serving_namespac`; did you mean `serving_namespace`?',
      expect.stringContaining('HP_REPLICAS'),
    ]);
  });
});
