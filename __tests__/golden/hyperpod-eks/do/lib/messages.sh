# shellcheck shell=bash
# The one place that words lines for people. All of them go to stderr, so that stdout holds results alone.

# FD: whether colour and symbols may be written there
_is_rich() {
  [[ -z ${NO_COLOR:-} && ${TERM:-} != dumb && -t $1 ]] || return 1
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]-8* | *[Uu][Tt][Ff]8*) ;;
    *) return 1 ;;
  esac
}

# RICH-PREFIX PLAIN-PREFIX TEXT: one line
_line() {
  if _is_rich 2; then printf '%b%s\033[0m\n' "$1" "$3" >&2; else printf '%s%s\n' "$2" "$3" >&2; fi
}

# TEXT: a part of the work begins
_step() { _line '\033[1m▸ ' '==> ' "$1"; }

# TEXT: a detail of the step
_info() { _line '  ' '    ' "$1"; }

# TEXT: the work is done
_success() { _line '\033[32m✅ ' 'Done: ' "$1"; }

# TEXT: worth knowing, and the work goes on
_warn() { _line '\033[33m⚠️  ' 'Warning: ' "$1"; }

# WHAT [WHY [NEXT]]: what happened, why, and what to type next
_failure() {
  _line '\033[31m❌ ' 'Error: ' "$1"
  _reasons "${@:2}"
}

# [WHY [NEXT]]: the lines below a failure's first one
_reasons() {
  if [[ -n ${1:-} ]]; then printf '%s\n' "$1" >&2; fi
  if [[ -n ${2:-} ]]; then _line '→ ' '-> ' "$2"; fi
}

# WHAT [WHY [NEXT]]: the same, and the script ends: it ran and failed
_fail() {
  _failure "$@"
  exit 1
}
