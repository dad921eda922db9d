# shellcheck shell=bash
# The workload that serves the model: a Deployment or the object of HyperPod's inference operator. Whether it serves is
# read from its status, never from an exit code. Sourced by kubernetes.sh.

_k8s_apply_workload() {
  local name
  _recorded NAME
  name=$_RECORDED
  _step "Applying the objects of $name"
  if ! _mlcc_deploy apply; then
    _failure "the objects of $name could not be applied" '' 'see above; then run the same command again'
    _k8s_note_outage "$name"
    return 1
  fi
  if ! _wait_for "the model on $name" "${DEPLOY_TIMEOUT:-3600}" _k8s_serves "$name"; then
    _k8s_show_events "$name"
    _k8s_note_outage "$name"
    return 1
  fi
}

_k8s_delete_workload() {
  local name
  _recorded NAME
  name=$_RECORDED
  if [[ ${DRY_RUN:-} == yes ]]; then
    printf '%s deploy delete --project %s\n' "${_MLCC[*]}" "$PROJECT_DIR"
    return 0
  fi
  _step "Deleting the objects of $name"
  if ! _mlcc_deploy delete --timeout "${DEPLOY_TIMEOUT:-3600}"; then
    _failure "the objects of $name could not be deleted" '' 'see above; then run do/clean again'
    return 1
  fi
  _wait_for "the objects of $name" "${DEPLOY_TIMEOUT:-3600}" _k8s_workload_is_gone "$name" || return 1
}

# The kind that serves, and the path of the state that says so.
_k8s_kind() {
  case $_TARGET_WORKLOAD in
    inference-endpoint-config) printf 'inferenceendpointconfigs.inference.sagemaker.aws.amazon.com' ;;
    *) printf 'deployments.apps' ;;
  esac
}

# Probes for _wait_for: 0 it is so, 1 not yet, 2 it will not be so.

_k8s_serves() { # NAME
  case $_TARGET_WORKLOAD in
    inference-endpoint-config) _k8s_endpoint_config_serves "$1" ;;
    *) _k8s_deployment_serves "$1" ;;
  esac
}

_k8s_deployment_serves() { # NAME
  local generation observed wanted total updated available reason message sep='|'
  _k8s_read "$1" '{.metadata.generation}|{.status.observedGeneration}|{.spec.replicas}|{.status.replicas}|{.status.updatedReplicas}|{.status.availableReplicas}|{.status.conditions[?(@.type=="Progressing")].reason}|{.status.conditions[?(@.type=="Progressing")].message}' || return
  IFS=$sep read -r -d '' generation observed wanted total updated available reason message < <(printf '%s' "$_KUBE_OUT") || :
  _WAIT_STATE="${available:-0} of ${wanted:-?} available"
  if [[ -z $observed || $observed -lt ${generation:-0} ]]; then return 1; fi
  if [[ $reason == ProgressDeadlineExceeded ]]; then
    _WAIT_REASON=$message
    return 2
  fi
  [[ ${updated:-0} == "$wanted" && ${available:-0} == "$wanted" && ${total:-0} == "$wanted" ]]
}

_k8s_endpoint_config_serves() { # NAME
  local generation observed state conditions sep='|'
  _k8s_read "$1" "{.metadata.generation}|{.status.observedGeneration}|{.status.state}|$_K8S_CONDITIONS" || return
  IFS=$sep read -r -d '' generation observed state conditions < <(printf '%s' "$_KUBE_OUT") || :
  _WAIT_STATE=${state:-not seen by the operator yet}
  if [[ -z $observed || $observed -lt ${generation:-0} ]]; then return 1; fi
  case $state in
    DeploymentComplete) return 0 ;;
    DeploymentFailed)
      _k8s_failure_reason "$conditions"
      return 2
      ;;
  esac
  return 1
}

# A line for each condition of the operator's object: TYPE STATUS MESSAGE.
_K8S_CONDITIONS='{range .status.conditions[*]}{.type} {.status} {.message}{"\n"}{end}'

# CONDITIONS: sets _WAIT_REASON to the failures among them or, where none is called one, to what is not so
_k8s_failure_reason() {
  local type status message failures='' others='' nl=$'\n'
  while read -r type status message; do
    [[ -n $message ]] || continue
    case $status$type in
      True*Fail* | True*Error*) failures="$failures${failures:+$nl}$message" ;;
      False*) others="$others${others:+$nl}$message" ;;
    esac
  done <<<"$1"
  _WAIT_REASON=${failures:-${others:-the operator gave no reason}}
}

_k8s_workload_is_gone() { # NAME
  local kind
  kind=$(_k8s_kind)
  if ! _kube get "$kind" "$1" -o "jsonpath={.status.state}|$_K8S_CONDITIONS"; then
    if [[ $_KUBE_ERROR == not-found ]]; then
      _WAIT_STATE=gone
      return 0
    fi
    _k8s_probe_failed
    return
  fi
  _WAIT_STATE='being deleted'
  case $_KUBE_OUT in 'DeletionFailed|'*)
    _WAIT_STATE=DeletionFailed
    _k8s_failure_reason "${_KUBE_OUT#*|}"
    return 2
    ;;
  esac
  return 1
}

_k8s_read() { # NAME JSONPATH
  local kind
  kind=$(_k8s_kind)
  _kube get "$kind" "$1" -o "jsonpath=$2" && return
  if [[ $_KUBE_ERROR == not-found ]]; then
    _WAIT_STATE=gone _WAIT_REASON='somebody deleted it, or it was never applied'
    return 2
  fi
  _k8s_probe_failed
}

# Why the pods do not run.
_k8s_show_events() { # NAME
  . "$DO_DIR/lib/kubernetes-pods.sh"
  _WORKLOAD=$1
  _step "What the cluster says about $1"
  if _find_pods; then _show_pods; fi
}

# When an update has left nothing that serves, the status says so.
_k8s_note_outage() { # NAME
  _target_status
  [[ $_STATUS == "$_TARGET_SUCCESS" ]] || return 0
  case $_TARGET_WORKLOAD in
    inference-endpoint-config) _kube get "$(_k8s_kind)" "$1" -o 'jsonpath={.status.state}' || return 0 ;;
    *) _kube get "$(_k8s_kind)" "$1" -o 'jsonpath={.status.availableReplicas}' || return 0 ;;
  esac
  case $_KUBE_OUT in '' | 0 | DeploymentFailed) _set_status Failed ;; esac
}
