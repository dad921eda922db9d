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
