# shellcheck shell=bash
# The pods behind the recorded workload. Both kinds of workload end in a Deployment: our own has the recorded name; the inference
# operator's has that name or is owned by the InferenceEndpointConfig of that name. Its selector tells the pods, so no label
# that an operator may choose is taken for granted.

. "$DO_DIR/lib/kubernetes-cluster.sh"
. "$DO_DIR/lib/records.sh"

# _find_workload - sets _WORKLOAD, the recorded name; 1 when nothing was created, 2 (explained) when there is no way to the cluster.
_find_workload() {
  _recorded CONTEXT
  [[ -n $_RECORDED ]] || return 1
  _recorded NAME
  _WORKLOAD=$_RECORDED
  [[ -n $_WORKLOAD ]] || return 1
  if ! command -v kubectl >/dev/null; then
    _failure 'kubectl is not installed' 'it talks to the cluster' 'https://kubernetes.io/docs/tasks/tools/'
    return 2
  fi
  _reconnect || return 2
}

# _find_pods - sets _DEPLOYMENT and _POD_SELECTOR; both are empty when there is no Deployment (yet). 1 after explaining a call that
# failed.
_find_pods() {
  local name owners selector
  # shellcheck disable=SC2016 # variables of the template
  local template='{{range .items}}{{.metadata.name}} ,{{range .metadata.ownerReferences}}{{.kind}}/{{.name}},{{end}} {{range $key, $value := .spec.selector.matchLabels}}{{$key}}={{$value}},{{end}}{{"\n"}}{{end}}'
  _DEPLOYMENT='' _POD_SELECTOR=''
  if ! _kube get deployments.apps -o "go-template=$template"; then
    _kube_failed "the pods of $_WORKLOAD cannot be looked up"
    return
  fi
  while IFS=' ' read -r name owners selector; do
    case $name$owners in
      "$_WORKLOAD,"* | *",InferenceEndpointConfig/$_WORKLOAD,"*) _DEPLOYMENT=$name _POD_SELECTOR=${selector%,} ;;
    esac
  done <<<"$_KUBE_OUT"
}

# _choose_pod - sets _POD to a pod that serves; 1 after saying what there is instead.
_choose_pod() {
  local name phase ready deleted seen=''
  # shellcheck disable=SC2016 # variables of the template
  local template='{{range .items}}{{.metadata.name}} {{.status.phase}} {{$ready := "False"}}{{range .status.conditions}}{{if eq .type "Ready"}}{{$ready = .status}}{{end}}{{end}}{{$ready}} {{with .metadata.deletionTimestamp}}{{.}}{{else}}-{{end}}{{"\n"}}{{end}}'
  _find_pods || return
  _KUBE_OUT=''
  if [[ -n $_POD_SELECTOR ]] && ! _kube get pods --selector "$_POD_SELECTOR" -o "go-template=$template"; then
    _kube_failed "the pods of $_WORKLOAD cannot be looked up"
    return
  fi
  while IFS=' ' read -r name phase ready deleted; do
    if [[ $ready == True && $deleted == - ]]; then
      _POD=$name
      return 0
    fi
    if [[ -n $name ]]; then seen="$seen${seen:+$'\n'}$name: $phase, not ready"; fi
  done <<<"$_KUBE_OUT"
  _failure "no pod of $_WORKLOAD is ready" "${seen:-there is no pod}" 'do/status and do/logs show more'
  return 1
}

# _list_containers - sets _CONTAINERS, a line for each container of the pods: `POD CONTAINER RESTARTS READY STATE LAST`, with READY
# true or false, STATE running, terminated or waiting, and LAST yes when it has ended before. 1 after explaining.
_list_containers() {
  # shellcheck disable=SC2016 # variables of the template
  local container='{{$pod}} {{.name}} {{.restartCount}} {{.ready}} {{with .state}}{{if .running}}running{{else if .terminated}}terminated{{else}}waiting{{end}}{{else}}waiting{{end}} {{with .lastState}}{{if .terminated}}yes{{end}}{{end}}{{"\n"}}'
  _CONTAINERS=''
  [[ -n $_POD_SELECTOR ]] || return 0
  if ! _kube get pods --selector "$_POD_SELECTOR" -o \
    "go-template={{range .items}}{{\$pod := .metadata.name}}{{range .status.initContainerStatuses}}$container{{end}}{{range .status.containerStatuses}}$container{{end}}{{end}}"; then
    _kube_failed "the pods of $_WORKLOAD cannot be looked up"
    return
  fi
  _CONTAINERS=$_KUBE_OUT
}

# _show_pods - what the cluster says about the workload and its pods, for people.
_show_pods() {
  if [[ -n $_POD_SELECTOR ]] && _kube get pods --selector "$_POD_SELECTOR" -o wide && [[ -n $_KUBE_OUT ]]; then
    printf '%s\n' "$_KUBE_OUT" >&2
  else
    _info "there are no pods of $_WORKLOAD"
  fi
  _kube get events --sort-by=.lastTimestamp \
    -o 'jsonpath={range .items[*]}{.type}: {.involvedObject.kind}/{.involvedObject.name}: {.reason}: {.message}{"\n"}{end}' || return 0
  # Those of this workload's objects alone.
  printf '%s\n' "$_KUBE_OUT" | grep -F -e "/$_WORKLOAD" -e "/${_DEPLOYMENT:-$_WORKLOAD}" | tail -n 20 >&2 || :
}
