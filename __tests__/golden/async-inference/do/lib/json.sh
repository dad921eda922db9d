# shellcheck shell=bash
# JSON from the shell, built-ins only.

# TEXT: -> _JSON, the text as a JSON string
_json_string() {
  local LC_ALL=C rest=$1 head character code
  _JSON='"'
  while :; do
    head=${rest%%[\"\\[:cntrl:]]*}
    _JSON+=$head
    if [[ $head == "$rest" ]]; then break; fi
    rest=${rest#"$head"}
    character=${rest:0:1}
    rest=${rest:1}
    case $character in
      '"' | \\) _JSON+=\\$character ;;
      *)
        printf -v code '\\u%04x' "'$character"
        _JSON+=$code
        ;;
    esac
  done
  _JSON+='"'
}
