# shellcheck shell=bash
# The part of a run that changes things: whatever ends it, the status says afterwards what is the case.

# What is being done: '' (nothing that needs a word), plan (a dry run), check, deploy, update or clean.
_WORK=

# SCRIPT FUNCTION...: sources a target's script, which is to define the functions
_load_functions() {
  local script=$1 name
  [[ -f $DO_DIR/$script ]] || _fail "do/$script is missing" 'the target has no such script' 'restore it, or run: mlcc regenerate'
  . "$DO_DIR/$script"
  for name in "${@:2}"; do
    declare -F "$name" >/dev/null || _fail "do/$script does not define $name" '' 'mlcc check shows what a target needs'
  done
}

# KIND: from here to _end_work, an end of the script is a failure or an interruption of this work
_begin_work() {
  _WORK=$1
  trap '_on_exit $?' EXIT
  trap '_on_signal 129' HUP
  trap '_on_signal 130' INT
  trap '_on_signal 143' TERM
}

# The same for a dry run: what the scripts say that they do stands among the calls that they would make.
# shellcheck disable=SC2317 # the targets' scripts call them
_begin_plan() {
  _step() { printf '# %s\n' "$1"; }
  _info() { printf '# %s\n' "$1"; }
  _begin_work plan
}

_end_work() {
  _WORK=
  trap - EXIT HUP INT TERM
}

# CODE: the script ends before the work is done
_on_exit() {
  trap - EXIT
  trap '' HUP INT TERM
  set +e
  # Targets' scripts end with what their last command said; a verb's own codes are few.
  local code=$1
  case $code in 1 | 2 | 3) ;; *) code=1 ;; esac
  case $_WORK in
    check) _failure "$_TARGET was not deployed" 'a check before the deployment failed; nothing was created' ;;
    deploy)
      _set_status Failed
      _failure "the deployment to $_TARGET failed" '' \
        'do/deploy goes on where it stopped; do/logs shows what the model says; do/clean removes what was created'
      ;;
    update)
      _target_status
      _recorded IMAGE
      _failure "the update of $_TARGET failed; its status is $_STATUS" '' \
        "do/deploy tries again${_RECORDED:+; do/deploy --set ECR_IMAGE_URI=$_RECORDED goes back to the image that was deployed last}"
      ;;
    clean) _failure "$_TARGET is not cleaned" 'what is left stays recorded' "do/clean --target $_TARGET goes on where it stopped" ;;
  esac
  exit "$code"
}

# CODE: a signal asks the script to end
_on_signal() {
  trap - EXIT
  trap '' HUP INT TERM
  set +e
  case $_WORK in
    check) _warn 'interrupted; nothing was created' ;;
    deploy)
      _set_status Interrupted
      _warn "interrupted: $_TARGET may be half deployed. do/deploy goes on; do/clean --target $_TARGET removes it"
      ;;
    update) _warn "interrupted: the update of $_TARGET may still be in progress; do/status shows it" ;;
    clean) _warn "interrupted: do/clean --target $_TARGET goes on" ;;
  esac
  exit "$1"
}
