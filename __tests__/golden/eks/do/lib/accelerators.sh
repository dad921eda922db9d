# shellcheck shell=bash
# How many accelerators an instance type has, from the table beside this file.

# _accelerators_of INSTANCE_TYPE - sets _ACCELERATORS; 1 when the table does not know the type.
_accelerators_of() {
  local wanted=${1#ml.} pattern count
  _ACCELERATORS=''
  while read -r pattern count; do
    case $pattern in '#'* | '') continue ;; esac
    # shellcheck disable=SC2254 # the table holds patterns
    case $wanted in $pattern)
      _ACCELERATORS=$count
      return 0
      ;;
    esac
  done <"$DO_DIR/lib/accelerators.txt"
  return 1
}

# _resolve_accelerators COUNT VARIABLE TYPE... - sets _ACCELERATORS: the number that COUNT says or, for auto, what the
# instance types have; 1, the least that an engine needs, where no type is named. 2 after asking for a number, when the table does not know one or they differ.
_resolve_accelerators() {
  local count=$1 variable=$2 type found=''
  shift 2
  if [[ $count != auto ]]; then
    _ACCELERATORS=$count
    return 0
  fi
  for type in "$@"; do
    if [[ -z $type ]]; then
      _ACCELERATORS=1
      return 0
    fi
    if ! _accelerators_of "$type"; then
      _failure "how many accelerators $type has is not known" "$variable is auto" \
        'say how many each copy needs: --gpu-count NUMBER; or add the type to do/lib/accelerators.txt'
      return 2
    fi
    if [[ -n $found && $found != "$_ACCELERATORS" ]]; then
      _failure "the instance types have different numbers of accelerators" "$variable is auto, and the types are $*" \
        'say how many each copy needs: --gpu-count NUMBER'
      return 2
    fi
    found=$_ACCELERATORS
  done
}
