# shellcheck shell=bash
# What the serving container gets: its environment variables, secrets included. A secret goes from Secrets Manager
# through pipes into the one request that needs it: it is in no file, no argument list and no exported variable.

# _check_container_environment - sets _CONTAINER_ENVIRONMENT (JSON) with a remark in place of each secret; 2 after saying
# which setting the service would refuse. No AWS call.
_check_container_environment() { _container_environment </dev/null; }

# _resolve_container_environment - the same with the secrets' texts, fetched now. In a dry run the remarks stay.
_resolve_container_environment() {
  _fetch_secrets || return
  [[ ${#_SECRET_NAMES[@]} -gt 0 ]] || return 0
  _container_environment < <(_print_secrets)
}

# _fetch_secrets - sets _SECRET_NAMES and _SECRET_TEXTS: the container's variables that stand in Secrets Manager.
_fetch_secrets() {
  local listed name arn region tab=$'\t'
  _SECRET_NAMES=() _SECRET_TEXTS=()
  [[ ${DRY_RUN:-} != yes ]] || return 0
  listed=$(python3 "$DO_DIR/lib/python/container_environment.py" secrets) || return
  [[ -n $listed ]] || return 0
  while IFS=$tab read -r name arn; do
    region=${arn#arn:*:secretsmanager:}
    if ! _aws secretsmanager get-secret-value --secret-id "$arn" --region "${region%%:*}" --query SecretString --output text; then
      _aws_failed "the secret for $name cannot be read: $arn"
      return
    fi
    if [[ -z $_AWS_OUT || $_AWS_OUT == None ]]; then
      _failure "the secret for $name holds no text" "$arn" 'store the token as plain text in the secret'
      return 1
    fi
    _SECRET_NAMES+=("$name") _SECRET_TEXTS+=("$_AWS_OUT")
  done <<<"$listed"
  _AWS_OUT=''
}

# The fetched secrets as NAME, NUL, text, NUL.
_print_secrets() {
  local at
  for ((at = 0; at < ${#_SECRET_NAMES[@]}; at++)); do printf '%s\0%s\0' "${_SECRET_NAMES[at]}" "${_SECRET_TEXTS[at]}"; done
}

_container_environment() {
  local made
  if ! made=$(python3 "$DO_DIR/lib/python/container_environment.py" json 2>&1); then
    _failure 'the container would not get its environment' "$made"
    return 2
  fi
  _CONTAINER_ENVIRONMENT=$made
}
