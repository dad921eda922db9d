# shellcheck shell=bash
# The ways to run do/deploy: deploy or update, switch the focus, configure anew, roll back.

. "$DO_DIR/lib/ask.sh"
. "$DO_DIR/lib/deploy-plan.sh"
. "$DO_DIR/lib/work.sh"

# -> _MODE: deploy, update, focus, reconfigure or rollback; _STATUS
_choose_mode() {
  _target_status
  if _switch rollback; then _MODE=rollback
  elif _switch reconfigure; then _MODE=reconfigure
  elif ! _is_live; then _MODE=deploy
  elif _switch force || _in_focus; then _MODE=update
  else _MODE=focus
  fi
}

# Whether there is a live deployment to update. A job that has run is none: the next deploy is the next job.
_is_live() { [[ $_TARGET_FAMILY != sagemaker-job ]] && _guard_met deployment-active; }

# Whether the selected target is the one in do/config (or in --set).
_in_focus() { . "$DO_DIR/lib/targets.sh" "${DEPLOYMENT_TARGET:-}" && [[ ${_TARGET_RECORD%% *} == "$_TARGET" ]]; }

# The target is live already: the verbs work on it from now on.
_focus() {
  if [[ -n $_FLAGS ]]; then
    _usage_error "$_TARGET is live but not in focus, so these would change nothing:$_FLAGS; add --force to update it"
  fi
  if [[ $DRY_RUN == yes ]]; then
    printf 'Dry run: the focus would move from %s to %s (%s).\n' "${DEPLOYMENT_TARGET:-none}" "$_TARGET" "$_STATUS"
    return
  fi
  _ANSWERS=()
  _store_answers
  _success "the focus is on $_TARGET ($_STATUS)"
  _show_place
  if _switch answers-file; then _warn 'the settings in the answers file were not applied; with --force they are'; fi
  _info 'do/deploy updates it'
}

_deploy() {
  _read_settings missing "$@"
  if [[ $_STATUS == Deleting ]]; then
    _step "finishing the teardown of $_TARGET first"
    _clean_first
  fi
  _load_target
  _run
}

# Deploys the image before again. When an update has failed and nothing serves, that is the last one that did.
_rollback() {
  local previous
  _recorded PREVIOUS_IMAGE
  previous=$_RECORDED
  if ! _guard_met deployment-active; then
    _recorded IMAGE
    previous=${_RECORDED:-$previous}
  fi
  [[ -n $previous ]] || _fail "$_TARGET has no image to go back to" \
    'an earlier image is recorded once a second one has been deployed' 'do/deploy deploys the current one'
  _read_settings missing "$@"
  _use_setting ECR_IMAGE_URI rollback "$previous"
  [[ $DRY_RUN == yes ]] || _step "going back to $previous"
  _load_target
  _run
  [[ $DRY_RUN == yes ]] || _info 'ECR_IMAGE_URI in do/config still names the newer image: a plain do/deploy deploys that one'
}

# Nothing is changed before every question is answered and the new settings have passed the checks.
_reconfigure() {
  _ask_python current "$CONFIG_FILE" "$_TARGET"
  printf 'Current settings of %s:\n%s\n' "$_TARGET" "$_LINES" >&2
  if _guard_met deployment-active && ! _switch yes && [[ $DRY_RUN != yes ]]; then
    _can_ask || _usage_error "$_TARGET is $_STATUS and would be deleted first: confirm it with --yes"
    _confirm "$_TARGET is $_STATUS and will be deleted first. Go on?" || _fail 'cancelled; nothing was changed'
  fi
  _read_settings anew "$@"
  _load_target
  if [[ $DRY_RUN != yes ]]; then
    _begin_work check
    target_preflight
    _end_work
  fi
  _clean_first
  _run
}

# Cleans what is deployed, in a process of its own: the two scripts of a target need not know each other.
_clean_first() {
  _is_recorded || return 0
  local dry=''
  if [[ $DRY_RUN == yes ]]; then dry=--dry-run; fi
  "$DO_DIR/clean" --target "$_TARGET" --yes ${dry:+"$dry"} || exit
  local what
  # shellcheck disable=SC2153 # _is_recorded has set it
  for what in $_RECORDS; do export "DEPLOYMENT_TARGET_${_TARGET_TAG}_$what="; done
}

_load_target() { _load_functions "deploy.d/$_TARGET" target_preflight target_deploy target_update; }

# Checks, and then deploys or updates with the settings that are exported.
_run() {
  local work=deploy
  if _is_live; then work=update; fi
  _target_status
  if [[ $DRY_RUN == yes ]]; then
    _show_plan "$_TARGET (${_STATUS:-not deployed}): $work"
    _begin_plan
    target_preflight
    "target_$work"
    _end_work
    return
  fi
  _store_answers
  _begin_work check
  target_preflight
  _begin_work "$work"
  if [[ $work == deploy ]]; then _set_status Creating; fi
  "target_$work"
  _finish
  _end_work
  _success "$_TARGET is $_TARGET_SUCCESS"
  _show_place
}

# Records what serves now and what it runs on, and what served before.
_finish() {
  local before
  _recorded IMAGE
  before=$_RECORDED
  if [[ -n ${ECR_IMAGE_URI:-} && $ECR_IMAGE_URI != "$before" ]]; then
    [[ -z $before ]] || _record PREVIOUS_IMAGE "$before"
    _record IMAGE "$ECR_IMAGE_URI"
  fi
  # Where a cluster is, the nodes' type is not ours to record.
  if [[ $_TARGET_FAMILY != kubernetes && -n ${INSTANCE_TYPE:-} ]]; then
    _update_config DEPLOYED_INSTANCE_TYPE "$INSTANCE_TYPE"
  fi
  _target_status
  if [[ $_STATUS != "$_TARGET_SUCCESS" ]]; then _set_status "$_TARGET_SUCCESS"; fi
}
