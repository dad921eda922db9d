import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeProject, type TestProject } from '../support/project.js';
import { writeProbe } from './support/probe.js';

let project: TestProject;
beforeAll(() => {
  project = makeProject();
});
afterAll(() => project.remove());

/** What the table says of instance types: a number, or `unknown`. */
function accelerators(types: readonly string[]): Record<string, string> {
  const verb = writeProbe(project, {
    work: `. "$DO_DIR/lib/messages.sh"; . "$DO_DIR/lib/accelerators.sh"
      for type; do _accelerators_of "$type" || _ACCELERATORS=unknown; printf '%s %s\\n' "$type" "$_ACCELERATORS"; done`,
  });
  const { stdout } = project.run(verb, types);
  return Object.fromEntries(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split(' ')),
  );
}

describe('accelerators of an instance type', () => {
  test('with and without "ml.", by size, none, and not known', () => {
    expect(
      accelerators([
        'ml.g5.12xlarge',
        'g5.12xlarge',
        'ml.g5.2xlarge',
        'ml.p5.48xlarge',
        'ml.inf2.24xlarge',
        'ml.m5.large',
        'ml.x9.large',
        'g5',
      ]),
    ).toEqual({
      'ml.g5.12xlarge': '4',
      'g5.12xlarge': '4',
      'ml.g5.2xlarge': '1',
      'ml.p5.48xlarge': '8',
      'ml.inf2.24xlarge': '6',
      'ml.m5.large': '0',
      'ml.x9.large': 'unknown',
      g5: 'unknown',
    });
  });

  test('every type that the installed service model knows is in the table', () => {
    const types = serviceModelTypes();
    const known = accelerators(types);
    expect(types.filter((type) => known[type] === 'unknown')).toEqual([]);
    const accelerated = /^ml\.(p\d|g\d|gr\d|inf|trn|dl)/;
    expect(types.filter((type) => accelerated.test(type) === (known[type] === '0'))).toEqual([]);
  });
});

/** The instance types of the service model that Python's botocore ships; one that is sure to exist where there is none. */
function serviceModelTypes(): string[] {
  const script = `
import json
try:
    import botocore.loaders
    shapes = botocore.loaders.Loader().load_service_model("sagemaker", "service-2")["shapes"]
    print(json.dumps(sorted({t for name in ("ProductionVariantInstanceType", "ClusterInstanceType") for t in shapes[name]["enum"]})))
except ImportError:
    print('["ml.g5.xlarge"]')`;
  return JSON.parse(execFileSync('python3', ['-c', script], { encoding: 'utf8' })) as string[];
}
