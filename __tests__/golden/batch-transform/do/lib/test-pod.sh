# shellcheck shell=bash
# The test of a workload on Kubernetes: through a port-forward, first whether the model is there, then one request.

. "$DO_DIR/lib/kubernetes-pods.sh"
. "$DO_DIR/lib/port-forward.sh"
. "$DO_DIR/lib/test-answer.sh"

# The port of every serving container.
_SERVING_PORT=8080

_test_pod() {
  local status=0 path=/invocations
  # Both take a chat completion; only the first takes every other body that the endpoint of a SageMaker target takes.
  if [[ $_IS_CHAT == yes ]]; then path=/v1/chat/completions; fi
  _find_workload || status=$?
  case $status in
    1) _fail "no workload is recorded for $_TARGET" 'do/config does not say what was deployed' 'do/deploy' ;;
    2) return 1 ;;
  esac
  _choose_pod || return
  _forward_port "$_POD" "$_SERVING_PORT" || return
  _step "Asking the pod $_POD for $path"
  _send GET /ping || return
  if [[ $_ANSWER_STATUS != 200 ]]; then
    _refuse_answer "the model is not ready: GET /ping answered $_ANSWER_STATUS"
    return
  fi
  _send POST "$path" "$_REQUEST_FILE" || return
  if [[ $_ANSWER_STATUS != 2?? ]]; then
    _refuse_answer "the model answered $_ANSWER_STATUS"
    return
  fi
  _judge_answer
}

# METHOD PATH [BODY-FILE]: -> _ANSWER_STATUS; the body is in _ANSWER_FILE
_send() {
  local said=$_SCRATCH/status log
  _start python3 "$DO_DIR/lib/python/http_request.py" "$1" "http://127.0.0.1:$_FORWARD_PORT$2" "$_TEST_TIMEOUT" "$_ANSWER_FILE" \
    ${3:+"$3"} >"$said" 2>&1
  if _await && _forward_lives; then
    _ANSWER_STATUS=$(<"$said")
    return 0
  fi
  # kubectl knows what became of the pod's side.
  log=$(grep -iE '^error|^E[0-9]|lost connection' "$_FORWARD_LOG") || :
  if ! _forward_lives; then log="${log:+$log$'\n'}kubectl port-forward has ended"; fi
  _failure "$1 $2 got no answer" "$(<"$said")${log:+$'\n'$log}" 'do/logs shows what the model says'
  return 1
}
