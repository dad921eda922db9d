# shellcheck shell=bash
# AWS calls: retried while the service is busy, every failure named and explained, requests built as typed JSON.

. "$DO_DIR/lib/messages.sh"

# Tries of one call, on top of the AWS CLI's own: a busy service, and a service or network that failed.
_AWS_TRIES_BUSY=6
_AWS_TRIES_BROKEN=3

# _aws ARGUMENT... - one AWS CLI call. Sets _AWS_OUT to what it printed. On failure returns 1 and sets _AWS_MESSAGE to
# the CLI's words and _AWS_ERROR to one of: access-denied bad-credentials expired-token no-region not-found exists busy
# limit validation throttled connection service no-cli other.
# In a dry run nothing is called: all that one could ask for counts as not found.
_aws() {
  local try=1 pause=1 most
  _AWS_OUT='' _AWS_ERROR='' _AWS_MESSAGE=''
  if [[ ${DRY_RUN:-} == yes ]]; then
    _AWS_ERROR=not-found
    return 1
  fi
  until _aws_once "$@"; do
    case $_AWS_ERROR in
      throttled) most=$_AWS_TRIES_BUSY ;;
      service | connection) most=$_AWS_TRIES_BROKEN ;;
      *) return 1 ;;
    esac
    [[ $try -lt $most ]] || return 1
    _info "AWS: $_AWS_ERROR ($1 $2); trying again in ${pause}s"
    sleep "$pause"
    try=$((try + 1)) pause=$((pause * 2))
  done
}

# _aws_request SERVICE OPERATION FIELD... - sends a request that is built from fields (see python/aws_request.py) and the
# overlay of the call. `Path@NAME`, once, takes the JSON that stands in the shell variable NAME: the member with it goes
# to the CLI through a pipe, so that a secret in it is in no argument list and in no file. (Not the whole request: version
# 1 of the CLI reads --cli-input-json twice, which a pipe cannot give.) In a dry run the request is printed instead.
_aws_request() {
  local service=$1 operation=$2 nl=$'\n' member status=0
  shift 2
  if [[ ${DRY_RUN:-} == yes ]]; then
    _request_json show "$operation" "$@" || return
    printf 'aws %s %s\n%s\n' "$service" "$operation" "$_REQUEST"
    return
  fi
  _request_json build "$operation" "$@" || return
  if [[ $_REQUEST == *"$nl"* ]]; then
    member=${_REQUEST#*"$nl"}
    _AWS_INPUT=${member#* }
    _aws "$service" "$operation" --cli-input-json "${_REQUEST%%"$nl"*}" "${member%% *}" file:///dev/stdin || status=$?
  else
    _aws "$service" "$operation" --cli-input-json "$_REQUEST" || status=$?
  fi
  _AWS_INPUT='' _REQUEST=''
  return "$status"
}

# _aws_request_digest OPERATION FIELD... - sets _DIGEST to eight hex digits that change when the request does.
_aws_request_digest() {
  _request_json digest "$@" || return
  _DIGEST=$_REQUEST _REQUEST=''
}

# _aws_check_overlays CALL... - refuses overlays of the target that are unreadable or belong to none of its calls.
_aws_check_overlays() {
  local complaint
  complaint=$(python3 "$DO_DIR/lib/python/aws_request.py" check-overlays "$DO_DIR/overlays/$_TARGET" "$@" 2>&1) && return
  _failure 'an overlay cannot be used' "$complaint" 'correct the file, or remove it'
  return 2
}

# _announce TEXT - a step of the work begins; not said in a dry run, which prints its calls.
_announce() { [[ ${DRY_RUN:-} == yes ]] || _step "$1"; }

# _aws_failed WHAT - explains the failure of the last call: what, the service's own words, what to do. Returns 1.
_aws_failed() {
  _aws_advice
  _failure "$1" "$_AWS_MESSAGE" "$_AWS_ADVICE"
  return 1
}

# _aws_advice - sets _AWS_ADVICE: what to do about the failure of the last call.
_aws_advice() {
  local again='run the same command again: it goes on where it stopped'
  case $_AWS_ERROR in
    access-denied) _AWS_ADVICE="give your AWS identity the permission that is named above, then $again" ;;
    bad-credentials) _AWS_ADVICE="check who you are with: aws sts get-caller-identity; then $again" ;;
    expired-token) _AWS_ADVICE="your AWS session has expired: sign in again (for example: aws sso login), then $again" ;;
    no-region) _AWS_ADVICE='set AWS_REGION in do/config, or --set AWS_REGION=REGION' ;;
    limit) _AWS_ADVICE="ask for a higher quota in the Service Quotas console, or choose another instance type, then $again" ;;
    throttled | service) _AWS_ADVICE="AWS stayed busy over several tries; wait a minute, then $again" ;;
    connection) _AWS_ADVICE="check the network, the proxy and the region (${AWS_REGION:-none}), then $again" ;;
    no-cli) _AWS_ADVICE='install the AWS CLI: https://docs.aws.amazon.com/cli/' ;;
    busy) _AWS_ADVICE="something else is changing it; wait until that is done, then $again" ;;
    not-found | exists | validation) _AWS_ADVICE="check the setting that is named above, then $again" ;;
    *) _AWS_ADVICE=$again ;;
  esac
}

# One call, once. What it writes to stderr comes first in the captured text, then its exit code, then its output.
_aws_once() {
  local sep=$'\036' both code
  both=$({ _aws_run "$@"; } 2>&1)
  _AWS_MESSAGE=${both%%"$sep"*}
  both=${both#*"$sep"}
  code=${both%%"$sep"*}
  _AWS_OUT=${both#*"$sep"}
  _AWS_ERROR=''
  [[ $code != 0 ]] || return 0
  _aws_trim_message
  _AWS_MESSAGE=${_AWS_MESSAGE:-the AWS CLI ended with $code and gave no reason}
  _aws_classify "$code"
  return 1
}

_aws_run() {
  local out code=0
  set +e +o pipefail
  if [[ -n ${_AWS_INPUT:-} ]]; then
    out=$(printf '%s' "$_AWS_INPUT" | aws "$@")
  else
    out=$(aws "$@" </dev/null)
  fi
  code=$?
  printf '\036%s\036%s' "$code" "$out"
}

# The CLI surrounds its message with empty lines.
_aws_trim_message() {
  while [[ $_AWS_MESSAGE == [[:space:]]* ]]; do _AWS_MESSAGE=${_AWS_MESSAGE#?}; done
  while [[ $_AWS_MESSAGE == *[[:space:]] ]]; do _AWS_MESSAGE=${_AWS_MESSAGE%?}; done
}

# Sets _AWS_ERROR from the error code that the service gave or, without one, from the CLI's own words.
_aws_classify() {
  local text=$_AWS_MESSAGE code=''
  case $text in *'An error occurred ('*')'*)
    code=${text#*An error occurred \(}
    code=${code%%)*}
    ;;
  esac
  if [[ -n $code ]]; then _aws_classify_code "$code" "$text"; else _aws_classify_words "$1" "$text"; fi
}

_aws_classify_code() {
  case $1 in
    ExpiredToken* | RequestExpired | TokenRefreshRequired) _AWS_ERROR=expired-token ;;
    AccessDenied* | Unauthorized* | NotAuthorized* | AuthorizationError* | 403 | Forbidden) _AWS_ERROR=access-denied ;;
    UnrecognizedClient* | InvalidClientTokenId | SignatureDoesNotMatch | InvalidSignature* | InvalidAccessKeyId | \
      IncompleteSignature | MissingAuthenticationToken* | AuthFailure) _AWS_ERROR=bad-credentials ;;
    Throttling* | Throttled* | TooManyRequests* | RequestLimitExceeded | RequestThrottled* | SlowDown | \
      ProvisionedThroughputExceeded* | 429) _AWS_ERROR=throttled ;;
    InternalFailure | InternalServer* | InternalError* | InternalService* | InternalException | ServiceUnavailable* | \
      ServiceException | ServerException | KMSInternal* | 5[0-9][0-9]) _AWS_ERROR=service ;;
    ResourceNotFound* | NoSuch* | NotFound* | RepositoryNotFound* | 404) _AWS_ERROR=not-found ;;
    ResourceLimitExceeded* | LimitExceeded* | ServiceQuotaExceeded*) _AWS_ERROR=limit ;;
    ResourceInUse* | *AlreadyExists*) _AWS_ERROR=exists ;;
    Conflict*) _AWS_ERROR=busy ;;
    # SageMaker says all of these with one code.
    Validation*)
      case $2 in
        *[Cc]'ould not find'* | *[Cc]'annot find'* | *'does not exist'* | *'not found'*) _AWS_ERROR=not-found ;;
        *'already exist'*) _AWS_ERROR=exists ;;
        *'in-progress'* | *'in progress'* | *'in use'*) _AWS_ERROR=busy ;;
        *) _AWS_ERROR=validation ;;
      esac
      ;;
    Invalid* | *Malformed* | Missing* | BadRequest* | 400) _AWS_ERROR=validation ;;
    *) _AWS_ERROR=other ;;
  esac
}

_aws_classify_words() {
  case $2 in
    *'oken has expired'* | *'session associated with this profile has expired'* | *'SSO session'*'expired'*)
      _AWS_ERROR=expired-token ;;
    *'Unable to locate credentials'* | *'config profile'*'could not be found'* | *'Error loading SSO Token'* | \
      *'Partial credentials'* | *'rror when retrieving credentials'*) _AWS_ERROR=bad-credentials ;;
    *'must specify a region'*) _AWS_ERROR=no-region ;;
    *'Could not connect to the endpoint'* | *'onnect timeout'* | *'ead timeout'* | *'onnection was closed'* | \
      *'onnection reset'* | *'Failed to connect to proxy'* | *'SSL validation failed'* | *'roxy'*) _AWS_ERROR=connection ;;
    *'arameter validation failed'* | *'Invalid choice'* | *'invalid choice'* | *'Unknown options'*) _AWS_ERROR=validation ;;
    *) if [[ $1 == 127 ]]; then _AWS_ERROR=no-cli; else _AWS_ERROR=other; fi ;;
  esac
}

# _request_json show|build|digest OPERATION FIELD... - sets _REQUEST to what aws_request.py prints.
_request_json() {
  local mode=$1 operation=$2 field input='' status=0
  local arguments=(--overlay "$DO_DIR/overlays/$_TARGET/$operation.json")
  shift 2
  for field in "$@"; do
    if [[ $field =~ ^([A-Za-z0-9_.]+@)([A-Za-z_][A-Za-z0-9_]*)$ ]]; then
      field=${BASH_REMATCH[1]} input=${BASH_REMATCH[2]}
      input=${!input}
    fi
    arguments+=("$field")
  done
  _REQUEST=$(printf '%s' "$input" | python3 "$DO_DIR/lib/python/aws_request.py" "$mode" "${arguments[@]}" 2>&1) || status=$?
  [[ $status != 0 ]] || return 0
  _failure "the request of $operation cannot be built" "$_REQUEST" 'correct the setting or the overlay that is named above'
  return "$status"
}
