# shellcheck shell=bash
# The inference component that serves the model on the endpoint $_ENDPOINT. Records: COMPONENT; COMPONENT_SETTINGS, which
# stands for what it was made of; COMPONENT_COPIES; where the weights are a folder in S3 also COMPONENT_MODEL and, while an
# update is not finished, PREVIOUS_COMPONENT_MODEL. It goes to $_VARIANT, and each copy gets $_ACCELERATORS accelerators.
# Its name ends in $_SM_COMPONENT_PART where a target sets that, so that several targets can be live at once.

. "$DO_DIR/lib/sagemaker-deploy.sh"

# _sm_bring_up_component - the component, until it is in service; what an earlier try left is used when it is healthy.
_sm_bring_up_component() {
  local same=no
  _sm_keep_healthy inference-component COMPONENT || return
  if [[ $_SM_STATE == InService ]]; then
    _sm_component_fields || return
    _sm_component_digest || return
    _recorded COMPONENT_SETTINGS
    if [[ $_RECORDED == "$_DIGEST" ]]; then
      _recorded COMPONENT_COPIES
      if [[ $_RECORDED == "$_COPIES" ]]; then same=yes; fi
    fi
    if [[ $same == no ]]; then
      _sm_update_component
      return
    fi
    _recorded COMPONENT
    _info "the inference component $_RECORDED of an earlier try is InService"
    return
  fi
  _sm_delete model PREVIOUS_COMPONENT_MODEL || return
  if _sm_has_folder_of_weights; then
    _sm_model_fields
    _sm_ensure model COMPONENT_MODEL component "${_SM_MODEL[@]}" || return
  fi
  _sm_component_fields || return
  _sm_component_digest || return
  _resource_name "${_SM_COMPONENT_PART:-component}" || return
  local name=$_NAME
  _record COMPONENT_SETTINGS "$_DIGEST" || return
  _record COMPONENT_COPIES "$_COPIES" || return
  _sm_create inference-component COMPONENT "$name" "EndpointName=$_ENDPOINT" "VariantName=$_VARIANT" \
    "${_COMPONENT[@]}" "RuntimeConfig.CopyCount:=$_COPIES" || return
  _sm_wait inference-component "$name" InService
}

# _sm_update_component - the copies alone when nothing else is new; else the whole component, copy by copy.
_sm_update_component() {
  local name made status=0
  _recorded COMPONENT
  name=$_RECORDED
  if [[ ${DRY_RUN:-} != yes ]]; then
    _sm_settle inference-component "$name" || return
    if [[ $_SM_STATE == absent || $_SM_STATE == Failed ]]; then
      _warn "the inference component $name is $_SM_STATE: it is made anew"
      _set_status Failed
      _sm_bring_up_component
      return
    fi
    _sm_drop_unused_model "${_SM_DETAIL:-}" || return
  fi
  _sm_component_fields || return
  _sm_component_digest || return
  made=$_DIGEST
  _recorded COMPONENT_SETTINGS
  if [[ $_RECORDED == "$made" ]]; then
    _recorded COMPONENT_COPIES
    if [[ $_RECORDED != "$_COPIES" ]]; then
      _sm_scale_component "$name"
      return
    fi
  fi
  if _sm_has_folder_of_weights; then
    _sm_begin_model || return
    _sm_component_fields || return
  fi
  _announce "Updating the inference component $name"
  _aws_request sagemaker update-inference-component "InferenceComponentName=$name" "${_COMPONENT[@]}" \
    "RuntimeConfig.CopyCount:=$_COPIES" || status=$?
  if [[ $status != 0 ]]; then
    [[ $status == 2 ]] || _aws_failed "the inference component $name could not be updated" || :
    _sm_undo_component_update "$name"
    return 1
  fi
  if ! _sm_wait_for_update "$name"; then
    _sm_undo_component_update "$name"
    return 1
  fi
  _record COMPONENT_SETTINGS "$made" || return
  _record COMPONENT_COPIES "$_COPIES" || return
  _sm_drop_unused_model "${_SM_DETAIL:-}"
}

_sm_scale_component() { # NAME
  local status=0
  _announce "Changing the copies of the inference component $1 to $_COPIES"
  _aws_request sagemaker update-inference-component-runtime-config "InferenceComponentName=$1" \
    "DesiredRuntimeConfig.CopyCount:=$_COPIES" || status=$?
  if [[ $status != 0 ]]; then
    [[ $status == 2 ]] || _aws_failed "the copies of the inference component $1 could not be changed" || :
    return 1
  fi
  if ! _sm_wait_for_update "$1"; then
    _sm_undo_component_update "$1"
    return 1
  fi
  _record COMPONENT_COPIES "$_COPIES"
}

_sm_wait_for_update() { # NAME
  local wanted=$ECR_IMAGE_URI
  if _sm_has_folder_of_weights; then
    _recorded COMPONENT_MODEL
    wanted=$_RECORDED
  fi
  _sm_wait_until_runs inference-component "$1" "$wanted"
}

# Sets _COMPONENT, the fields of its specification, and _COPIES.
_sm_component_fields() {
  local spec=Specification compute=Specification.ComputeResourceRequirements
  _COPIES=${IC_COPY_COUNT:-1}
  _COMPONENT=(
    "$spec.StartupParameters.ModelDataDownloadTimeoutInSeconds:=3600"
    "$spec.StartupParameters.ContainerStartupHealthCheckTimeoutInSeconds:=3600"
    "$compute.MinMemoryRequiredInMb:=${IC_MEMORY_SIZE:-4096}"
    "$compute.NumberOfAcceleratorDevicesRequired?:=${_ACCELERATORS#0}"
    "$compute.NumberOfCpuCoresRequired?:=${IC_CPU_COUNT:-}"
  )
  _sm_weights
  if _sm_has_folder_of_weights; then
    _recorded COMPONENT_MODEL
    _COMPONENT+=("$spec.ModelName=$_RECORDED")
    return
  fi
  _COMPONENT+=(
    "$spec.Container.Image=$ECR_IMAGE_URI"
    "$spec.Container.Environment@_CONTAINER_ENVIRONMENT"
    "$spec.Container.ArtifactUrl?=$_SM_WEIGHTS"
  )
}

# Sets _DIGEST: what stands for the specification. A model's name is made up, so the model's own fields stand for it.
_sm_component_digest() {
  if ! _sm_has_folder_of_weights; then
    _aws_request_digest create-inference-component "${_COMPONENT[@]}"
    return
  fi
  local field
  _sm_model_fields
  for field in "${_COMPONENT[@]}"; do
    case $field in Specification.ModelName=*) ;; *) _SM_MODEL+=("$field") ;; esac
  done
  _aws_request_digest create-model "${_SM_MODEL[@]}"
}

# A component takes an archive of weights itself; a folder of them only by way of a model.
_sm_has_folder_of_weights() {
  _sm_weights
  [[ -n $_SM_WEIGHTS && $_SM_WEIGHTS != *.tar.gz ]]
}

# A new model for an update; the one that serves stays recorded until the update is over.
_sm_begin_model() {
  _recorded COMPONENT_MODEL
  _record PREVIOUS_COMPONENT_MODEL "$_RECORDED" || return
  _sm_model_fields
  _aws_request_digest create-model "${_SM_MODEL[@]}" || return
  _sm_new_name component "$_DIGEST" || return
  _sm_create model COMPONENT_MODEL "$_SM_NAME" "${_SM_MODEL[@]}"
}

# After a failed update, as far as it can be done now: the model that was made for it goes, and the status says so when
# nothing serves.
_sm_undo_component_update() { # NAME
  case $_AWS_ERROR in expired-token | bad-credentials | connection) return 0 ;; esac
  [[ ${DRY_RUN:-} != yes ]] && _sm_look inference-component "$1" || return 0
  case $_SM_STATE in
    InService) _sm_drop_unused_model "${_SM_DETAIL:-}" || : ;;
    Failed | absent) _set_status Failed ;;
  esac
}

# Deletes the one of the two recorded models that does not serve.
_sm_drop_unused_model() { # WHAT SERVES
  local current previous
  [[ ${DRY_RUN:-} != yes ]] || return 0
  _recorded COMPONENT_MODEL
  current=$_RECORDED
  _recorded PREVIOUS_COMPONENT_MODEL
  previous=$_RECORDED
  if [[ -n $previous && $previous == "$1" ]]; then
    if [[ $current != "$previous" ]]; then
      _sm_delete model COMPONENT_MODEL || return
      _record COMPONENT_MODEL "$previous" || return
    fi
    _record PREVIOUS_COMPONENT_MODEL ''
  elif [[ $previous == "$current" ]]; then
    _record PREVIOUS_COMPONENT_MODEL ''
  else
    _sm_delete model PREVIOUS_COMPONENT_MODEL || return
    if ! _sm_has_folder_of_weights && [[ -n $current && $current != "$1" ]]; then _sm_delete model COMPONENT_MODEL; fi
  fi
}
