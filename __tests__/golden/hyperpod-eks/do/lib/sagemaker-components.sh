# shellcheck shell=bash
# The inference components of an endpoint.

. "$DO_DIR/lib/sagemaker.sh"

# _sm_delete_components ENDPOINT - deletes the components on the endpoint that this project made for this target: adapters
# first, then what they build on, each until it is gone.
_sm_delete_components() {
  local name
  if [[ ${DRY_RUN:-} == yes ]]; then
    printf 'aws sagemaker list-inference-components --endpoint-name-equals %s\n' "$1"
    return 0
  fi
  _sm_list_components "$1" || return
  for name in ${_SM_ADAPTERS[@]+"${_SM_ADAPTERS[@]}"} ${_SM_BASES[@]+"${_SM_BASES[@]}"}; do
    _sm_delete_named inference-component "$name" || return
  done
}

# _sm_list_components ENDPOINT - sets _SM_BASES and _SM_ADAPTERS, our components, and _SM_FOREIGN, those of others.
_sm_list_components() {
  local tab=$'\t' name arn base listed
  _SM_BASES=() _SM_ADAPTERS=() _SM_FOREIGN=()
  if ! _aws sagemaker list-inference-components --endpoint-name-equals "$1" \
    --query 'InferenceComponents[].[InferenceComponentName,InferenceComponentArn]' --output text; then
    [[ $_AWS_ERROR == not-found ]] || _aws_failed "the components of the endpoint $1 cannot be listed"
    return
  fi
  listed=$_AWS_OUT
  [[ -n $listed && $listed != None ]] || return 0
  while IFS=$tab read -r name arn; do
    _SM_ARN=$arn
    if ! _sm_is_ours; then
      if [[ -z $_AWS_ERROR ]]; then
        _SM_FOREIGN+=("$name")
        continue
      fi
      # Gone since it was listed.
      [[ $_AWS_ERROR != not-found ]] || continue
      _aws_failed "whose the inference component $name is cannot be seen"
      return
    fi
    if ! _aws sagemaker describe-inference-component --inference-component-name "$name" \
      --query Specification.BaseInferenceComponentName --output text; then
      [[ $_AWS_ERROR != not-found ]] || continue
      _aws_failed "the inference component $name cannot be looked at"
      return
    fi
    base=$_AWS_OUT
    if [[ -z $base || $base == None ]]; then _SM_BASES+=("$name"); else _SM_ADAPTERS+=("$name"); fi
  done <<<"$listed"
}
