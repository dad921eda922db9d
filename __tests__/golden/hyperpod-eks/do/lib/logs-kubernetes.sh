# shellcheck shell=bash
# The logs of a workload on Kubernetes: what the containers of its pods say and, while none of them has said anything, what the
# cluster says about the pods.

. "$DO_DIR/lib/kubernetes-pods.sh"
. "$DO_DIR/lib/live-state.sh"

# Pause between two looks at the pods, in seconds, and how often a log that breaks off is asked for again.
_LOOK_SECONDS=5
_FOLLOW_TRIES=3

_show_logs() {
  local status=0 explained=no
  _find_workload || status=$?
  case $status in
    1)
      _info "no workload of $_TARGET is recorded: nothing was created that could log"
      return 0
      ;;
    2) return 1 ;;
  esac
  _FOLLOWED=() _FOLLOWERS=() _FOLLOW_FAILED=0 _SAID=no
  while :; do
    _find_pods || return
    _list_containers || return
    _each_container || return
    if [[ $_SAID == no && $explained == no ]]; then
      explained=yes
      _explain_silence
    fi
    [[ $_FOLLOW == yes ]] || return 0
    # Pods come and go, and a container that starts anew has a new log.
    _pause "${MLCC_POLL_SECONDS:-$_LOOK_SECONDS}"
  done
}

_each_container() {
  local pod container restarts ready state last
  while IFS=' ' read -r -u 3 pod container restarts ready state last; do
    # One that waits has the log of its last end, if it ever began.
    if [[ -z $pod || $state == waiting && $last != yes ]]; then continue; fi
    if [[ $_FOLLOW == yes ]]; then
      _follow_container "$pod" "$container" "$restarts" "$state" || return
      continue
    fi
    # Its own log may not say yet why it began anew.
    if [[ $state != waiting && $ready == false && $last == yes ]]; then
      _info "$pod/$container before it was started again:"
      _print_log "$pod" "$container" --previous || :
    fi
    _print_log "$pod" "$container" || return
  done 3<<<"$_CONTAINERS"
}

# POD CONTAINER [OPTION]: the log as it is now
_print_log() {
  local log=$_SCRATCH/log
  _log_options
  _start_kubectl logs "$1" --container "$2" --prefix "${_OPTIONS[@]}" "${@:3}" >"$log" 2>"$log.error"
  if ! _await; then
    # It has gone meanwhile, or it has no log (any more).
    if grep -q -e '(NotFound)' -e 'not found' -e 'waiting to start' "$log.error"; then return 0; fi
    _failure "the log of $1/$2 cannot be read" "$(<"$log.error")" 'do/status shows the deployment'
    return 1
  fi
  if [[ -s $log ]]; then
    _SAID=yes
    cat "$log"
  fi
}

# POD CONTAINER RESTARTS STATE: follows the log of this start of the container, unless that is being done
_follow_container() {
  local at name="$1/$2/$3" since=''
  for ((at = 0; at < ${#_FOLLOWED[@]}; at++)); do
    if [[ ${_FOLLOWED[at]%% *} != "$name" ]]; then continue; fi
    if _lives "${_FOLLOWERS[at]}"; then
      _FOLLOWED[at]="$name $(date -u +%Y-%m-%dT%H:%M:%SZ)"
      return 0
    fi
    # A container that has ended has said all.
    if [[ $4 != running ]]; then return 0; fi
    if ! wait "${_FOLLOWERS[at]}"; then _FOLLOW_FAILED=$((_FOLLOW_FAILED + 1)); fi
    if ((_FOLLOW_FAILED >= _FOLLOW_TRIES)); then
      _failure "the log of $1/$2 cannot be followed" '' 'see above; do/status shows the deployment'
      return 1
    fi
    since=${_FOLLOWED[at]#* }
    break
  done
  _log_options "$since"
  # In front of the lines stands where they come from; what kubectl has to say goes to stderr.
  _start_kubectl logs "$1" --container "$2" --prefix --follow "${_OPTIONS[@]}"
  _FOLLOWED[at]="$name $(date -u +%Y-%m-%dT%H:%M:%SZ)" _FOLLOWERS[at]=$_CHILD _SAID=yes
}

# [TIME]: -> _OPTIONS, the part of the log that is wanted: what comes after the time, or what the command line says
_log_options() {
  if [[ -n ${1:-} ]]; then
    _OPTIONS=(--since-time "$1")
    return
  fi
  _OPTIONS=(--since "${_SINCE_SECONDS}s")
  if [[ -n $_TAIL ]]; then _OPTIONS+=(--tail "$_TAIL"); fi
}

_explain_silence() {
  if [[ -z $_CONTAINERS ]]; then
    _info "no container of $_WORKLOAD has started"
  else
    _info "the containers of $_WORKLOAD have said nothing in the last $_SINCE"
  fi
  _show_pods
  _live_state
  _info "$_TARGET is $_LIVE${_LIVE_REASON:+: $_LIVE_REASON}"
  if [[ $_FOLLOW == yes ]]; then
    _info 'waiting for lines; Ctrl-C ends this'
  else
    _info 'do/logs --since 1d looks further back'
  fi
}
