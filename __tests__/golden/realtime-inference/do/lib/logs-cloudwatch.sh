# shellcheck shell=bash
# The logs of a SageMaker deployment. The service makes a log group when there is something to write, so one that is not there is
# a log without lines.

. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/records.sh"
. "$DO_DIR/lib/live-state.sh"

# Pause between two looks, in seconds.
_LOOK_SECONDS=3

_show_logs() {
  local at found=no start
  _list_log_groups
  if [[ ${#_GROUPS[@]} == 0 ]]; then
    _info "no resource of $_TARGET is recorded: nothing was created that could log"
    return 0
  fi
  _aws_preflight
  start=$(($(date +%s) - _SINCE_SECONDS))
  if ((start < 0)); then start=0; fi
  for ((at = 0; at < ${#_GROUPS[@]}; at++)); do
    _STARTS[at]=${start}000
    _look "$at" "$_TAIL" || return
    if [[ $_LINES != 0 ]]; then found=yes; fi
  done
  if [[ $found == no ]]; then _explain_silence; fi
  [[ $_FOLLOW == yes ]] || return 0
  while :; do
    _pause "${MLCC_POLL_SECONDS:-$_LOOK_SECONDS}"
    for ((at = 0; at < ${#_GROUPS[@]}; at++)); do _look "$at" '' || return; done
  done
}

# -> _GROUPS and _STREAMS: the log groups of what is recorded, and how the streams in each begin (empty: all of them)
_list_log_groups() {
  _GROUPS=() _STREAMS=()
  if [[ $_TARGET_INVOCATION == component ]]; then
    _recorded COMPONENT
    if [[ -n $_RECORDED ]]; then _GROUPS+=("/aws/sagemaker/InferenceComponents/$_RECORDED") _STREAMS+=(''); fi
  fi
  if [[ $_TARGET_INVOCATION == job ]]; then
    _recorded JOB
    if [[ -n $_RECORDED ]]; then _GROUPS+=(/aws/sagemaker/TransformJobs) _STREAMS+=("$_RECORDED/"); fi
    return 0
  fi
  _recorded ENDPOINT
  if [[ -n $_RECORDED ]]; then _GROUPS+=("/aws/sagemaker/Endpoints/$_RECORDED") _STREAMS+=(''); fi
}

# AT TAIL: prints what is new in the group at AT, the last TAIL lines alone when TAIL says so; -> _LINES, how many
_look() {
  local group=${_GROUPS[$1]} streams=() events=$_SCRATCH/events state=$_SCRATCH/seen-$1 next
  if [[ -n ${_STREAMS[$1]} ]]; then streams=(--log-stream-name-prefix "${_STREAMS[$1]}"); fi
  _LINES=0
  if ! _read_events "$events" --log-group-name "$group" ${streams[@]+"${streams[@]}"} --start-time "${_STARTS[$1]}"; then
    if [[ $_AWS_ERROR == not-found ]]; then return 0; fi
    _aws_failed "the log group $group cannot be read"
    return
  fi
  python3 "$DO_DIR/lib/python/log_events.py" "$events" "$state" "${_STARTS[$1]}" "$2" || return
  { read -r _LINES && read -r next; } <"$state"
  _STARTS[$1]=$next
}

# FILE ARGUMENT...: the events to the file, each on a line as JSON. Not by way of a variable, for there may be many; and
# filter-log-events, for the AWS CLI's own "tail" is in its version 2 only. Fails as _aws does.
_read_events() {
  local file=$1 errors=$_SCRATCH/errors try=1 pause=1 code most
  shift
  while :; do
    code=0
    _start aws logs filter-log-events "$@" --query 'events[].[to_string(@)]' --output text >"$file" 2>"$errors"
    _await || code=$?
    [[ $code != 0 ]] || return 0
    _AWS_MESSAGE=$(<"$errors")
    _aws_trim_message
    _AWS_MESSAGE=${_AWS_MESSAGE:-the AWS CLI ended with $code and gave no reason}
    _aws_classify "$code"
    case $_AWS_ERROR in
      throttled) most=$_AWS_TRIES_BUSY ;;
      service | connection) most=$_AWS_TRIES_BROKEN ;;
      *) return 1 ;;
    esac
    [[ $try -lt $most ]] || return 1
    _info "AWS: $_AWS_ERROR (logs filter-log-events); trying again in ${pause}s"
    _pause "$pause"
    try=$((try + 1)) pause=$((pause * 2))
  done
}

_explain_silence() {
  local at
  for ((at = 0; at < ${#_GROUPS[@]}; at++)); do _info "no lines in the last $_SINCE in ${_GROUPS[at]}${_STREAMS[at]:+ (${_STREAMS[at]}*)}"; done
  _live_state
  _info "$_TARGET is $_LIVE${_LIVE_REASON:+: $_LIVE_REASON}"
  if [[ $_FOLLOW == yes ]]; then
    _info 'waiting for lines; Ctrl-C ends this'
  else
    _info 'do/logs --since 1d looks further back'
  fi
}
