#!/bin/bash
# shellcheck disable=SC2034 # the locals of the store are used by the files that it sources
# The store of do/config. Sourced by scripts that set CONFIG_FILE:
#   _update_config KEY VALUE   stores one value, under a lock, and exports it in the running shell
#   _remove_config KEY         drops a key, in the file and in the running shell
# Both return 1 when it failed and 2 for a bad key or value; a message says why, and never prints the value.
# Traps call them, too: here it is `return $?`, for a bare `return` would give a trap the status from before it.
#
# usage: config-store.sh get KEY
#        config-store.sh set KEY VALUE
#        config-store.sh unset KEY

case ${BASH_SOURCE[0]} in */*) _CONFIG_LIB=${BASH_SOURCE[0]%/*} ;; *) _CONFIG_LIB=. ;; esac
# shellcheck source=config-grammar.sh
. "$_CONFIG_LIB/config-grammar.sh"
# shellcheck source=config-lock.sh
. "$_CONFIG_LIB/config-lock.sh"

# How the secrets begin that people paste by mistake. config_store.py and the mlcc command carry the same list.
_CONFIG_SECRET_PREFIXES='hf_ nvapi- AKIA ASIA ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- sk-ant- sk-proj- xoxb- xoxp-'

_update_config() {
  _config_change "${1-}" "${2-}" || return $?
  export "$1=$2"
}

_remove_config() {
  _config_change "${1-}" || return $?
  unset "$1"
}

# KEY [VALUE]: stores or drops. All locals of the store are here, so that nothing leaks into the caller.
_config_change() {
  local LC_ALL=C IFS=$' \t\n' file lock held='' lines count contents new_line='' pid host mask tries=0 code
  _config_check_key "$1" || return $?
  if [[ $# -gt 1 ]]; then
    _config_check_value "$1" "$2" || return $?
    _config_line "$1" "$2"
  fi
  _config_find_file || return $?
  if [[ ! -w $file ]]; then
    printf '%s is read-only\n' "$file" >&2
    return 1
  fi
  _config_who
  # A trap that updates the config in the middle of an update takes the lock over: then once more.
  while [[ $tries -lt 10 ]]; do
    tries=$((tries + 1)) code=0
    _config_take_lock || return 1
    _config_load "$file" || { _config_release; return 1; }
    if ! _config_edit "$1" ${new_line:+"$new_line"}; then
      _config_release
      return 0
    fi
    _config_publish || code=$?
    [[ $code -eq 3 ]] || return "$code"
  done
  _config_cannot_write
  return 1
}

# -> file, lock: the config itself, behind any symlink
_config_find_file() {
  local target
  file=${CONFIG_FILE:?is not set}
  case $file in */*) ;; *) file=./$file ;; esac
  if [[ ! -f $file || ! -r $file ]]; then
    printf '%s is missing or cannot be read\n' "$file" >&2
    return 1
  fi
  while [[ -L $file ]]; do
    target=$(readlink "$file") || return 1
    case $target in /*) file=$target ;; *) file=${file%/*}/$target ;; esac
  done
  lock=$file.lock
}

_config_check_key() {
  _config_is_key "$1" && return 0
  printf "'%s' cannot be a key of do/config: a key has letters, digits and underscores, does not begin with a digit, and is not read-only in the shell\n" "$1" >&2
  return 2
}

# KEY VALUE
_config_check_value() {
  local fault='' key=$1 value=$2
  case $value in
    *$'\n'*) fault='it spans lines, and a value is one line' ;;
    *) if ! _config_is_utf8; then fault='it is not valid UTF-8 text'; fi ;;
  esac
  if [[ -z $fault ]] && _config_is_secret; then
    fault='it looks like an access token or a private key; store it in AWS Secrets Manager and put its ARN into the matching *_ARN variable'
  fi
  [[ -n $fault ]] || return 0
  printf 'the value for %s was not stored: %s\n' "$key" "$fault" >&2
  return 2
}

_config_is_utf8() {
  case $value in *[!\ -~]*) ;; *) return 0 ;; esac
  local tail=$'[\x80-\xbf]' one=$'[^\x80-\xff]'
  local two=$'[\xc2-\xdf]'$tail
  local three=$'(\xe0[\xa0-\xbf]|[\xe1-\xec\xee\xef][\x80-\xbf]|\xed[\x80-\x9f])'$tail
  local four=$'(\xf0[\x90-\xbf]|[\xf1-\xf3][\x80-\xbf]|\xf4[\x80-\x8f])'$tail$tail
  local text="^($one|$two|$three|$four)*\$"
  [[ $value =~ $text ]]
}

_config_is_secret() {
  local prefix start=${value#"${value%%[![:blank:]]*}"}
  case $value in *-----BEGIN*'PRIVATE KEY'*) return 0 ;; esac
  for prefix in $_CONFIG_SECRET_PREFIXES; do
    [[ $start != "$prefix"* && ! $value =~ [^A-Za-z0-9_-]"$prefix"[A-Za-z0-9]{16} ]] || return 0
  done
  return 1
}

# KEY: prints its value and a newline
_config_print() {
  local LC_ALL=C IFS=$' \t\n' file lock lines count value=''
  _config_check_key "$1" || return $?
  _config_find_file || return $?
  _config_load "$file" || return $?
  if ! _config_find "$1"; then
    printf '%s has no value in %s\n' "$1" "$file" >&2
    return 1
  fi
  printf '%s\n' "$value"
}

_config_command() {
  case ${1-}:$# in
    get:2) _config_print "$2" ;;
    set:3) _update_config "$2" "$3" ;;
    unset:2) _remove_config "$2" ;;
    *)
      printf 'usage: config-store.sh get KEY\n       config-store.sh set KEY VALUE\n       config-store.sh unset KEY\n' >&2
      return 2
      ;;
  esac
}

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then
  set -euo pipefail
  case $_CONFIG_LIB in lib | */lib) CONFIG_FILE=${_CONFIG_LIB%lib}config ;; *) CONFIG_FILE=$_CONFIG_LIB/../config ;; esac
  _config_command "$@"
fi
