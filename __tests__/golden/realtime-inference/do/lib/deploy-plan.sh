# shellcheck shell=bash
# Shows what a run of do/deploy is about to do.

# PLAN: the settings and their sources, for --dry-run
_show_plan() {
  local setting rest
  printf 'Dry run: nothing is called, nothing is written.\n\n%s\n\nSettings of %s:\n' "$1" "$_TARGET"
  for setting in ${_SETTINGS[@]+"${_SETTINGS[@]}"}; do
    rest=${setting#* }
    _source_words "${rest%% *}"
    printf '  %s=%s  (%s)\n' "${setting%% *}" "${rest#* }" "$_WORDS"
  done
  if [[ -d $DO_DIR/overlays/$_TARGET ]]; then printf 'Overlays: do/overlays/%s\n' "$_TARGET"; fi
  printf '\nCalls:\n'
}

# SOURCE -> _WORDS
_source_words() {
  case $1 in
    config) _WORDS=do/config ;;
    set) _WORDS='--set or MLCC_SET_' ;;
    answers-file) _WORDS='answers file' ;;
    unset) _WORDS='not set' ;;
    *) _WORDS=$1 ;;
  esac
}

# Where the selected target's deployment is, as recorded.
_show_place() {
  local what
  for what in ENDPOINT CLUSTER CONTEXT NAMESPACE JOB; do
    _recorded "$what"
    if [[ -n $_RECORDED ]]; then _info "$what: $_RECORDED"; fi
  done
}
