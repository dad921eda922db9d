# shellcheck shell=bash
# The body of a test's request.

. "$DO_DIR/lib/json.sh"

# _write_request - writes what the command line asks for to _REQUEST_FILE; sets _IS_CHAT to yes when that is a chat completion
# of ours. A body that is no JSON is a usage error.
_write_request() {
  local complaint
  _IS_CHAT=no
  case $_BODY in
    '')
      _write_chat
      return
      ;;
    @*) cat -- "${_BODY#@}" >"$_REQUEST_FILE" || exit 1 ;;
    *) printf '%s' "$_BODY" >"$_REQUEST_FILE" ;;
  esac
  complaint=$(python3 "$DO_DIR/lib/python/model_answer.py" json "$_REQUEST_FILE") || _usage_error "--body is no JSON: $complaint"
}

# Few tokens: the test is over soon, whatever the model has to say.
_write_chat() {
  local model=''
  _IS_CHAT=yes
  . "$DO_DIR/lib/resolve-serving-config.sh"
  if [[ -n $SERVING_MODEL_NAME ]]; then
    _json_string "$SERVING_MODEL_NAME"
    model="\"model\": $_JSON, "
  fi
  _json_string "${_PROMPT:-Say hello.}"
  printf '{%s"messages": [{"role": "user", "content": %s}], "max_tokens": 64}' "$model" "$_JSON" >"$_REQUEST_FILE"
}
