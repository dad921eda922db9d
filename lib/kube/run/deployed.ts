import { type DeployedObjects, keyOf } from '../deployed.js';
import { Faults } from '../faults.js';
import { type ManifestFile, readManifest } from '../manifest.js';
import { standardLabels } from '../objects.js';
import { readProfile } from '../profile.js';
import type { SourceFile } from '../toml/document.js';
import type { RunInput } from './input.js';
import { bindingName, podName } from './names.js';

/** The objects of a run, whatever it was rendered with beside manifest, profile and mode. */
export function objectsOfRun(
  manifestFile: ManifestFile,
  profileFile: SourceFile,
  mode: RunInput['mode']['kind'],
): DeployedObjects {
  const faults = new Faults();
  const manifest = readManifest(manifestFile, faults);
  const source = readProfile(profileFile, faults);
  const { loop_namespace: loop, rig_namespace: rig } = source?.profile.cluster ?? {};
  for (const [key, value] of Object.entries({ loop_namespace: loop, rig_namespace: rig })) {
    if (source && value === undefined) {
      faults.add(
        source.document.where('/cluster'),
        `set \`${key}\` in [cluster]: the run’s objects are there`,
      );
    }
  }
  faults.throwIfAny(`${manifestFile.file} and ${profileFile.file} do not say what the run is called`);
  if (!manifest || loop === undefined || rig === undefined) throw new Error('what is missing is a fault');
  const pod = podName(manifest.name, mode);
  return {
    keys: [
      keyOf('v1', 'Pod', loop, pod),
      keyOf('rbac.authorization.k8s.io/v1', 'RoleBinding', rig, bindingName(pod, loop)),
    ],
    partOf: manifest.domain,
    labelled: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: loop,
      labels: standardLabels({ partOf: manifest.domain, component: mode }),
    },
  };
}
