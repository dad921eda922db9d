# shellcheck shell=bash
# Describing, creating and deleting one SageMaker resource. A KIND is the service's own word: model, endpoint-config,
# endpoint, inference-component, transform-job. A WHAT is the record (records.sh) that holds the resource's name.
# In a dry run everything counts as absent, requests are printed, and nothing is waited for (see aws.sh).

. "$DO_DIR/lib/messages.sh"
. "$DO_DIR/lib/aws.sh"
. "$DO_DIR/lib/names.sh"
. "$DO_DIR/lib/sagemaker-wait.sh"

_SM_STATE='' _SM_ARN='' _SM_DETAIL='' _SM_REASON=''

# _sm_describe KIND NAME - sets _SM_STATE to absent, to the service's status or (a kind without one) to Present, and
# _SM_ARN, _SM_DETAIL (an endpoint's config; a component's model or image; a job's model) and _SM_REASON.
# 1 after explaining a call that failed.
_sm_describe() {
  _sm_look "$@" || _aws_failed "the state of the $(_sm_words "$1") $2 is unknown"
}

# _sm_create KIND WHAT NAME FIELD... - records the name, then creates the resource with our tags. One that is there
# already and carries our tags is the fruit of an earlier try whose answer was lost.
_sm_create() {
  local kind=$1 what=$2 name=$3 status=0 message
  _sm_tags
  _record "$what" "$name" || return
  _announce "Creating the $(_sm_words "$kind") $name"
  _aws_request sagemaker "create-$kind" "$(_sm_name_field "$kind")=$name" "${@:4}" "${_SM_TAGS[@]}" || status=$?
  case $status in 0 | 2) return "$status" ;; esac
  if [[ $_AWS_ERROR == exists ]]; then
    message=$_AWS_MESSAGE
    if _sm_look "$kind" "$name" && _sm_is_ours; then return 0; fi
    # Not ours: it must not be deleted by a later clean.
    _record "$what" '' || return
    _AWS_ERROR=exists _AWS_MESSAGE=$message
  fi
  _aws_failed "the $(_sm_words "$kind") $name could not be created"
}

# _sm_ensure KIND WHAT PART FIELD... - creates the resource under a new name with PART in it, unless the recorded one was
# made of the same fields and is there. A recorded one that was made of others is deleted. Sets _SM_NAME.
_sm_ensure() {
  local kind=$1 what=$2 part=$3
  shift 3
  _aws_request_digest "create-$kind" "$@" || return
  _recorded "$what"
  _SM_NAME=$_RECORDED
  if [[ $_SM_NAME == *"-$_DIGEST-"* ]]; then
    _sm_describe "$kind" "$_SM_NAME" || return
    if [[ $_SM_STATE != absent ]]; then
      _info "the $(_sm_words "$kind") $_SM_NAME is there already"
      return 0
    fi
  else
    _sm_delete "$kind" "$what" || return
    _sm_new_name "$part" "$_DIGEST" || return
  fi
  _sm_create "$kind" "$what" "$_SM_NAME" "$@"
}

# _sm_is_made_of KIND WHAT FIELD... - whether the recorded resource was made of these fields.
_sm_is_made_of() {
  _recorded "$2"
  _aws_request_digest "create-$1" "${@:3}" && [[ $_RECORDED == *"-$_DIGEST-"* ]]
}

# _sm_new_name PART DIGEST - sets _SM_NAME to a name that nothing else has.
_sm_new_name() {
  local random
  random=$(LC_ALL=C od -An -N4 -tx1 /dev/urandom) || return
  _resource_name "$1-$2-${random//[!0-9a-f]/}" || return
  _SM_NAME=$_NAME
}

# _sm_keep_healthy KIND WHAT - what an earlier try left: waits for it to settle, deletes it when it has failed. Sets
# _SM_STATE: absent, or the state of what can be used.
_sm_keep_healthy() {
  local name
  _recorded "$2"
  name=$_RECORDED
  _SM_STATE=absent
  [[ -n $name ]] || return 0
  _sm_settle "$1" "$name" || return
  case $_SM_STATE in
    absent | InService | UpdateRollbackFailed | Completed) return 0 ;;
  esac
  _info "the $(_sm_words "$1") $name of an earlier try is $_SM_STATE${_SM_REASON:+: $_SM_REASON}"
  _sm_delete "$1" "$2" || return
  _SM_STATE=absent
}

# _sm_delete KIND WHAT - deletes the recorded resource, waits until it is gone, and forgets it then. One that is not there
# any more counts as deleted.
_sm_delete() {
  local name
  _recorded "$2"
  name=$_RECORDED
  [[ -n $name ]] || return 0
  _sm_delete_named "$1" "$name" || return
  _record "$2" ''
}

# _sm_delete_named KIND NAME - the same for a resource that is not recorded.
_sm_delete_named() {
  if [[ ${DRY_RUN:-} == yes ]]; then
    printf 'aws sagemaker delete-%s --%s-name %s\n' "$1" "$1" "$2"
    return 0
  fi
  case $1 in
    endpoint | inference-component)
      _sm_describe "$1" "$2" || return
      [[ $_SM_STATE != absent ]] || return 0
      # The others' names are made up by us, with a random part.
      if ! _sm_is_ours; then
        # Gone since it was described.
        [[ $_AWS_ERROR != not-found ]] || return 0
        _sm_refuse_foreign "$1" "$2"
        return
      fi
      _announce "Deleting the $(_sm_words "$1") $2"
      _SM_DELETE_SENT=no
      _wait_for "the $(_sm_words "$1") $2" "${DEPLOY_TIMEOUT:-3600}" _sm_is_gone "$@" || return 1
      ;;
    *)
      _announce "Deleting the $(_sm_words "$1") $2"
      if ! _aws sagemaker "delete-$1" "--$1-name" "$2"; then
        [[ $_AWS_ERROR == not-found ]] || _aws_failed "the $(_sm_words "$1") $2 could not be deleted"
      fi
      ;;
  esac
}

# _sm_tags - sets _SM_TAGS: the tags of everything that is created.
_sm_tags() {
  _SM_TAGS=(
    'Tags[0].Key=mlcc:project' "Tags[0].Value=$PROJECT_NAME"
    'Tags[1].Key=mlcc:target' "Tags[1].Value=$_TARGET"
  )
}

# _sm_is_ours - whether the resource in _SM_ARN was made by this project for this target; 1 also when AWS does not say,
# with the reason in _AWS_ERROR.
_sm_is_ours() {
  local tab=$'\t' nl=$'\n' tags
  _aws sagemaker list-tags --resource-arn "$_SM_ARN" --query 'Tags[].[Key,Value]' --output text || return
  tags=$nl$_AWS_OUT$nl
  [[ $tags == *"${nl}mlcc:project$tab$PROJECT_NAME$nl"* && $tags == *"${nl}mlcc:target$tab$_TARGET$nl"* ]]
}

# What _sm_is_ours did not find to be ours. Returns 1.
_sm_refuse_foreign() { # KIND NAME
  if [[ -n $_AWS_ERROR ]]; then
    _aws_failed "whose the $(_sm_words "$1") $2 is cannot be seen"
  else
    _failure "the $(_sm_words "$1") $2 is not this project's" "its tags mlcc:project and mlcc:target are not $PROJECT_NAME and $_TARGET" \
      'delete it by hand if it should go'
  fi
  return 1
}

_sm_look() { # KIND NAME
  local query rest tab=$'\t'
  # shellcheck disable=SC2016 # backquotes are literals of the query language
  case $1 in
    endpoint) query='[EndpointArn,EndpointStatus,EndpointConfigName,FailureReason]' ;;
    inference-component) query='[InferenceComponentArn,InferenceComponentStatus,Specification.ModelName||Specification.Container.DeployedImage.SpecifiedImage,FailureReason]' ;;
    transform-job) query='[TransformJobArn,TransformJobStatus,ModelName,FailureReason]' ;;
    endpoint-config) query='[EndpointConfigArn,`Present`,`None`,`None`]' ;;
    model) query='[ModelArn,`Present`,`None`,`None`]' ;;
  esac
  _SM_STATE=absent _SM_ARN='' _SM_DETAIL='' _SM_REASON=''
  if ! _aws sagemaker "describe-$1" "--$1-name" "$2" --query "$query" --output text; then
    [[ $_AWS_ERROR == not-found ]]
    return
  fi
  _SM_ARN=${_AWS_OUT%%"$tab"*} rest=${_AWS_OUT#*"$tab"}
  _SM_STATE=${rest%%"$tab"*} rest=${rest#*"$tab"}
  _SM_DETAIL=${rest%%"$tab"*} _SM_REASON=${rest#*"$tab"}
  if [[ $_SM_DETAIL == None ]]; then _SM_DETAIL=''; fi
  if [[ $_SM_REASON == None ]]; then _SM_REASON=''; fi
}

# KIND as people write it.
_sm_words() { printf '%s' "${1//-/ }"; }

_sm_name_field() {
  case $1 in
    model) printf ModelName ;;
    endpoint-config) printf EndpointConfigName ;;
    endpoint) printf EndpointName ;;
    inference-component) printf InferenceComponentName ;;
    transform-job) printf TransformJobName ;;
  esac
}
