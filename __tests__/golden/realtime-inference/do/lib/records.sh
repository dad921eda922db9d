# shellcheck shell=bash
# What is known about the selected target's deployment: DEPLOYMENT_TARGET_<TAG>_<WHAT> in do/config. Needs a selected target.

. "$DO_DIR/lib/config-store.sh"

# The one place that keeps a dry run from writing: what it would record is known to this process alone.
if [[ ${DRY_RUN:-} == yes ]]; then
  _update_config() { export "$1=$2"; }
fi

# WHAT VALUE: keeps what a deploy is about to create, or has used
_record() { _update_config "DEPLOYMENT_TARGET_${_TARGET_TAG}_$1" "$2"; }

# WHAT -> _RECORDED: what is kept; empty when nothing is
_recorded() {
  _RECORDED=DEPLOYMENT_TARGET_${_TARGET_TAG}_$1
  _RECORDED=${!_RECORDED:-}
}

# VALUE: the deployment's state; empty: not deployed
_set_status() { _record STATUS "$1"; }

# Whether anything of a deployment is known.
_is_recorded() {
  _list_records
  [[ -n $_RECORDS ]]
}

# Empties every record, the status last: whatever ends this half-way, the deployment is still known.
_forget_records() {
  local what
  _list_records
  for what in $_RECORDS; do
    [[ $what == STATUS ]] || _record "$what" ''
  done
  _set_status ''
}

# -> _RECORDS: each WHAT that has a value
_list_records() {
  local prefix=DEPLOYMENT_TARGET_${_TARGET_TAG}_ name
  _RECORDS=
  for name in $(compgen -v "$prefix"); do
    if [[ -n ${!name} ]]; then _RECORDS="$_RECORDS ${name#"$prefix"}"; fi
  done
}
