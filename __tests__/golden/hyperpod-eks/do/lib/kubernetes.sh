# shellcheck shell=bash
# The steps that all targets on Kubernetes share. Records besides the cluster's: NAMESPACE, NAMESPACE_OWNED, NAME (of the
# workload and its objects), SECRET (with the tokens; a key is the name of the container's variable), ENDPOINT.
# The objects themselves are rendered, applied and deleted by mlcc.

. "$DO_DIR/lib/kubernetes-cluster.sh"
. "$DO_DIR/lib/names.sh"
. "$DO_DIR/lib/wait.sh"
. "$DO_DIR/lib/mlcc.sh"
. "$DO_DIR/lib/aws-preflight.sh"
. "$DO_DIR/lib/container-environment.sh"
. "$DO_DIR/lib/accelerators.sh"
. "$DO_DIR/lib/kubernetes-workload.sh"
. "$DO_DIR/lib/needed-settings.sh"

# _k8s_preflight - checks what every Kubernetes target needs. Changes nothing.
_k8s_preflight() {
  _k8s_refuse_overlays || return
  _need_image || return
  _k8s_resolve_size || return
  _check_container_environment || return
  if ! command -v kubectl >/dev/null; then
    _failure 'kubectl is not installed' 'it talks to the cluster' 'https://kubernetes.io/docs/tasks/tools/'
    return 1
  fi
  _require_mlcc_deploy
}

# An overlay changes the request of an AWS call; nothing would read one of a Kubernetes target.
_k8s_refuse_overlays() {
  local file
  for file in "$DO_DIR/overlays/$_TARGET"/*; do
    [[ -e $file ]] || continue
    _failure 'an overlay cannot be used' "$file: Kubernetes objects have no overlays" \
      'remove the file; do/deploy --help lists the settings, do/deploy --dry-run shows the objects'
    return 2
  done
}

# _k8s_apply - namespace, tokens and objects on the recorded cluster, until the model serves.
_k8s_apply() {
  _k8s_resolve_size || return
  _k8s_name || return
  if [[ ${DRY_RUN:-} == yes ]]; then
    _find_mlcc || return
    _mlcc_deploy render --no-pin
    return
  fi
  _k8s_ensure_namespace || return
  _k8s_ensure_secret || return
  _k8s_apply_workload
}

# _k8s_clean - the objects, the tokens, and the namespace where it is ours, each until it is gone.
_k8s_clean() {
  if ! _reconnect; then
    _info 'no cluster is recorded: nothing was created'
    return 0
  fi
  _find_mlcc || return
  _recorded NAME
  if [[ -n $_RECORDED ]]; then _k8s_delete_workload || return; fi
  _recorded SECRET
  if [[ -n $_RECORDED ]]; then
    _k8s_delete secret "$_RECORDED" || return
    _record SECRET '' || return
  fi
  _k8s_delete_namespace || return
  _recorded KUBECONFIG
  if [[ $_RECORDED == "$PROJECT_DIR/.mlcc/run/"* && ${DRY_RUN:-} != yes ]]; then rm -f "$_RECORDED"; fi
}

# Replaces "auto" in HP_GPU_COUNT by a number.
_k8s_resolve_size() {
  _resolve_accelerators "${HP_GPU_COUNT:-auto}" HP_GPU_COUNT "${INSTANCE_TYPE:-}" || return
  export HP_GPU_COUNT=$_ACCELERATORS
}

# Records names before anything is created under them; a recorded one stays.
_k8s_name() {
  _recorded NAMESPACE
  if [[ -z $_RECORDED ]]; then
    _record NAMESPACE "${HP_NAMESPACE:-default}" || return
  elif [[ $_RECORDED != "${HP_NAMESPACE:-default}" ]]; then
    _warn "the deployment stays in the namespace $_RECORDED; for ${HP_NAMESPACE:-default}, clean first: do/clean --target $_TARGET"
  fi
  _recorded NAME
  [[ -z $_RECORDED ]] || return 0
  _resource_name "$_TARGET" || return
  _record NAME "$_NAME" || return
  if [[ $_TARGET_ENDPOINT == yes ]]; then _record ENDPOINT "$_NAME"; fi
}

# Whose an object is, as its labels say: MANAGER/PROJECT.
_K8S_OWNER='{.metadata.labels.app\.kubernetes\.io/managed-by}/{.metadata.labels.app\.kubernetes\.io/part-of}'

_k8s_ensure_namespace() {
  local namespace status=0
  _recorded NAMESPACE
  namespace=$_RECORDED
  if _kube get namespace "$namespace" -o "jsonpath=$_K8S_OWNER"; then
    # Made for another target of this project, or by a run whose records are gone: the last one that leaves takes it along.
    if [[ $_KUBE_OUT == "mlcc/$PROJECT_NAME" ]]; then _record NAMESPACE_OWNED yes; fi
    return
  fi
  if [[ $_KUBE_ERROR != not-found ]]; then
    # Many may use a namespace without being allowed to look at it; what is created in it will tell.
    [[ $_KUBE_ERROR != forbidden ]] || return 0
    _kube_failed "the namespace $namespace cannot be looked up"
    return
  fi
  _record NAMESPACE_OWNED yes || return
  _announce "Creating the namespace $namespace"
  _KUBE_INPUT="{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"$namespace\",\"labels\":{$(_k8s_labels)}}}"
  _kube create -f - || status=$?
  _KUBE_INPUT=''
  if [[ $status != 0 && $_KUBE_ERROR != exists ]]; then _kube_failed "the namespace $namespace could not be created"; fi
}

# The tokens from Secrets Manager, by pipes from there to the cluster. (Server-side apply: a client-side one would leave a
# copy in an annotation.)
_k8s_ensure_secret() {
  local name status=0
  _fetch_secrets || return
  [[ ${#_SECRET_NAMES[@]} -gt 0 ]] || return 0
  _recorded NAME
  name=$_RECORDED-tokens
  _record SECRET "$name" || return
  _announce "Storing the tokens in the secret $name"
  _recorded NAMESPACE
  _KUBE_INPUT=$(_print_secrets | python3 "$DO_DIR/lib/python/kubernetes_secret.py" "$name" "$_RECORDED" "$PROJECT_NAME" "$_TARGET") || return
  _SECRET_NAMES=() _SECRET_TEXTS=()
  _kube apply --server-side --force-conflicts --field-manager=mlcc -f - || status=$?
  _KUBE_INPUT=''
  [[ $status == 0 ]] || _kube_failed "the secret $name could not be stored"
}

# A namespace that we made goes when nothing of others is in it.
_k8s_delete_namespace() {
  local namespace tenants
  _recorded NAMESPACE_OWNED
  [[ $_RECORDED == yes ]] || return 0
  _recorded NAMESPACE
  namespace=$_RECORDED
  if ! _kube get namespace "$namespace" -o "jsonpath=$_K8S_OWNER"; then
    [[ $_KUBE_ERROR == not-found ]] || _kube_failed "the namespace $namespace cannot be looked up"
    return
  fi
  if [[ $_KUBE_OUT != "mlcc/$PROJECT_NAME" ]]; then
    _warn "the namespace $namespace stays: its labels say that it is not this project's"
    return 0
  fi
  if ! _kube get deployments,statefulsets,daemonsets,jobs,services,persistentvolumeclaims,pods -o name; then
    _kube_failed "what is in the namespace $namespace cannot be listed"
    return
  fi
  tenants=${_KUBE_OUT//$'\n'/ }
  if [[ -n $tenants ]]; then
    _warn "the namespace $namespace stays: others use it ($tenants)"
    return 0
  fi
  _k8s_delete namespace "$namespace"
}

# KIND NAME: deletes it and waits until it is gone
_k8s_delete() {
  if [[ ${DRY_RUN:-} == yes ]]; then
    printf 'kubectl delete %s %s\n' "$1" "$2"
    return 0
  fi
  if ! _kube delete "$1" "$2" --ignore-not-found --wait=false; then
    [[ $_KUBE_ERROR == not-found ]] || _kube_failed "the $1 $2 could not be deleted"
    return
  fi
  _wait_for "the $1 $2" "${DEPLOY_TIMEOUT:-3600}" _k8s_is_gone "$1" "$2" || return 1
}

# A probe for _wait_for: 0 gone, 1 not yet, 2 it will not go.
_k8s_is_gone() {
  if _kube get "$1" "$2" -o name; then
    _WAIT_STATE='being deleted'
    return 1
  fi
  if [[ $_KUBE_ERROR == not-found ]]; then
    _WAIT_STATE=gone
    return 0
  fi
  _k8s_probe_failed
}

_k8s_probe_failed() {
  _kube_advice
  _WAIT_STATE='a call to the cluster failed' _WAIT_REASON="$_KUBE_MESSAGE"$'\n'"-> $_KUBE_ADVICE"
  return 2
}

# The labels of everything that is deployed, as members of a JSON object.
_k8s_labels() {
  printf '"app.kubernetes.io/managed-by":"mlcc","app.kubernetes.io/part-of":"%s","app.kubernetes.io/component":"%s"' "$PROJECT_NAME" "$_TARGET"
}
