# shellcheck shell=bash
# The test of an asynchronous endpoint: a request in S3, whose result or failure comes up in S3 as well. Both stay there, as the
# results of all other requests do.

. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/records.sh"
. "$DO_DIR/lib/s3.sh"
. "$DO_DIR/lib/test-answer.sh"
. "$DO_DIR/lib/wait.sh"

_test_async() {
  local endpoint path input tab=$'\t' random
  _recorded ENDPOINT
  endpoint=$_RECORDED
  _recorded OUTPUT_PATH
  path=${_RECORDED%/}
  if [[ -z $endpoint || -z $path ]]; then
    _fail "no endpoint with an output path is recorded for $_TARGET" 'do/config does not say what was deployed' 'do/deploy'
  fi
  _aws_preflight
  random=$(LC_ALL=C od -An -N4 -tx1 /dev/urandom)
  input=$path/requests/test-$(date -u +%y%m%d%H%M%S)-${random//[!0-9a-f]/}.json
  _step "Sending a request to the endpoint $endpoint: $input"
  _s3_place "$input"
  if ! _aws s3api put-object --bucket "$_BUCKET" --key "$_KEY" --content-type application/json --body "$_REQUEST_FILE"; then
    _call_failed "the request cannot be written to $input"
    return
  fi
  if ! _aws_without_patience sagemaker-runtime invoke-endpoint-async --endpoint-name "$endpoint" --input-location "$input" \
    --content-type application/json --accept application/json --query '[OutputLocation,FailureLocation]' --output text; then
    _call_failed "the request to the endpoint $endpoint failed"
    return
  fi
  _OUTPUT=${_AWS_OUT%%"$tab"*} _FAILURE=${_AWS_OUT##*"$tab"}
  case $_OUTPUT in s3://*) ;; *)
    _failure "the endpoint $endpoint did not say where its answer will be" "$_AWS_OUT" 'do/status shows the endpoint'
    return 1
    ;;
  esac
  # Older versions of the AWS CLI leave it out; the folder is the one that the endpoint was made with.
  if [[ $_FAILURE != s3://* ]]; then
    _FAILURE=${_OUTPUT##*/}
    _FAILURE=$path/failures/${_FAILURE%.out}-error.out
  fi
  _await_result || return
  _info "the answer is in $_OUTPUT"
  _judge_answer
}

# Waits for the result or the failure; the first is then in _ANSWER_FILE.
_await_result() {
  local status=0
  _WAIT_NEXT="wait longer with --timeout SECONDS; do/logs shows what the model says"
  _FAILED=no
  _wait_for "the answer to be in $_OUTPUT" "$_TEST_TIMEOUT" _has_result || status=$?
  [[ $status == 0 ]] || return 1
  [[ $_FAILED == yes ]] || return 0
  _refuse_answer "the model failed: $_FAILURE"
}

# A probe for _wait_for: 0 an answer or a failure is there, 1 not yet, 2 it cannot be seen.
_has_result() {
  _WAIT_STATE='not there yet'
  if _fetch "$_OUTPUT"; then
    _WAIT_STATE=there
    return 0
  fi
  if [[ $_AWS_ERROR == not-found ]] && _fetch "$_FAILURE"; then
    _WAIT_STATE='a failure instead' _FAILED=yes
    return 0
  fi
  if [[ $_AWS_ERROR == not-found ]]; then return 1; fi
  _aws_advice
  if [[ $_AWS_ERROR == access-denied ]]; then
    _AWS_ADVICE='allow s3:GetObject and s3:ListBucket there: without the second, S3 denies the sight of what is not there yet'
  fi
  _WAIT_STATE='the answer cannot be looked for' _WAIT_REASON="$_AWS_MESSAGE"$'\n'"-> $_AWS_ADVICE"
  return 2
}

# S3-URI: the object, to _ANSWER_FILE
_fetch() {
  _s3_place "$1"
  _aws s3api get-object --bucket "$_BUCKET" --key "$_KEY" "$_ANSWER_FILE"
}
