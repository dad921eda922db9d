# shellcheck shell=bash
# An endpoint of a target's own, from the first deploy on: made once, moved to a new config when the settings are others, made
# anew when it does not serve any more. The target's deploy script says what it is: endpoint_config_fields sets _CONFIG, the
# fields of create-endpoint-config. Where the config names a model, source sagemaker-endpoint-model.sh instead.
# PART is a word in the names of what is made, $_ENDPOINT the endpoint. Records: those of sagemaker-endpoint.sh.

. "$DO_DIR/lib/sagemaker-endpoint.sh"

# A config without a model: sagemaker-endpoint-model.sh has the others.
_SM_WITH_MODEL=no
_sm_ensure_model() { :; }
_sm_model_is_current() { :; }
_sm_renew_model() { :; }

# _sm_choose_own_endpoint - sets _ENDPOINT: the recorded endpoint, else one that is named after project and target.
_sm_choose_own_endpoint() {
  _resource_name "$_TARGET" || return
  _sm_choose_endpoint "$_NAME"
}

# _sm_bring_up_endpoint PART - model, config and endpoint, until it is in service; what an earlier try left is used where it
# is healthy, and deleted where it is not.
_sm_bring_up_endpoint() {
  _sm_settle_recorded endpoint ENDPOINT || return
  case $_SM_STATE in
    InService | UpdateRollbackFailed)
      _sm_finish_update || return
      if _sm_config_is_current; then
        _info "the endpoint $_ENDPOINT of an earlier try is $_SM_STATE"
      else
        _sm_replace_config "$1" || return
      fi
      return
      ;;
    absent) ;;
    # An endpoint with a component on it cannot be deleted.
    *) _sm_delete inference-component COMPONENT || return ;;
  esac
  _sm_keep_healthy endpoint ENDPOINT || return
  _sm_drop_previous || return
  _sm_ensure_model "$1" || return
  endpoint_config_fields || return
  _sm_ensure endpoint-config CONFIG "$1" ${_CONFIG[@]+"${_CONFIG[@]}"} || return
  _sm_create_endpoint "$_SM_NAME"
}

# _sm_check_endpoint - before an update: sets _SM_SERVES to yes or no, and finishes an update that did not come to its end.
_sm_check_endpoint() {
  _SM_SERVES=yes
  [[ ${DRY_RUN:-} != yes ]] || return 0
  _sm_settle endpoint "$_ENDPOINT" || return
  case $_SM_STATE in
    InService | UpdateRollbackFailed) _sm_finish_update || return ;;
    *)
      _warn "the endpoint $_ENDPOINT does not serve any more ($_SM_STATE): it is made anew"
      _SM_SERVES=no
      _set_status Failed
      ;;
  esac
}

# _sm_renew_endpoint PART - moves an endpoint that serves to what the settings ask for. With a model it always moves: that
# may be told apart by nothing but its secrets.
_sm_renew_endpoint() {
  if [[ $_SM_WITH_MODEL == no ]] && _sm_config_is_current; then return 0; fi
  _sm_replace_config "$1"
}

# Whether what serves was made of the settings of now.
_sm_config_is_current() {
  _sm_model_is_current || return
  endpoint_config_fields || return
  _sm_is_made_of endpoint-config CONFIG ${_CONFIG[@]+"${_CONFIG[@]}"}
}

# A new config, and model, under new names; the old ones go when the endpoint runs the new.
_sm_replace_config() { # PART
  _sm_begin_update || return
  if ! _sm_make_anew "$1"; then
    _sm_undo_update
    return 1
  fi
  _sm_switch_config "$_SM_NAME"
}

_sm_make_anew() { # PART
  _sm_renew_model "$1" || return
  endpoint_config_fields || return
  _aws_request_digest create-endpoint-config ${_CONFIG[@]+"${_CONFIG[@]}"} || return
  _sm_new_name "$1" "$_DIGEST" || return
  _sm_create endpoint-config CONFIG "$_SM_NAME" ${_CONFIG[@]+"${_CONFIG[@]}"} || return
  _sm_wait endpoint-config "$_SM_NAME" Present
}
