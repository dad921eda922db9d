# shellcheck shell=bash
# kubectl on the recorded cluster: every call names the recorded kubeconfig, context and namespace; the user's current
# context is neither used nor changed. Records: KUBECONFIG, CONTEXT, NAMESPACE.

. "$DO_DIR/lib/messages.sh"

# _kubectl ARGUMENT... - one kubectl call, its output as it comes.
_kubectl() {
  local config context
  _recorded KUBECONFIG
  config=$_RECORDED
  _recorded CONTEXT
  context=$_RECORDED
  _recorded NAMESPACE
  # In the environment, since it may be a list of files.
  KUBECONFIG=$config kubectl --context "$context" --namespace "${_RECORDED:-default}" "$@"
}

# _kube ARGUMENT... - the same, without input (but see _KUBE_INPUT) and retried while the cluster is busy. Sets _KUBE_OUT. On
# failure returns 1 and sets _KUBE_MESSAGE and _KUBE_ERROR: not-found exists forbidden unauthorized connection busy other.
# _KUBE_INPUT, when set, is given to the call on its standard input. In a dry run nothing is called: all counts as not found.
_kube() {
  local try=1 pause=1
  _KUBE_OUT='' _KUBE_ERROR='' _KUBE_MESSAGE=''
  if [[ ${DRY_RUN:-} == yes ]]; then
    _KUBE_ERROR=not-found
    return 1
  fi
  until _kube_once "$@"; do
    case $_KUBE_ERROR in connection | busy) ;; *) return 1 ;; esac
    [[ $try -lt 3 ]] || return 1
    _info "kubectl: $_KUBE_ERROR; trying again in ${pause}s"
    sleep "$pause"
    try=$((try + 1)) pause=$((pause * 2))
  done
}

# _kube_failed WHAT - explains the failure of the last call. Returns 1.
_kube_failed() {
  _kube_advice
  _failure "$1" "$_KUBE_MESSAGE" "$_KUBE_ADVICE"
  return 1
}

_kube_advice() {
  local again='run the same command again: it goes on where it stopped'
  _recorded CONTEXT
  case $_KUBE_ERROR in
    forbidden) _KUBE_ADVICE="give your identity that right in the cluster (an EKS access entry, say), then $again" ;;
    unauthorized) _KUBE_ADVICE="sign in to AWS again (aws sts get-caller-identity shows who you are), then $again" ;;
    connection) _KUBE_ADVICE="check that the API server of context $_RECORDED can be reached from here, then $again" ;;
    *) _KUBE_ADVICE=$again ;;
  esac
}

# What kubectl writes to stderr comes first in the captured text, then its exit code, then its output.
_kube_once() {
  local sep=$'\036' both code
  both=$({ _kube_run "$@"; } 2>&1)
  _KUBE_MESSAGE=${both%%"$sep"*}
  both=${both#*"$sep"}
  code=${both%%"$sep"*}
  _KUBE_OUT=${both#*"$sep"}
  _KUBE_ERROR=''
  [[ $code != 0 ]] || return 0
  _KUBE_MESSAGE=${_KUBE_MESSAGE:-kubectl ended with $code and gave no reason}
  case $_KUBE_MESSAGE in
    *'(AlreadyExists)'*) _KUBE_ERROR=exists ;;
    *'(NotFound)'* | *"doesn't have a resource type"* | *'no matches for kind'*) _KUBE_ERROR=not-found ;;
    *'(Forbidden)'*) _KUBE_ERROR=forbidden ;;
    *'(Unauthorized)'* | *'must be logged in'* | *'getting credentials'*) _KUBE_ERROR=unauthorized ;;
    *'(TooManyRequests)'* | *'(ServiceUnavailable)'* | *'(InternalError)'* | *'(ServerTimeout)'* | *'etcdserver:'*)
      _KUBE_ERROR=busy ;;
    *'was refused'* | *'connection refused'* | *'no such host'* | *'i/o timeout'* | *'TLS handshake timeout'* | \
      *'Unable to connect'* | *'connection reset'* | *'unexpected EOF'* | *': EOF'*) _KUBE_ERROR=connection ;;
    *) _KUBE_ERROR=other ;;
  esac
  return 1
}

_kube_run() {
  local out code=0
  set +e +o pipefail
  if [[ -n ${_KUBE_INPUT:-} ]]; then
    out=$(printf '%s' "$_KUBE_INPUT" | _kubectl "$@")
  else
    out=$(_kubectl "$@" </dev/null)
  fi
  code=$?
  printf '\036%s\036%s' "$code" "$out"
}
