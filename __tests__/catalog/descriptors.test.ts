import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  buildCatalog,
  builtInSources,
  faultLine,
  loadCatalog,
  readFolders,
  runtimeOwned,
  schemas,
  serveEngineRuntimeVarsUnion,
  sharedRuntimeVars,
  shellVarToAnswer,
  statusVars,
  statusVarToAnswerKey,
  targetAliases,
  verbTargets,
} from '../../lib/catalog/index.js';
import { packageRoot } from '../../lib/package/index.js';

const catalog = loadCatalog();

test('the built-in catalogue has no faults and no warnings', () => {
  const { faults, warnings } = buildCatalog(builtInSources());
  expect(faults.map(faultLine)).toEqual([]);
  expect(warnings.map(faultLine)).toEqual([]);
});

test('every script of the repository is executable', () => {
  for (const { location, files } of [
    ...readFolders(join(packageRoot, 'targets.d'), 'pack'),
    ...readFolders(join(packageRoot, 'serve.d'), 'pack'),
  ]) {
    for (const name of ['deploy', 'clean', 'serve']) {
      if (files.has(name))
        expect([location, name, files.get(name)?.executable]).toEqual([location, name, true]);
    }
  }
});

// The table of the five is the contract with people's projects, written out on purpose.
describe('the table of the five', () => {
  test.each([
    [
      'realtime-inference',
      'SMAI',
      'InService',
      'sagemaker-endpoint',
      'component',
      'none',
      true,
      'sagemaker-ic',
    ],
    ['async-inference', 'ASYNC', 'InService', 'sagemaker-endpoint', 'async', 'none', true, 'sagemaker-ic'],
    ['batch-transform', 'BATCH', 'Completed', 'sagemaker-job', 'job', 'none', false, 'sagemaker-ic'],
    ['hyperpod-eks', 'HP', 'Running', 'kubernetes', 'pod', 'inference-endpoint-config', true, 'kubernetes'],
    ['eks', 'EKS', 'Running', 'kubernetes', 'pod', 'deployment', false, 'kubernetes'],
  ])('%s', (name, tag, success, family, invocation, workload, endpoint, source) => {
    const manifest = catalog.targets.find((target) => target.manifest.target === name)?.manifest;
    expect(manifest).toMatchObject({
      status_var: `DEPLOYMENT_TARGET_${tag}_STATUS`,
      success_status: success,
      family,
      invocation,
      workload,
      sagemaker_endpoint: endpoint,
      serving_config_source: source,
    });
  });

  test('which verb applies to which target', () => {
    expect(verbTargets(catalog, 'benchmark')).toEqual(['eks', 'hyperpod-eks', 'realtime-inference']);
    expect(verbTargets(catalog, 'optimize')).toEqual(['hyperpod-eks', 'realtime-inference']);
    expect(verbTargets(catalog, 'adapter')).toEqual(['eks', 'hyperpod-eks', 'realtime-inference']);
    expect(verbTargets(catalog, 'add-ic')).toEqual(['realtime-inference']);
    expect(verbTargets(catalog, 'ci')).toEqual(['realtime-inference']);
    expect(verbTargets(catalog, 'draft')).toEqual(['hyperpod-eks']);
  });

  test('aliases and required variables', () => {
    expect(targetAliases(catalog)).toEqual({
      async: 'async-inference',
      batch: 'batch-transform',
      hyperpod: 'hyperpod-eks',
      'managed-inference': 'realtime-inference',
      realtime: 'realtime-inference',
    });
    const required = Object.entries(schemas(catalog)).map(([name, schema]) => [name, schema.required]);
    expect(Object.fromEntries(required)).toEqual({
      'async-inference': ['INSTANCE_TYPE', 'ASYNC_S3_OUTPUT_PATH'],
      'batch-transform': ['INSTANCE_TYPE', 'BATCH_INPUT_PATH', 'BATCH_OUTPUT_PATH'],
      eks: [],
      'hyperpod-eks': ['INSTANCE_TYPE', 'HP_CLUSTER_NAME'],
      'realtime-inference': ['INSTANCE_TYPE', 'ENDPOINT_NAME'],
    });
  });
});

describe('derived maps', () => {
  test('every status variable has its camelCase answer, and 27 variables round-trip beside the descriptors’ params', () => {
    expect(statusVarToAnswerKey(catalog).DEPLOYMENT_TARGET_EKS_STATUS).toBe('deploymentTargetEksStatus');
    const roundTrip = shellVarToAnswer(catalog);
    const contract =
      'PROJECT_NAME DEPLOYMENT_CONFIG DEPLOYMENT_TARGET INSTANCE_TYPE MODEL_NAME BASE_IMAGE REGION AWS_REGION ' +
      'ENDPOINT_NAME DEPLOY_MODE CONTAINER_IMAGE_URI ENDPOINT_STATUS IC_GPU_COUNT IC_COPY_COUNT IC_MEMORY_SIZE ' +
      'IC_CPU_COUNT ENABLE_LORA MAX_LORAS QUANTIZATION HF_TOKEN_ARN NGC_TOKEN_ARN GENERATOR_VERSION';
    for (const name of [...contract.split(' '), ...Object.values(statusVars(catalog))]) {
      expect(roundTrip).toHaveProperty(name);
    }
    expect(roundTrip.CONTAINER_IMAGE_URI).toBe('container_image_uri');
    expect(roundTrip.REGION).toBe(roundTrip.AWS_REGION);
  });

  test('what regenerate preserves: targets, every engine’s dimensions, and the shared list', () => {
    const owned = runtimeOwned(catalog);
    expect(serveEngineRuntimeVarsUnion(catalog)).toContain('SGLANG_TP_SIZE');
    expect(sharedRuntimeVars(catalog)).toContain('HP_SPECULATIVE_EAGLE_TOPK');
    for (const name of [
      'VLLM_MAX_MODEL_LEN',
      'OPTION_QUANTIZE',
      'TRTLLM_DTYPE',
      'KUBECONFIG',
      'ECR_IMAGE_URI',
    ]) {
      expect(owned).toContain(name);
    }
    expect(owned).not.toContain('INSTANCE_TYPE');
  });
});
