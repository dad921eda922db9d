# shellcheck shell=bash
# The test of an inference component: one invocation of its endpoint.

. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/records.sh"
. "$DO_DIR/lib/test-answer.sh"

_test_component() {
  local endpoint component
  _recorded ENDPOINT
  endpoint=$_RECORDED
  _recorded COMPONENT
  component=$_RECORDED
  if [[ -z $endpoint || -z $component ]]; then
    _fail "no endpoint with a component is recorded for $_TARGET" 'do/config does not say what was deployed' 'do/deploy'
  fi
  _aws_preflight
  _step "Invoking the component $component on the endpoint $endpoint"
  if ! _aws_without_patience sagemaker-runtime invoke-endpoint --endpoint-name "$endpoint" --inference-component-name "$component" \
    --content-type application/json --accept application/json --body "fileb://$_REQUEST_FILE" "$_ANSWER_FILE"; then
    _call_failed "the request to the endpoint $endpoint failed"
    return
  fi
  _judge_answer
}
