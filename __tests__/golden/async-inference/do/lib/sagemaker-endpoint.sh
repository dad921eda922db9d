# shellcheck shell=bash
# Endpoints and the change of their config. Records: ENDPOINT; CONFIG and MODEL are what the endpoint runs or is about to
# run, PREVIOUS_CONFIG and PREVIOUS_MODEL what it ran before while an update is not finished. MODEL is empty where a target
# has none.

. "$DO_DIR/lib/sagemaker-deploy.sh"

# _sm_choose_endpoint NAME - sets _ENDPOINT: the recorded endpoint or else NAME.
_sm_choose_endpoint() {
  _recorded ENDPOINT
  _ENDPOINT=$_RECORDED
  if [[ -z $_ENDPOINT ]]; then
    _ENDPOINT=$1
  elif [[ $_ENDPOINT != "$1" ]]; then
    _warn "the endpoint keeps its name $_ENDPOINT; for $1, clean first: do/clean --target $_TARGET"
  fi
}

# _sm_check_new_endpoint - that a first deploy does not take over an endpoint that somebody else made.
_sm_check_new_endpoint() {
  _recorded ENDPOINT
  [[ -z $_RECORDED ]] || return 0
  _sm_describe endpoint "$_ENDPOINT" || return
  [[ $_SM_STATE != absent ]] || return 0
  _failure "there is an endpoint $_ENDPOINT already" 'this project has not recorded that it made it' \
    'choose another name with --endpoint-name, or delete that endpoint'
  return 1
}

# _sm_create_endpoint CONFIG - the endpoint, until it is in service.
_sm_create_endpoint() {
  _sm_wait endpoint-config "$1" Present || return
  _sm_create endpoint ENDPOINT "$_ENDPOINT" "EndpointConfigName=$1" || return
  _sm_wait endpoint "$_ENDPOINT" InService
}

# _sm_begin_update - keeps the names of what serves now, before new ones are recorded.
_sm_begin_update() {
  _recorded MODEL
  if [[ -n $_RECORDED ]]; then _record PREVIOUS_MODEL "$_RECORDED" || return; fi
  _recorded CONFIG
  _record PREVIOUS_CONFIG "$_RECORDED"
}

# _sm_switch_config CONFIG - the endpoint runs that config, and what it ran before is deleted. When it does not come to
# that, the endpoint goes on with what it had, and what was made for the update is deleted.
_sm_switch_config() {
  local status=0
  _announce "Updating the endpoint $_ENDPOINT to $1"
  _aws_request sagemaker update-endpoint "EndpointName=$_ENDPOINT" "EndpointConfigName=$1" || status=$?
  if [[ $status == 0 ]]; then
    if _sm_wait_until_runs endpoint "$_ENDPOINT" "$1"; then
      _sm_drop_previous
      return
    fi
  elif [[ $status == 1 ]]; then
    _aws_failed "the endpoint $_ENDPOINT could not be updated" || :
  fi
  _sm_undo_update
  return 1
}

# _sm_finish_update - brings the records in line with what the endpoint runs, after an update that did not come to its
# end, and deletes what it does not run. The endpoint must have been described.
_sm_finish_update() {
  local live=$_SM_DETAIL config
  _recorded PREVIOUS_CONFIG
  config=$_RECORDED
  _recorded PREVIOUS_MODEL
  [[ -n $config$_RECORDED && ${DRY_RUN:-} != yes ]] || return 0
  _info 'an earlier update did not come to its end: putting things in order first'
  if [[ -n $config && $live == "$config" ]]; then
    _sm_go_back endpoint-config CONFIG && _sm_go_back model MODEL && _sm_drop_previous
  else
    _sm_drop_previous
  fi
}

# _sm_undo_update - the same after a failure, as far as it can be done now; says so in the status when nothing serves.
_sm_undo_update() {
  case $_AWS_ERROR in expired-token | bad-credentials | connection) return 0 ;; esac
  _sm_look endpoint "$_ENDPOINT" || return 0
  if _sm_is_moving; then return 0; fi
  case $_SM_STATE in
    InService | UpdateRollbackFailed) _sm_finish_update || : ;;
    *) _set_status Failed ;;
  esac
}

# What the update replaced; what it kept stays.
_sm_drop_previous() {
  _sm_drop endpoint-config CONFIG && _sm_drop model MODEL
}

_sm_drop() { # KIND WHAT
  local current
  _recorded "$2"
  current=$_RECORDED
  _recorded "PREVIOUS_$2"
  [[ -n $_RECORDED ]] || return 0
  if [[ $_RECORDED == "$current" ]]; then
    _record "PREVIOUS_$2" ''
  else
    _sm_delete "$1" "PREVIOUS_$2"
  fi
}

# What was made for the update goes; the name of what serves is recorded again.
_sm_go_back() { # KIND WHAT
  local previous
  _recorded "PREVIOUS_$2"
  previous=$_RECORDED
  _recorded "$2"
  [[ -n $previous && $_RECORDED != "$previous" ]] || return 0
  _sm_delete "$1" "$2" && _record "$2" "$previous"
}
