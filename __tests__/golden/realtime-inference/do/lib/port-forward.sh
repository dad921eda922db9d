# shellcheck shell=bash
# A port of this machine that leads to a port of a pod, for as long as the script wants. kubectl finds a free one itself and says
# which: a port that belongs to another program is never taken for ours. Needs tidy.sh, which ends kubectl whatever happens.

. "$DO_DIR/lib/kubectl.sh"
. "$DO_DIR/lib/tidy.sh"

# Longest time until kubectl listens, in seconds.
_FORWARD_SECONDS=30

# _forward_port POD PORT - sets _FORWARD_PORT, a port on 127.0.0.1, and _FORWARD_CHILD. 1 after saying why there is none.
_forward_port() {
  local start=$SECONDS line
  _FORWARD_LOG=$_SCRATCH/port-forward.log _FORWARD_PORT=''
  : >"$_FORWARD_LOG"
  _start_kubectl port-forward --address 127.0.0.1 "pod/$1" ":$2" >>"$_FORWARD_LOG" 2>&1
  _FORWARD_CHILD=$_CHILD
  while ((SECONDS - start < _FORWARD_SECONDS)); do
    while IFS= read -r line; do
      case $line in 'Forwarding from 127.0.0.1:'[0-9]*' -> '*)
        line=${line#Forwarding from 127.0.0.1:}
        _FORWARD_PORT=${line%% *}
        ;;
      esac
    done <"$_FORWARD_LOG"
    if ! _forward_lives; then break; fi
    if [[ -n $_FORWARD_PORT ]]; then return 0; fi
    sleep 0.1
  done
  _failure "the port-forward to $1 does not work" "$(<"$_FORWARD_LOG")" 'do/status shows the deployment; then run the same command again'
  return 1
}

# _forward_lives - whether the port is ours: once kubectl has ended, anybody may have taken it.
_forward_lives() { _lives "$_FORWARD_CHILD"; }

# _end_forward - gives the port back.
_end_forward() { _end "$_FORWARD_CHILD"; }
