# shellcheck shell=bash
# How the model is served, in words that fit every target and engine: SERVING_* from do/config. Source it when the values are
# needed; it can be sourced again and again, ends no script and forks nothing. The values are never stored.

# LIBRARY-FOLDER: sets the SERVING_* variables
_resolve_serving_config() {
  local lib=$1 source='' model IFS=' '
  _ENGINE_QUANTIZATION='' _ENGINE_TENSOR_PARALLEL='' _ENGINE_MAX_MODEL_LEN='' _ENGINE_KV_CACHE_DTYPE=''
  . "$lib/engines.sh" "${MODEL_SERVER:-}" || :
  SERVING_DEPLOYMENT_TARGET=${DEPLOYMENT_TARGET:-}
  if . "$lib/targets.sh" "$SERVING_DEPLOYMENT_TARGET"; then
    # shellcheck disable=SC2086 # a record is words without wildcards
    set -- $_TARGET_RECORD
    SERVING_DEPLOYMENT_TARGET=$1 source=$8
  fi

  model=${MODEL_NAME:-}
  case $model in s3://*/*) model=${model#s3://*/} ;; esac
  model=${model#models/}
  model=${model%/}
  SERVING_MODEL_NAME=${HF_MODEL_ID:-$model}

  if [[ $source == kubernetes ]]; then
    SERVING_INSTANCE_TYPE=${BENCHMARK_INSTANCE_TYPE:-${HP_INSTANCE_TYPE:-${INSTANCE_TYPE:-}}}
    _first_value "$_ENGINE_QUANTIZATION"
    SERVING_QUANTIZATION=$_VALUE
    _first_value "$_ENGINE_TENSOR_PARALLEL" HP_GPU_COUNT
    SERVING_TENSOR_PARALLEL=$_VALUE
  else
    SERVING_INSTANCE_TYPE=${DEPLOYED_INSTANCE_TYPE:-${INSTANCE_TYPE:-}}
    _first_value "IC_ENV_$_ENGINE_QUANTIZATION" "$_ENGINE_QUANTIZATION"
    SERVING_QUANTIZATION=$_VALUE
    _first_value "IC_ENV_$_ENGINE_TENSOR_PARALLEL" "$_ENGINE_TENSOR_PARALLEL"
    SERVING_TENSOR_PARALLEL=$_VALUE
  fi
  _first_value "IC_ENV_$_ENGINE_MAX_MODEL_LEN" "$_ENGINE_MAX_MODEL_LEN"
  SERVING_MAX_MODEL_LEN=$_VALUE
  _first_value "IC_ENV_$_ENGINE_KV_CACHE_DTYPE" "$_ENGINE_KV_CACHE_DTYPE"
  SERVING_KV_CACHE_DTYPE=${_VALUE:-auto}

  SERVING_QUANTIZATION=${SERVING_QUANTIZATION:-none}
  [[ $SERVING_TENSOR_PARALLEL =~ ^0*[1-9][0-9]*$ ]] || SERVING_TENSOR_PARALLEL=1
  [[ $SERVING_MAX_MODEL_LEN =~ ^0*[1-9][0-9]*$ ]] || SERVING_MAX_MODEL_LEN=''
  export SERVING_DEPLOYMENT_TARGET SERVING_MODEL_NAME SERVING_INSTANCE_TYPE SERVING_QUANTIZATION
  export SERVING_TENSOR_PARALLEL SERVING_MAX_MODEL_LEN SERVING_KV_CACHE_DTYPE
}

# NAME...: -> _VALUE, the first one that is not empty; an engine without the variable has given no name
_first_value() {
  local name
  _VALUE=''
  for name; do
    case $name in '' | IC_ENV_) continue ;; esac
    _VALUE=${!name:-}
    if [[ -n $_VALUE ]]; then return; fi
  done
}

_resolve_serving_config "${BASH_SOURCE[0]%/*}"
