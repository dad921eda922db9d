# shellcheck shell=bash
# The person's own profile as _PROFILE_<key> variables: read-only values for the verbs, such as _PROFILE_ecrRepositoryName.
# They come through a file that bash can source, made anew only when the profile is newer: no fork when it is current.
# Without a profile, or with one that cannot be read (which is said), there are none.

_load_profile() {
  local json=${XDG_CONFIG_HOME:-${HOME:-}/.config}/mlcc/config.json
  local cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/mlcc/profile.sh
  [[ -f $json ]] || json=${HOME:-}/.ml-container-creator/config.json
  [[ -f $json ]] || return 0
  _PROFILE_SOURCE=''
  if [[ -O $cache && $cache -nt $json ]]; then . "$cache"; fi
  [[ $_PROFILE_SOURCE == "$json" ]] || _rebuild_profile "$json" "$cache"
}

# JSON CACHE: where the cache cannot be written, the values are used all the same
_rebuild_profile() {
  local lines
  if ! lines=$(python3 "$DO_DIR/lib/python/profile_cache.py" "$1" "$2"); then
    . "$DO_DIR/lib/messages.sh"
    _warn "your profile $1 is not used"
    return 0
  fi
  eval "$lines"
}

_load_profile
