# shellcheck shell=bash
# What a verb needs for its own work only: a folder for its files, and programs that run beside it. Whatever ends the verb
# (its last line, a failure, HUP, INT, TERM), the folder is gone and every program is ended by its own process id.

_SCRATCH=''

# _tidy_at_exit - makes the folder _SCRATCH, which nobody else can read; from here on, the end of the script tidies up.
_tidy_at_exit() {
  trap '_tidy' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  _SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/mlcc.XXXXXX") || _fail "no folder can be made in ${TMPDIR:-/tmp}" '' 'set TMPDIR to one that you can write to'
}

# _start COMMAND... - runs a program beside the script; sets _CHILD to its process id.
_start() {
  # exec: the process id is the program's own, not that of a shell around it.
  (exec "$@") </dev/null &
  _CHILD=$!
}

# _start_kubectl ARGUMENT... - the same for kubectl on the recorded cluster.
_start_kubectl() {
  (
    # shellcheck disable=SC2317 # _kubectl calls it
    kubectl() { exec kubectl "$@"; }
    _kubectl "$@"
  ) </dev/null &
  _CHILD=$!
}

# _await - waits for the program that was started last and returns its exit code. Unlike a program in the foreground, it does not
# hold a signal up until it has ended.
_await() {
  local code=0
  wait "$_CHILD" || code=$?
  return "$code"
}

# _pause SECONDS
_pause() {
  _start sleep "$1"
  _await
}

# _lives PROCESS-ID
_lives() { kill -0 "$1" 2>/dev/null; }

# _end PROCESS-ID - ends a program of ours: asks it to, and does not ask for long.
_end() {
  local tries=0
  kill -TERM "$1" 2>/dev/null || :
  while _lives "$1" && ((tries < 20)); do
    sleep 0.1
    tries=$((tries + 1))
  done
  kill -KILL "$1" 2>/dev/null || :
  wait "$1" 2>/dev/null || :
}

_tidy() {
  local child
  trap '' HUP INT TERM
  trap - EXIT
  # The shell's own list: a program that a signal overtook before anybody noted its process id is on it.
  for child in $(jobs -p); do _end "$child"; done
  if [[ -n $_SCRATCH ]]; then rm -rf "$_SCRATCH"; fi
}
