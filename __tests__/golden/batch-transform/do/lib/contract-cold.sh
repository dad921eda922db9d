# shellcheck shell=bash
# The rare half of the contract: help, overrides, refusals. Sourced by script-contract.sh when one of them is due.

. "$DO_DIR/lib/messages.sh"

# GUARD REASON REMEDY: the one way to refuse. Nothing has been changed.
_violation() {
  _line '\033[31m❌ ' '' "Contract violation: $1"
  _reasons "$2" "$3"
  exit 3
}

_refuse_guard() {
  local deploy="do/deploy --target $_TARGET"
  case $1 in
    artifact-ready) _violation "$1" 'ECR_IMAGE_URI is empty: there is no image to use' 'push the image, then: do/lib/config-store.sh set ECR_IMAGE_URI REPOSITORY@sha256:DIGEST' ;;
    model-staged) _violation "$1" 'STAGED_MODEL_PATH is empty: the model weights are not in S3' 'copy them there, then: do/lib/config-store.sh set STAGED_MODEL_PATH s3://BUCKET/PREFIX' ;;
    deployment-active | deployment-recorded) ;;
    *) _violation "$1" "there is no guard of this name" "use none, artifact-ready, model-staged, deployment-recorded or deployment-active" ;;
  esac
  [[ -n $_TARGET ]] || _refuse_unknown_target "$1"
  if [[ -z $_STATUS ]]; then
    _violation "$1" "$_TARGET is not deployed (DEPLOYMENT_TARGET_${_TARGET_TAG}_STATUS is empty)" "$deploy"
  fi
  _violation "$1" "$_TARGET is $_STATUS, not $_TARGET_SUCCESS" "do/status shows what is there; $deploy"
}

# GUARD: DEPLOYMENT_TARGET names no target
_refuse_unknown_target() {
  _list_targets
  local reason='DEPLOYMENT_TARGET is not set'
  if [[ -n ${DEPLOYMENT_TARGET:-} ]]; then reason="DEPLOYMENT_TARGET is \"$DEPLOYMENT_TARGET\", which is no target"; fi
  _violation "$1" "$reason; known targets: ${_TARGET_NAMES// /, }" 'do/deploy --target NAME'
}

# -> _TARGET_NAMES: every canonical name
_list_targets() {
  _TARGET_NAMES=''
  . "$DO_DIR/lib/targets.sh" '' || :
}

# "a,b" [GUIDANCE]: passes only for one of these targets; aliases may stand in the list. The descriptor's guidance stands in.
_require_listed() {
  _active_target || _refuse_unknown_target target
  if _is_listed "$1"; then return 0; fi
  . "$DO_DIR/lib/targets-guidance.sh" "$_TARGET" "$_VERB"
  _violation target "do/$_VERB does not apply to $_TARGET" "${2:-${_GUIDANCE:-it applies to: $1}}"
}

_is_listed() {
  local IFS=$', \t' name
  for name in $1; do
    if . "$DO_DIR/lib/targets.sh" "$name" && [[ ${_TARGET_RECORD%% *} == "$_TARGET" ]]; then return 0; fi
  done
  return 1
}

# "a,b": the map does not have this verb on the active target; a verb of a person's own goes by its header's list.
_check_targets() {
  _active_target || _refuse_unknown_target target
  . "$DO_DIR/lib/targets-guidance.sh" "$_TARGET" "$_VERB"
  if [[ " $_RESTRICTED_VERBS " != *" $_VERB "* ]]; then
    _require_listed "$1"
    return
  fi
  local known="it applies to: ${_VERB_TARGETS// /, }"
  _violation target "do/$_VERB does not apply to $_TARGET" "${_GUIDANCE:-$known}"
}

# Prints the header's description, usage and what else the leading comment says; exits 0.
_help() {
  printf 'do/%s: ' "$_VERB"
  _usage all
  printf '\n  --set KEY=VALUE   use another value of a setting in this run\n  --help            show this\n'
  exit 0
}

# MESSAGE: the command line is wrong
_fail_usage() {
  _failure "do/$_VERB: $1"
  _usage forms >&2
  exit 2
}

# all | forms: from the header; the forms alone, or with the description before and the text behind them
_usage() {
  local line part=top description=''
  while IFS= read -r line && [[ -z $line || $line == '#'* ]]; do
    case $part:$line in
      usage: | text:) break ;;
      top:'# @mlcc-script') part=header; if [[ $1 == all ]]; then printf '%s\n' "$description"; fi ;;
      top:'#!'* | top:'# Copyright'* | top:'# SPDX'* | top:'' | top:'#') ;;
      top:*) description=${line#\# } ;;
      header:'# usage: '*) part=usage; printf 'Usage: %s\n' "${line#\# usage: }" ;;
      usage:'#        '*) printf '       %s\n' "${line#\#        }" ;;
      *:'# >>> GENERATED'* | *:'# <<< END GENERATED'*) ;;
      usage:* | text:*)
        part=text
        if [[ $1 == all ]]; then line=${line#\#}; printf '%s\n' "${line# }"; fi
        ;;
    esac
  done <"$_VERB_FILE"
}

_fail_config() {
  _fail "$CONFIG_FILE cannot be read" "it holds the project's settings" "restore it, or run: mlcc regenerate"
}

_fail_windows() {
  _fail 'these scripts do not run in a Windows shell' "this is $OSTYPE" 'use the Windows Subsystem for Linux (WSL)'
}

# TEXT: a config with Windows line ends; a carriage return inside a value stays.
_source_crlf() {
  local rest=$1 end=$'\r\n' text=''
  while [[ $rest == *"$end"* ]]; do
    text+=${rest%%"$end"*}$'\n'
    rest=${rest#*"$end"}
  done
  eval "$text$rest"
}

# ARGUMENTS -> _ARGS without --set. Overrides hold for this run and the scripts that it starts, the command line's first.
_override() {
  local name
  for name in ${!MLCC_SET_*}; do _override_one "${name#MLCC_SET_}" "${!name}"; done
  _ARGS=()
  while (($# > 0)); do
    case $1 in
      --) break ;;
      --set=*) _override_pair "${1#*=}" ;;
      --set)
        (($# > 1)) || _fail_usage '--set needs KEY=VALUE'
        _override_pair "$2"
        shift
        ;;
      *) _ARGS+=("$1") ;;
    esac
    shift
  done
  _ARGS+=("$@")
}

_override_pair() {
  [[ $1 == *=* ]] || _fail_usage "--set needs KEY=VALUE, not \"$1\""
  _override_one "${1%%=*}" "${1#*=}"
}

_override_one() {
  case $1 in
    '' | [!A-Z]* | *[!A-Z0-9_]*) _fail_usage "\"$1\" is not the name of a setting: capital letters, digits and _" ;;
  esac
  case $1 in
    BASHOPTS | BASH_VERSINFO | EUID | PPID | SHELLOPTS | UID) _fail_usage "$1 is the shell's own and cannot be set" ;;
  esac
  case $2 in *$'\n'*) _fail_usage "the value of $1 has more than one line" ;; esac
  export "$1=$2" "MLCC_SET_$1=$2"
}
