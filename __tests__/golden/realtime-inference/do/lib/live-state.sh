# shellcheck shell=bash
# What the service says now about the selected target's deployment. It reads the records of that deployment alone, changes
# nothing, and gives up soon: not to know is an answer, too.

. "$DO_DIR/lib/records.sh"
. "$DO_DIR/lib/aws.sh"
. "$DO_DIR/lib/kubectl.sh"

# -> _LIVE: the service's own word, "not found", or "unknown" with the reason in _LIVE_REASON (which also holds the reason
# that the service gives for a failure)
_live_state() {
  _LIVE=unknown _LIVE_REASON=''
  case $_TARGET_FAMILY in
    sagemaker-endpoint) _live_endpoint ;;
    sagemaker-job) _live_sagemaker transform-job JOB '[TransformJobStatus,FailureReason]' ;;
    kubernetes) _live_workload ;;
    *) _LIVE_REASON="no way to ask about a target of the family $_TARGET_FAMILY" ;;
  esac
}

# An endpoint that is in service says nothing about the component that it carries.
_live_endpoint() {
  _live_sagemaker endpoint ENDPOINT '[EndpointStatus,FailureReason]'
  if [[ $_LIVE == InService && $_TARGET_INVOCATION == component ]]; then
    _live_sagemaker inference-component COMPONENT '[InferenceComponentStatus,FailureReason]'
  fi
}

# KIND WHAT QUERY: describes the resource whose name is recorded as WHAT
_live_sagemaker() {
  local name
  _recorded "$2"
  name=$_RECORDED
  if [[ -z $name ]]; then
    _LIVE='not found' _LIVE_REASON="no $1 is recorded"
  elif _live_aws sagemaker "describe-$1" "--$1-name" "$name" --query "$3" --output text; then
    IFS=$'\t' read -r _LIVE _LIVE_REASON <<<"$_AWS_OUT"
    if [[ $_LIVE_REASON == None ]]; then _LIVE_REASON=''; fi
  elif [[ ${_AWS_ERROR:-} == not-found ]]; then
    _LIVE='not found' _LIVE_REASON="the $1 $name does not exist"
  else
    _LIVE=unknown _LIVE_REASON=$_LIVE_AWS_DOWN
  fi
}

# ARGUMENT...: one call without patience. What stops the first call would stop all the others: they are not tried.
_live_aws() {
  local _AWS_TRIES_BUSY=1 _AWS_TRIES_BROKEN=1
  _AWS_ERROR=''
  if [[ -n ${_LIVE_AWS_DOWN:-} ]]; then return 1; fi
  if [[ -z ${AWS_REGION:-} ]]; then
    _LIVE_AWS_DOWN='no AWS region is set'
  elif ! command -v aws >/dev/null; then
    _LIVE_AWS_DOWN='the AWS CLI is not installed'
  elif AWS_MAX_ATTEMPTS=1 _aws --cli-connect-timeout 5 --cli-read-timeout 20 "$@"; then
    return
  elif [[ $_AWS_ERROR != not-found ]]; then
    _LIVE_AWS_DOWN=${_AWS_MESSAGE:-$_AWS_ERROR}
    _LIVE_AWS_DOWN=${_LIVE_AWS_DOWN%%$'\n'*}
  fi
  return 1
}

_live_workload() {
  local name
  _recorded NAME
  name=$_RECORDED
  if [[ -z $name ]]; then
    _LIVE='not found' _LIVE_REASON='no workload is recorded'
    return
  fi
  case $_TARGET_WORKLOAD in
    deployment)
      set -- deployment -o 'jsonpath={.status.conditions[?(@.type=="Available")].status} {.status.readyReplicas}/{.spec.replicas}'
      ;;
    inference-endpoint-config)
      set -- inferenceendpointconfigs.inference.sagemaker.aws.amazon.com -o 'jsonpath={.status.state}'
      ;;
  esac
  if ! command -v kubectl >/dev/null; then
    _LIVE_REASON='kubectl is not installed'
  elif _kube_once --request-timeout=10s get "$1" "$name" "${@:2}"; then
    _live_words "$_KUBE_OUT"
  else
    if [[ $_KUBE_ERROR == not-found ]]; then _LIVE='not found'; fi
    _LIVE_REASON=${_KUBE_MESSAGE%%$'\n'*}
  fi
}

# OUTPUT of a workload: a deployment's condition and replicas, or the operator's state
_live_words() {
  case $1 in
    'True '*) _LIVE="Running ${1#True } ready" ;;
    *' '*/*) _LIVE="Pending ${1##* } ready" ;;
    '') _LIVE=Pending ;;
    *) _LIVE=$1 ;;
  esac
  _LIVE=${_LIVE/ \// 0/}
}
