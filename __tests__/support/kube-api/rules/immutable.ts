import { badValue, type Cause, forbiddenChange } from '../api-error.js';
import { clone, type JsonObject, type KubeObject, listAt, sameJson, valueAt } from '../json.js';

const IMMUTABLE = 'field is immutable';
const POD_CHANGE =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
  '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
  '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** What an update may not change; an empty list says that it may be done. */
export function checkUpdate(before: KubeObject, after: KubeObject): Cause[] {
  return [...checkFinalizers(before, after), ...checkKindUpdate(before, after)];
}

function checkFinalizers(before: KubeObject, after: KubeObject): Cause[] {
  if (!before.metadata.deletionTimestamp) return [];
  const added = (after.metadata.finalizers ?? []).filter(
    (name) => !before.metadata.finalizers?.includes(name),
  );
  const why = 'no new finalizers can be added if the object is being deleted';
  return added.length === 0
    ? []
    : [forbiddenChange('metadata.finalizers', `${why}, found new finalizers ${JSON.stringify(added)}`)];
}

function checkKindUpdate(before: KubeObject, after: KubeObject): Cause[] {
  const same = (...path: string[]) => sameJson(valueAt(before, ...path), valueAt(after, ...path));
  switch (after.kind) {
    case 'Pod':
      return sameJson(fixedPodSpec(before), fixedPodSpec(after)) ? [] : [forbiddenChange('spec', POD_CHANGE)];
    case 'Deployment':
    case 'ReplicaSet':
      return same('spec', 'selector')
        ? []
        : [badValue('spec.selector', valueAt(after, 'spec', 'selector'), IMMUTABLE)];
    case 'RoleBinding':
    case 'ClusterRoleBinding':
      return same('roleRef') ? [] : [badValue('roleRef', after.roleRef, 'cannot change roleRef')];
    case 'ConfigMap':
    case 'Secret':
      return checkImmutableData(before, after);
    case 'Service': {
      const wasSet = valueAt(before, 'spec', 'clusterIP') !== undefined;
      return !wasSet || same('spec', 'clusterIP')
        ? []
        : [badValue('spec.clusterIP', valueAt(after, 'spec', 'clusterIP'), IMMUTABLE)];
    }
    case 'PersistentVolumeClaim':
      return sameJson(fixedClaimSpec(before), fixedClaimSpec(after))
        ? []
        : [
            forbiddenChange(
              'spec',
              'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
            ),
          ];
    default:
      return [];
  }
}

/** A Pod's spec without the few fields that may change. */
function fixedPodSpec(pod: KubeObject): JsonObject {
  const spec = clone(pod.spec) as JsonObject;
  for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')])
    delete container.image;
  for (const field of ['activeDeadlineSeconds', 'tolerations']) delete spec[field];
  return spec;
}

function fixedClaimSpec(claim: KubeObject): JsonObject {
  const spec = clone(claim.spec) as JsonObject;
  delete spec.volumeName;
  delete spec.resources;
  return spec;
}

function checkImmutableData(before: KubeObject, after: KubeObject): Cause[] {
  const causes: Cause[] = [];
  if (before.immutable === true) {
    const why = 'field is immutable when `immutable` is set';
    if (after.immutable !== true) causes.push(forbiddenChange('immutable', why));
    for (const field of ['data', 'binaryData']) {
      if (!sameJson(before[field], after[field])) causes.push(forbiddenChange(field, why));
    }
  }
  if (after.kind === 'Secret' && before.type !== after.type)
    causes.push(badValue('type', after.type, IMMUTABLE));
  return causes;
}
