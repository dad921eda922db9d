# shellcheck shell=bash
# Waiting for SageMaker resources. Sourced by sagemaker.sh.

. "$DO_DIR/lib/wait.sh"

# _sm_wait KIND NAME STATE - waits until it has reached the state; stops at once when it has failed.
_sm_wait() {
  [[ ${DRY_RUN:-} != yes ]] || return 0
  _SM_SEEN=no
  _wait_for "the $(_sm_words "$1") $2" "${DEPLOY_TIMEOUT:-3600}" _sm_has_state "$@" || return 1
}

# _sm_settle KIND NAME - waits until it is not changing any more, whatever comes of it; leaves its state in _SM_STATE.
_sm_settle() {
  _sm_describe "$1" "$2" || return
  if _sm_is_moving; then
    _wait_for "the $(_sm_words "$1") $2, from an earlier call" "${DEPLOY_TIMEOUT:-3600}" _sm_is_settled "$@" || return 1
  fi
}

# _sm_settle_recorded KIND WHAT - the same as _sm_settle for the recorded resource; absent when none is recorded.
_sm_settle_recorded() {
  _recorded "$2"
  _SM_STATE=absent
  [[ -z $_RECORDED ]] || _sm_settle "$1" "$_RECORDED"
}

# _sm_wait_until_runs KIND NAME DETAIL - waits for an update's end: the endpoint runs that config, the component that image
# or model. A failed update ends InService, too, with what was before.
_sm_wait_until_runs() {
  [[ ${DRY_RUN:-} != yes ]] || return 0
  _SM_LOOKS=0
  _wait_for "the $(_sm_words "$1") $2" "${DEPLOY_TIMEOUT:-3600}" _sm_runs "$@" || return 1
}

# Whether the state that was described last will change by itself.
_sm_is_moving() {
  case $_SM_STATE in
    Creating | Updating | SystemUpdating | RollingBack | Deleting | InProgress | Stopping) return 0 ;;
    *) return 1 ;;
  esac
}

# Probes for _wait_for: 0 it is so, 1 not yet, 2 it will not be so.

_sm_probe() { # KIND NAME
  if _sm_look "$@"; then
    _WAIT_STATE=${_SM_STATE#Present}
    return 0
  fi
  _sm_probe_failed
}

_sm_probe_failed() {
  _aws_advice
  _WAIT_STATE='an AWS call failed' _WAIT_REASON="$_AWS_MESSAGE"$'\n'"-> $_AWS_ADVICE"
  return 2
}

_sm_has_state() { # KIND NAME STATE
  _sm_probe "$1" "$2" || return 2
  case $_SM_STATE in
    "$3") return 0 ;;
    # It may take a moment until a new resource can be seen.
    absent) [[ $_SM_SEEN == yes ]] || return 1 ;;
    *)
      _SM_SEEN=yes
      if _sm_is_moving; then return 1; fi
      ;;
  esac
  _WAIT_REASON=${_SM_REASON:-the service gave no reason}
  return 2
}

_sm_is_settled() { # KIND NAME
  _sm_probe "$1" "$2" || return 2
  if _sm_is_moving; then return 1; fi
}

# What is still being created or updated cannot be deleted yet.
_sm_is_gone() { # KIND NAME
  _sm_probe "$1" "$2" || return 2
  _WAIT_REASON=$_SM_REASON
  if [[ $_SM_STATE == absent ]]; then
    _WAIT_STATE=gone
    return 0
  fi
  if [[ $_SM_DELETE_SENT == yes ]] || _sm_is_moving; then return 1; fi
  if _aws sagemaker "delete-$1" "--$1-name" "$2"; then
    _SM_DELETE_SENT=yes
    _sm_is_gone "$1" "$2"
    return
  fi
  case $_AWS_ERROR in
    not-found)
      _WAIT_STATE=gone
      return 0
      ;;
    busy) return 1 ;;
  esac
  _sm_probe_failed
}

# How often a resource may look as if nothing had happened to it, before that counts as the outcome.
_SM_PATIENCE=3

_sm_runs() { # KIND NAME DETAIL
  _sm_probe "$1" "$2" || return 2
  if _sm_is_moving; then
    _SM_LOOKS=$_SM_PATIENCE
    return 1
  fi
  # A component that goes back to the image that it had before may have it again: then only the reason tells.
  if [[ $1 == inference-component && $_SM_STATE == InService && -n $_SM_REASON && $_SM_LOOKS -ge $_SM_PATIENCE ]]; then
    _WAIT_STATE='rolled back' _WAIT_REASON=$_SM_REASON
    return 2
  fi
  # Not every service says what it runs.
  if [[ $_SM_STATE == InService && ($_SM_DETAIL == "$3" || -z $_SM_DETAIL) ]]; then return 0; fi
  _SM_LOOKS=$((_SM_LOOKS + 1))
  if [[ $_SM_STATE == InService && -z $_SM_REASON && $_SM_LOOKS -lt $_SM_PATIENCE ]]; then return 1; fi
  if [[ $_SM_STATE == InService ]]; then _WAIT_STATE="rolled back to $_SM_DETAIL"; fi
  _WAIT_REASON=${_SM_REASON:-the service gave no reason}
  return 2
}
