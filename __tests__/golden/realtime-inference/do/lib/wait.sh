# shellcheck shell=bash
# Waiting for a service, for a limited time and visibly.

. "$DO_DIR/lib/messages.sh"

# _wait_for WHAT LIMIT CHECK [ARGUMENT...] - calls CHECK until it returns something else than 1, for at most LIMIT seconds.
# CHECK returns 0 when the wait is over, 1 to go on, and anything else when it is over badly; it sets _WAIT_STATE to what the
# service says now and, when it fails, _WAIT_REASON to why. `set -e` does not hold inside it.
# Returns 0, 1 (the reason has been shown) or 124 (the time is up; shown, too).
# _WAIT_NEXT, when set, is what to type when the time is up. Pauses grow from 2 to 30 seconds; MLCC_POLL_SECONDS makes all of them as long as it says.
_wait_for() {
  local what=$1 limit=$2 start=$SECONDS pause=2 verdict
  shift 2
  case $limit in
    '' | *[!0-9]*) _fail "DEPLOY_TIMEOUT is \"$limit\"" 'it is a whole number of seconds' '--set DEPLOY_TIMEOUT=3600' ;;
  esac
  limit=$((10#$limit))
  _WAIT_STATE='' _WAIT_REASON='' _WAIT_MINUTES=0
  while :; do
    verdict=0
    "$@" || verdict=$?
    _WAIT_ELAPSED=$((SECONDS - start))
    if [[ $verdict != 1 ]] || ((_WAIT_ELAPSED >= limit)); then break; fi
    _wait_pause "$what" "${MLCC_POLL_SECONDS:-$pause}" "$start"
    pause=$((pause < 20 ? pause * 3 / 2 : 30))
  done
  _wait_end "$what" "$verdict"
}

# WHAT SECONDS START: sleeps; a terminal shows the clock meanwhile, anything else gets a line a minute
_wait_pause() {
  local what=$1 left=$2
  if ! _is_rich 2; then
    if ((_WAIT_ELAPSED / 60 > _WAIT_MINUTES)); then
      _WAIT_MINUTES=$((_WAIT_ELAPSED / 60))
      _info "$what: ${_WAIT_STATE:-waiting} ($(_duration "$_WAIT_ELAPSED"))"
    fi
    sleep "$left"
    return
  fi
  case $left in *[!0-9]*) sleep "$left"; left=0 ;; esac
  while :; do
    printf '\r\033[K  %s: %s (%s)' "$what" "${_WAIT_STATE:-waiting}" "$(_duration "$((SECONDS - $3))")" >&2
    ((left > 0)) || break
    sleep 1
    left=$((left - 1))
  done
}

# WHAT VERDICT: the last line, and what _wait_for returns
_wait_end() {
  if _is_rich 2; then printf '\r\033[K' >&2; fi
  local took
  took=$(_duration "$_WAIT_ELAPSED")
  case $2 in
    0) _info "$1: ${_WAIT_STATE:-there} ($took)" ;;
    1)
      _failure "$1: still ${_WAIT_STATE:-not there} after $took" "$_WAIT_REASON" \
        "${_WAIT_NEXT:-run the same command again to go on waiting, or with --set DEPLOY_TIMEOUT=SECONDS for longer}"
      return 124
      ;;
    *)
      _failure "$1: ${_WAIT_STATE:-failed} after $took" "$_WAIT_REASON"
      return 1
      ;;
  esac
}

# SECONDS: 45s, 3m05s, 1h00m
_duration() {
  if (($1 < 60)); then
    printf '%ds' "$1"
  elif (($1 < 3600)); then
    printf '%dm%02ds' "$(($1 / 60))" "$(($1 % 60))"
  else
    printf '%dh%02dm' "$(($1 / 3600))" "$(($1 % 3600 / 60))"
  fi
}
