# shellcheck shell=bash
# Names of what a deploy creates: the same in deploy, clean and status, on every machine.

. "$DO_DIR/lib/messages.sh"

# _resource_name [SUFFIX] - sets _NAME to PROJECT_NAME-SUFFIX when it has at most 63 characters, the limit of SageMaker's names and
# Kubernetes' labels; else a shorter name with a hash of the whole in it. Returns 1 after saying why when a part
# cannot stand in a name.
_resource_name() {
  local LC_ALL=C suffix=${1:-} name hash room
  name=${PROJECT_NAME:-}${suffix:+-$suffix}
  if [[ -z ${PROJECT_NAME:-} || ! $name =~ ^[a-zA-Z0-9](-*[a-zA-Z0-9])*$ ]]; then
    _failure "\"$name\" cannot be a resource's name" \
      'names have letters, digits and inner hyphens; they start with PROJECT_NAME' 'correct PROJECT_NAME in do/config'
    return 1
  fi
  if ((${#name} > 63)); then
    hash=$(printf %s "$name" | cksum) || return
    hash=$(printf %08x "${hash%% *}")
    if ((${#suffix} > 40)); then suffix=''; fi # then the hash alone tells names apart
    room=$((63 - 9 - ${#suffix} - (${#suffix} > 0)))
    name=${name:0:room}
    while [[ $name == *- ]]; do name=${name%-}; done
    name=$name-$hash${suffix:+-$suffix}
  fi
  _NAME=$name
}
