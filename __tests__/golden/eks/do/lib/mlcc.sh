# shellcheck shell=bash
# The mlcc command, which renders, applies and deletes Kubernetes objects.

. "$DO_DIR/lib/messages.sh"

# _find_mlcc - sets _MLCC, the words that start it: $MLCC, else the one on the PATH, else the version that made this project
# through npx. 1 after saying how to install it.
_find_mlcc() {
  local version
  if [[ -n ${MLCC:-} ]]; then
    _MLCC=("$MLCC")
  elif command -v mlcc >/dev/null; then
    _MLCC=(mlcc)
  elif command -v npx >/dev/null && version=$(_project_version); then
    _MLCC=(npx --yes -p "generator-mlcc@$version" mlcc)
  else
    _failure 'the mlcc command is not installed' 'Kubernetes targets need it to render and apply their objects' \
      'npm install --global generator-mlcc; or set MLCC to the path of the command'
    return 1
  fi
}

# _require_mlcc_deploy - that there is an mlcc that can deploy to Kubernetes.
_require_mlcc_deploy() {
  local said
  _find_mlcc || return
  said=$("${_MLCC[@]}" deploy apply --help 2>&1 </dev/null) && return
  _failure "this mlcc cannot deploy to Kubernetes: \"${_MLCC[*]} deploy apply\" does not work" "$said" \
    'install a version of generator-mlcc that has mlcc deploy, or set MLCC to the path of one'
  return 1
}

# _mlcc_deploy render|apply|delete ARGUMENT... - the objects of the selected target, with the settings of this run and the
# records, which stand in do/config only after a deploy.
_mlcc_deploy() {
  local what settings=("MLCC_SET_DEPLOYMENT_TARGET=$_TARGET")
  for what in KUBECONFIG CONTEXT NAMESPACE NAME SECRET ENDPOINT; do
    _recorded "$what"
    settings+=("MLCC_SET_DEPLOYMENT_TARGET_${_TARGET_TAG}_$what=$_RECORDED")
  done
  for what in ECR_IMAGE_URI HP_GPU_COUNT; do settings+=("MLCC_SET_$what=${!what:-}"); done
  _recorded KUBECONFIG
  if [[ -n $_RECORDED ]]; then settings+=("KUBECONFIG=$_RECORDED"); fi
  env "${settings[@]}" "${_MLCC[@]}" deploy "$1" --project "$PROJECT_DIR" "${@:2}" </dev/null
}

_project_version() {
  python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["generator-mlcc"]["version"])' \
    "$PROJECT_DIR/.yo-rc.json" 2>/dev/null
}
