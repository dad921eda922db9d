# shellcheck shell=bash
# What this run of do/deploy was asked to do. python/deploy_request.py reads and checks it; here its lines become variables.

# ARGUMENTS: selects the target. -> _SWITCHES (words), _FLAGS (the settings' flags that were given), _TARGET_SOURCE
_read_request() {
  local line name
  _ask_python target "$CONFIG_FILE" "$@"
  _SWITCHES=' ' _FLAGS='' _TARGET_SOURCE='' name=''
  while IFS= read -r line; do
    case $line in
      'option '*) _SWITCHES="$_SWITCHES${line#* } " ;;
      'flag '*) _FLAGS="$_FLAGS --${line#* }" ;;
      'source '*) _TARGET_SOURCE=${line#* } ;;
      'target '*) name=${line#* } ;;
    esac
  done <<<"$_LINES"
  # Only --status does without.
  [[ -n $name ]] || return 0
  _select_target "$name" || _fail "do/lib/targets.sh does not know $name" \
    'its descriptor was added after the project was rendered' 'mlcc check --fix'
}

# NAME: whether a switch was given
_switch() { [[ $_SWITCHES == *" $1 "* ]]; }

# missing|anew ARGUMENTS: resolves every setting of the target, asks for what it must, and exports them.
# -> _SETTINGS (`NAME SOURCE VALUE` each), _ANSWERS (`NAME VALUE` each, to be stored)
_read_settings() {
  local asking=$1 line rest
  shift
  _ask_python settings "$CONFIG_FILE" "$_TARGET" "$asking" "$@"
  _SETTINGS=() _ANSWERS=()
  while IFS= read -r line; do
    rest=${line#* }
    case $line in
      'setting '*)
        _SETTINGS+=("$rest")
        line=${rest#* }
        export "${rest%% *}=${line#* }"
        ;;
      'store '*) _ANSWERS+=("$rest") ;;
    esac
  done <<<"$_LINES"
  export AWS_DEFAULT_REGION=$AWS_REGION
}

# NAME SOURCE VALUE: a setting that this run has for itself
_use_setting() {
  local setting kept=()
  for setting in ${_SETTINGS[@]+"${_SETTINGS[@]}"}; do
    [[ $setting == "$1 "* ]] || kept+=("$setting")
  done
  _SETTINGS=(${kept[@]+"${kept[@]}"} "$1 $2 $3")
  export "$1=$3"
}

# Stores the answers, so that a rerun does not ask again, also after a failed check: values that somebody gave for good
# and the target as the one in focus. What `--set` or a default gave is not stored.
_store_answers() {
  local answer
  case $_TARGET_SOURCE in
    set | config) ;;
    *) _store_answer DEPLOYMENT_TARGET "$_TARGET" ;;
  esac
  for answer in ${_ANSWERS[@]+"${_ANSWERS[@]}"}; do
    _store_answer "${answer%% *}" "${answer#* }"
  done
}

# KEY VALUE: only for DEPLOYMENT_TARGET and variables that a parameter declares
_store_answer() {
  local name=$1 value=$2 effective=${!1:-}
  _update_config "$name" "$value" || return
  # An answer that takes a value away leaves the default for this run.
  if [[ -z $value ]]; then export "$name=$effective"; fi
}

# ARGUMENTS -> _LINES: what python/deploy_request.py prints; ends the script when it refuses
_ask_python() {
  command -v python3 >/dev/null || _fail 'python3 is not installed' 'do/deploy needs Python 3.8 or newer' 'install it, and try again'
  local code=0
  _LINES=$(python3 "$DO_DIR/lib/python/deploy_request.py" "$@") || code=$?
  if ((code == 2)); then _reasons '' 'do/deploy --help'; fi
  ((code == 0)) || exit "$code"
}
