# shellcheck shell=bash
# An endpoint of a target's own (sagemaker-endpoint-life.sh) whose config names the recorded MODEL: the model is made before the
# config, and replaced with it.

. "$DO_DIR/lib/sagemaker-endpoint-life.sh"

_SM_WITH_MODEL=yes

_sm_ensure_model() { # PART
  _sm_model_fields
  _sm_ensure model MODEL "$1" "${_SM_MODEL[@]}"
}

_sm_model_is_current() {
  _sm_model_fields
  _sm_is_made_of model MODEL "${_SM_MODEL[@]}"
}

_sm_renew_model() { # PART
  _sm_model_fields
  _aws_request_digest create-model "${_SM_MODEL[@]}" || return
  _sm_new_name "$1" "$_DIGEST" || return
  _sm_create model MODEL "$_SM_NAME" "${_SM_MODEL[@]}"
}
