# shellcheck shell=bash
# The way to a cluster. Records: CLUSTER (as it was named), EKS_CLUSTER (the EKS cluster behind a HyperPod cluster),
# KUBECONFIG, CONTEXT. What is recorded wins: what was deployed is updated and cleaned where it is.

. "$DO_DIR/lib/aws.sh"
. "$DO_DIR/lib/kubectl.sh"

# _find_eks_cluster HYPERPOD-CLUSTER - sets _EKS_CLUSTER: the EKS cluster that it runs on.
_find_eks_cluster() {
  local tab=$'\t' state arn
  _EKS_CLUSTER=
  [[ ${DRY_RUN:-} != yes ]] || return 0
  if ! _aws sagemaker describe-cluster --cluster-name "$1" --query '[ClusterStatus,Orchestrator.Eks.ClusterArn]' --output text; then
    if [[ $_AWS_ERROR == not-found ]]; then
      _failure "there is no HyperPod cluster $1 in ${AWS_REGION:-this region}" "$_AWS_MESSAGE" \
        'aws sagemaker list-clusters shows which there are; name one with --cluster-name'
      return 1
    fi
    _aws_failed "the HyperPod cluster $1 cannot be looked up"
    return
  fi
  state=${_AWS_OUT%%"$tab"*} arn=${_AWS_OUT#*"$tab"}
  case $arn in
    arn:*:eks:*:cluster/?*) _EKS_CLUSTER=${arn##*/} ;;
    *)
      _failure "the HyperPod cluster $1 does not run on EKS" "its orchestrator is no EKS cluster (it is $state)" \
        'name a HyperPod cluster that EKS orchestrates with --cluster-name'
      return 1
      ;;
  esac
}

# _connect_eks CLUSTER EKS-CLUSTER - records the way to the cluster and makes a kubeconfig for it, in a file of our own.
_connect_eks() {
  local folder=$PROJECT_DIR/.mlcc/run file context
  file=$folder/kubeconfig-$_TARGET
  context="mlcc-$2"
  _record CLUSTER "$1" || return
  _record EKS_CLUSTER "$2" || return
  _record KUBECONFIG "$file" || return
  _record CONTEXT "$context" || return
  [[ ${DRY_RUN:-} != yes ]] || return 0
  (umask 077 && mkdir -p "$folder") || return
  if ! _aws eks update-kubeconfig --name "$2" --alias "$context" --kubeconfig "$file"; then
    if [[ $_AWS_ERROR == not-found ]]; then
      _failure "there is no EKS cluster $2 in ${AWS_REGION:-this region}" "$_AWS_MESSAGE" \
        'aws eks list-clusters shows which there are; name one with --cluster-name'
      return 1
    fi
    _aws_failed "the access to the EKS cluster $2 cannot be set up"
  fi
}

# _connect_ambient - records the context that kubectl uses here and now.
_connect_ambient() {
  local context
  # A dry run calls nothing.
  [[ ${DRY_RUN:-} != yes ]] || return 0
  if ! context=$(kubectl config current-context 2>&1); then
    _failure 'kubectl has no current context' "$context" 'name an EKS cluster with --cluster-name, or: kubectl config use-context NAME'
    return 1
  fi
  _record CONTEXT "$context" || return
  _record KUBECONFIG "${KUBECONFIG:-$HOME/.kube/config}"
}

# _reconnect - the recorded way again; a kubeconfig of our own that is not there (another machine, another folder) is made
# anew. 1 when nothing is recorded.
_reconnect() {
  local cluster file
  _recorded CONTEXT
  [[ -n $_RECORDED ]] || return
  _recorded CLUSTER
  cluster=$_RECORDED
  [[ -n $cluster ]] || return 0
  _recorded KUBECONFIG
  file=$_RECORDED
  [[ ! -f $file && ${DRY_RUN:-} != yes ]] || return 0
  _recorded EKS_CLUSTER
  _connect_eks "$cluster" "$_RECORDED"
}

# _keep_cluster NAME - says so when settings name another cluster than the one that was deployed to.
_keep_cluster() {
  _recorded CLUSTER
  [[ $_RECORDED == "$1" ]] && return
  _warn "the deployment stays on ${_RECORDED:-the context that it was made with}; for ${1:-the current context}, clean first: do/clean --target $_TARGET"
}
