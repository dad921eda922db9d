# shellcheck shell=bash
# Questions on a terminal.

# Whether somebody can read a question and answer it.
_can_ask() { [[ -t 0 && -t 2 ]]; }

# QUESTION: yes or no; anything but a yes is a no
_confirm() {
  local answer=
  printf '%s [y/N] ' "$1" >&2
  IFS= read -r answer || printf '\n' >&2
  case $answer in [yY] | [yY][eE][sS]) ;; *) return 1 ;; esac
}

# QUESTION CHOICE...: -> _CHOICE, one of the choices by number or name; fails at the end of input
_choose() {
  local question=$1 number choice answer
  shift
  while :; do
    number=0
    for choice; do
      number=$((number + 1))
      printf '  %s) %s\n' "$number" "$choice" >&2
    done
    printf '%s ' "$question" >&2
    IFS= read -r answer || return 1
    number=0
    for choice; do
      number=$((number + 1))
      if [[ $answer == "$number" || $answer == "$choice" || $answer == "${choice%% *}" ]]; then
        _CHOICE=${choice%% *}
        return
      fi
    done
  done
}
