import { type Catalog, type Target, verbTargets } from '../catalog/index.js';
import { verbs } from '../contract/index.js';
import { quoteShell } from '../shell/index.js';
import { generatedShell } from './generated-shell.js';

/*
 * What the shell knows about targets. One record per target and one `case` over the names, because that is what bash
 * gets through fastest: the file is read before every verb's work, also in a project with hundreds of targets.
 */

/**
 * `do/lib/targets.sh`: sourced as `. targets.sh NAME`, it sets `_TARGET_RECORD` to the canonical name, tag, success status,
 * family, invocation, workload, whether there is a SageMaker endpoint (yes or no), serving source and the restricted verbs that
 * apply, separated by blanks. For an unknown name it sets `_TARGET_NAMES` to all canonical names and returns 1.
 */
export function targetsSh({ targets }: Catalog): string {
  const names = targets.map(({ manifest }) => manifest.target).join(' ');
  return generatedShell('targets.d', [
    'case ${1-} in',
    ...targets.map(recordArm),
    `*) _TARGET_NAMES=${quoteShell(names)}; return 1;;`,
    'esac',
  ]);
}

/**
 * `do/lib/targets-guidance.sh`: sourced as `. targets-guidance.sh TARGET VERB`, it sets `_RESTRICTED_VERBS` to the verbs that not
 * every target has, `_VERB_TARGETS` to the targets that have VERB, and `_GUIDANCE` to what to do instead on TARGET, if the
 * descriptor says so. Read only when a verb is refused.
 */
export function targetsGuidanceSh(catalog: Catalog): string {
  const restricted = verbs.flatMap((verb) => (verb.targets === 'map' ? [verb.name] : []));
  return generatedShell('targets.d', [
    `_RESTRICTED_VERBS=${quoteShell(restricted.join(' '))} _VERB_TARGETS='' _GUIDANCE=''`,
    'case ${2-} in',
    ...restricted.map(
      (verb) => `  ${verb}) _VERB_TARGETS=${quoteShell(verbTargets(catalog, verb).join(' '))} ;;`,
    ),
    'esac',
    "case ${1-}' '${2-} in",
    ...catalog.targets.flatMap(guidanceArms),
    'esac',
  ]);
}

/** The part of a status variable between `DEPLOYMENT_TARGET_` and `_STATUS`: what a target's records are named by. */
export function statusTag({ manifest }: Target): string {
  return manifest.status_var.replace(/^DEPLOYMENT_TARGET_/, '').replace(/_STATUS$/, '');
}

function recordArm(target: Target): string {
  const { manifest } = target;
  const record = [
    manifest.target,
    statusTag(target),
    manifest.success_status,
    manifest.family,
    manifest.invocation,
    manifest.workload,
    manifest.sagemaker_endpoint ? 'yes' : 'no',
    manifest.serving_config_source,
    ...Object.entries(manifest.verbs).flatMap(([verb, allowed]) => (allowed ? [verb] : [])),
  ];
  const names = [manifest.target, ...manifest.aliases];
  return `${names.join('|')}) _TARGET_RECORD=${quoteShell(record.join(' '))};;`;
}

function guidanceArms({ manifest }: Target): string[] {
  return Object.entries(manifest.verb_guidance ?? {}).map(
    ([verb, guidance]) => `  '${manifest.target} ${verb}') _GUIDANCE=${quoteShell(guidance)} ;;`,
  );
}
