# shellcheck shell=bash
# The contract of every verb, sourced first. Every run pays for it: built-ins only, the rest in contract-cold.sh.

_cold() { . "$DO_DIR/lib/contract-cold.sh" && "$@"; }

# NAME or alias -> the _TARGET variables; fails without such a target
_select_target() {
  . "$DO_DIR/lib/targets.sh" "$1" || return 1
  local IFS=' '
  # shellcheck disable=SC2086 # a record is plain words
  set -- $_TARGET_RECORD
  _TARGET=$1 _TARGET_TAG=$2 _TARGET_SUCCESS=$3 _TARGET_FAMILY=$4 _TARGET_INVOCATION=$5
  _TARGET_WORKLOAD=$6 _TARGET_ENDPOINT=$7 _TARGET_SERVING=$8
  shift 8
  _TARGET_VERBS=$*
}
_active_target() { [[ -n $_TARGET ]] || _select_target "${DEPLOYMENT_TARGET:-}"; }
_target_status() {
  _STATUS=DEPLOYMENT_TARGET_${_TARGET_TAG}_STATUS
  _STATUS=${!_STATUS:-}
}

_guard_met() {
  case $1 in
    none) return ;;
    artifact-ready) [[ -n ${ECR_IMAGE_URI:-} ]]; return ;;
    model-staged) [[ -n ${STAGED_MODEL_PATH:-} ]]; return ;;
  esac
  _active_target || return 1
  _target_status
  case $1:$_STATUS in
    deployment-recorded:?* | deployment-active:InService | deployment-active:Running | deployment-active:Completed) ;;
    *) return 1 ;;
  esac
}
_require_guard() { _guard_met "$1" || _cold _refuse_guard "$1"; }
_guard_none() { :; }
_guard_artifact_ready() { _require_guard artifact-ready; }
_guard_model_staged() { _require_guard model-staged; }
_guard_deployment_active() { _require_guard deployment-active; }
_guard_deployment_recorded() { _require_guard deployment-recorded; }
_restrict_targets() { _cold _require_listed "$@"; }
_contract_violation() { _cold _violation "$@"; }
_usage_error() { _cold _fail_usage "$1"; }

unset CDPATH
_VERB_FILE=${_VERB_FILE:-${BASH_SOURCE[1]:-$0}} _VERB=${_VERB_FILE##*/} _TARGET=
_cwd=$PWD _lib=${BASH_SOURCE[0]%/*}
# shellcheck disable=SC2034
cd -P -- "${_lib%lib}." && DO_DIR=$PWD PROJECT_DIR=${PWD%/*} CONFIG_FILE=$PWD/config
cd -- "$_cwd" || exit

_mark='' _guard=none _targets=all _set=
while IFS=$' \t' read -r _hash _key _value; do
  case $_mark$_hash$_key in
    '#@mlcc-script') _mark=@ ;;
    '@#guard:') _guard=$_value ;;
    '@#targets:') _targets=$_value ;;
    '#'* | '@#'* | @ | '') ;;
    *) break ;;
  esac
done <"$_VERB_FILE"
for _arg; do
  case $_arg in
    --) break ;;
    -h | --help) _cold _help ;;
    --set | --set=*) _set=1 ;;
  esac
done

case $OSTYPE in msys | cygwin) _cold _fail_windows ;; esac
_region=${AWS_REGION:-${AWS_DEFAULT_REGION:-}}
[[ -f $CONFIG_FILE && -r $CONFIG_FILE ]] || _cold _fail_config
IFS= read -r -d '' _text <"$CONFIG_FILE" || :
case $_text in
  *$'\r\n'*) _cold _source_crlf "$_text" ;;
  *) . "$CONFIG_FILE" ;;
esac
if [[ -n $_set${!MLCC_SET_*} ]]; then
  _cold _override "$@"
  set -- ${_ARGS[@]+"${_ARGS[@]}"}
fi
export AWS_PAGER='' AWS_REGION="${AWS_REGION:-$_region}"
export AWS_DEFAULT_REGION="$AWS_REGION"

if declare -F parse_arguments >/dev/null; then parse_arguments "$@"; fi
[[ $_targets == all ]] || { _active_target && [[ " $_TARGET_VERBS " == *" $_VERB "* ]]; } || _cold _check_targets "$_targets"
_require_guard "$_guard"
