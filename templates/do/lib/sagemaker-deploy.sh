# shellcheck shell=bash
# What the deploy scripts of all targets on SageMaker share: checks before anything is created, the model's container.

. "$DO_DIR/lib/sagemaker.sh"
. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/container-environment.sh"
. "$DO_DIR/lib/needed-settings.sh"

# The service's limit.
_SM_LONGEST_IMAGE=255
# What stands for a role in a dry run.
_ROLE_STAND_IN=arn:aws:iam::000000000000:role/ROLE-NOT-SET-YET

# _sm_preflight CALL... - checks what every SageMaker target needs: settings, overlays for one of the CALLs, credentials,
# secrets. Changes nothing; 1 or 2 after saying what is wrong.
_sm_preflight() {
  local role='^arn:aws[a-z-]*:iam::[0-9]{12}:role/.+$'
  _sm_check_image || return
  _need_setting ROLE_ARN "$_ROLE_STAND_IN" 'SageMaker needs an execution role to assume' \
    'set ROLE_ARN in do/config to the ARN of the role' || return
  if ! [[ $ROLE_ARN =~ $role ]]; then
    _failure "ROLE_ARN is \"$ROLE_ARN\"" 'an execution role looks like arn:aws:iam::123456789012:role/NAME' 'correct ROLE_ARN in do/config'
    return 2
  fi
  _aws_check_overlays "$@" || return
  _check_container_environment || return
  _aws_preflight || return
  _resolve_container_environment
}

# _sm_prepare - what the requests need, where no preflight came before: in a dry run.
_sm_prepare() { [[ -n ${_CONTAINER_ENVIRONMENT:-} ]] || _check_container_environment; }

_sm_check_image() {
  _need_image || return
  if [[ $ECR_IMAGE_URI == "$_IMAGE_STAND_IN" ]]; then return 0; fi
  if ! [[ $ECR_IMAGE_URI =~ ^[^[:space:]@]+@sha256:[0-9a-f]{64}$ ]]; then
    _failure "the image is not named by its digest: $ECR_IMAGE_URI" 'a tag can name another image tomorrow' \
      'set ECR_IMAGE_URI to REPOSITORY@sha256:DIGEST'
    return 2
  fi
  if ((${#ECR_IMAGE_URI} > _SM_LONGEST_IMAGE)); then
    _failure "ECR_IMAGE_URI has ${#ECR_IMAGE_URI} characters" "SageMaker takes at most $_SM_LONGEST_IMAGE" \
      'push the image to a repository with a shorter name'
    return 2
  fi
}

# _sm_model_fields - sets _SM_MODEL: the fields of create-model for the image, its environment and the staged weights, if any.
_sm_model_fields() {
  local source=PrimaryContainer.ModelDataSource.S3DataSource
  _SM_MODEL=(
    "ExecutionRoleArn=$ROLE_ARN"
    "PrimaryContainer.Image=$ECR_IMAGE_URI"
    'PrimaryContainer.Environment@_CONTAINER_ENVIRONMENT'
  )
  _sm_weights
  case $_SM_WEIGHTS in
    '') ;;
    *.tar.gz) _SM_MODEL+=("PrimaryContainer.ModelDataUrl=$_SM_WEIGHTS") ;;
    *) _SM_MODEL+=("$source.S3Uri=${_SM_WEIGHTS%/}/" "$source.S3DataType=S3Prefix" "$source.CompressionType=None") ;;
  esac
}

# Sets _SM_WEIGHTS: the weights that the service puts into the container's /opt/ml/model.
_sm_weights() {
  _SM_WEIGHTS=${STAGED_MODEL_PATH:-}
  if [[ -z $_SM_WEIGHTS && ${MODEL_NAME:-} == s3://* ]]; then _SM_WEIGHTS=$MODEL_NAME; fi
}

# _sm_check_bucket VARIABLE - whether the bucket of the S3 path in that setting is there and ours to use.
_sm_check_bucket() {
  local bucket=${!1#s3://}
  [[ ${DRY_RUN:-} != yes ]] || return 0
  _aws s3api head-bucket --bucket "${bucket%%/*}" && return
  if [[ $_AWS_ERROR == not-found ]]; then
    _failure "the bucket ${bucket%%/*} does not exist" "$1 is ${!1}" "create it (aws s3 mb s3://${bucket%%/*}), or set $1 to another"
    return 1
  fi
  _aws_failed "the bucket ${bucket%%/*} ($1) cannot be used"
}
