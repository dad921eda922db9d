# shellcheck shell=bash
# What is sent in a test, and what came of it. The body of the answer is in _ANSWER_FILE.

# _judge_answer - passes the body on to stdout when it is an answer; a status that says success does not make it one.
_judge_answer() {
  local complaint mode=''
  if [[ $_IS_CHAT == yes ]]; then mode=chat; fi
  if ! complaint=$(python3 "$DO_DIR/lib/python/model_answer.py" judge "$_ANSWER_FILE" $mode); then
    _refuse_answer "the model answered ${_ANSWER_STATUS:-200}, but $complaint"
    return
  fi
  cat "$_ANSWER_FILE"
  # Bodies seldom end with a newline.
  if [[ -n $(tail -c 1 "$_ANSWER_FILE") ]]; then printf '\n'; fi
  _success "$_TARGET answered"
}

# _refuse_answer WHAT - the test has failed: what, and the body. Returns 1.
_refuse_answer() {
  local text
  text=$(python3 "$DO_DIR/lib/python/model_answer.py" text "$_ANSWER_FILE") || return
  _failure "$1" "$text" 'do/logs shows what the model says'
  return 1
}

# _aws_without_patience ARGUMENT... - one AWS call that is not made again when it fails or takes too long: the model may have done its work.
_aws_without_patience() {
  local _AWS_TRIES_BROKEN=1
  AWS_MAX_ATTEMPTS=1 _aws --cli-read-timeout "$_TEST_TIMEOUT" "$@"
}

# _call_failed WHAT - explains the failure of the last AWS call; what a model says is in the service's message. Returns 1.
_call_failed() {
  _aws_advice
  case $_AWS_ERROR in
    other | service | connection) _AWS_ADVICE='do/logs shows what the model says, do/status what the service says' ;;
    not-found | validation) _AWS_ADVICE='do/status shows what is there' ;;
  esac
  _failure "$1" "$_AWS_MESSAGE" "$_AWS_ADVICE"
  return 1
}
