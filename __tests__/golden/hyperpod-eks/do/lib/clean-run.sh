# shellcheck shell=bash
# The ways to run do/clean: one target, one from a menu, or all of them.

. "$DO_DIR/lib/work.sh"

# NAME or alias
_select_or_refuse() {
  _select_target "$1" && return
  _usage_error "unknown target \"$1\"; targets: ${_TARGET_NAMES// /, }"
}

_select_active() {
  [[ -n ${DEPLOYMENT_TARGET:-} ]] || _usage_error 'which target? DEPLOYMENT_TARGET is not set: add --target'
  _select_or_refuse "$DEPLOYMENT_TARGET"
}

# -> _FOUND: the targets that something is recorded for
_find_recorded() {
  local name
  _cold _list_targets
  _FOUND=
  for name in $_TARGET_NAMES; do
    _select_target "$name"
    if _is_recorded; then _FOUND="$_FOUND $name"; fi
  done
}

_select_from_menu() {
  local name choices=()
  _find_recorded
  for name in $_FOUND; do
    _select_target "$name"
    _target_status
    choices+=("$name (${_STATUS:-no status})")
  done
  if [[ -z $_FOUND ]]; then
    _info 'nothing is recorded as deployed'
    exit 0
  fi
  _choose 'Clean which one?' ${choices[@]+"${choices[@]}"} 'none' || _CHOICE=none
  if [[ $_CHOICE == none ]]; then
    _info 'nothing was changed'
    exit 0
  fi
  _select_target "$_CHOICE"
}

# Each in a process of its own: one that fails keeps its state and does not keep the others.
_clean_all() {
  local name dry='' code failed=''
  _find_recorded
  if [[ -z $_FOUND ]]; then
    _info 'nothing is recorded as deployed'
    return
  fi
  if _can_ask && [[ -z $_yes$DRY_RUN ]]; then
    _confirm "Delete what is deployed on:$_FOUND?" || _fail 'cancelled; nothing was changed'
  fi
  if [[ -n $DRY_RUN ]]; then dry=--dry-run; fi
  for name in $_FOUND; do
    code=0
    "$DO_DIR/clean" --target "$name" --yes ${dry:+"$dry"} || code=$?
    ((code < 128)) || exit "$code"
    ((code == 0)) || failed="$failed $name"
  done
  [[ -z $failed ]] || _fail "not cleaned:$failed" 'see above' 'do/clean --all goes on where it stopped'
}

# The selected target.
_clean() {
  if ! _is_recorded; then
    _info "$_TARGET: nothing is recorded as deployed"
    return
  fi
  _target_status
  _load_functions "clean.d/$_TARGET" target_clean
  if [[ -n $DRY_RUN ]]; then
    printf 'Dry run: nothing is called, nothing is written.\n\n%s (%s): clean\n\nCalls:\n' "$_TARGET" "${_STATUS:-no status}"
    _begin_plan
    target_clean
    _end_work
    return
  fi
  if _can_ask && [[ -z $_yes ]]; then
    _confirm "Delete what do/deploy created on $_TARGET (${_STATUS:-no status})?" || _fail 'cancelled; nothing was changed'
  fi
  # Without access to AWS nothing could be deleted: then the status stays, too.
  case $_TARGET_FAMILY in sagemaker-*)
    . "$DO_DIR/lib/aws-preflight.sh"
    _aws_preflight
    ;;
  esac
  _begin_work clean
  _set_status Deleting
  target_clean
  _forget_records
  _end_work
  _success "$_TARGET is cleaned"
}
