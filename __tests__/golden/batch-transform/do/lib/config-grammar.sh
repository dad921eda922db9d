# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # these functions share the locals of the caller in config-store.sh
# shellcheck disable=SC1003,SC2016 # a $ or a backslash between single quotes is meant
# The grammar of do/config: `export KEY='value'` lines, and what people and older tools write instead.
# Sourced by config-store.sh, which declares: lines, count (the file) and kind, last, key, value, computed, comment
# (the statement parsed last). The same grammar is in config_grammar.py and in the mlcc command; LC_ALL is C here.

_CONFIG_READONLY_NAMES='BASHOPTS BASH_VERSINFO EUID PPID SHELLOPTS UID'

# NAME: whether a sourced file can set such a variable
_config_is_key() {
  case $1 in '' | [0-9]* | *[!A-Za-z0-9_]*) return 1 ;; esac
  case " $_CONFIG_READONLY_NAMES " in *" $1 "*) return 1 ;; esac
}

# KEY VALUE -> new_line: the one shape that is written
_config_line() {
  local rest=$2
  new_line="export $1='"
  while [[ $rest == *"'"* ]]; do
    new_line+=${rest%%"'"*}"'\\''"
    rest=${rest#*"'"}
  done
  new_line+="$rest'"
}

# FILE -> lines, count; without the carriage returns and the byte order mark that editors leave
_config_load() {
  local line=''
  if IFS= read -r -d '' line <"$1"; then
    printf '%s is not a text file: it holds a NUL byte\n' "$1" >&2
    return 1
  fi
  lines=() count=0 line=''
  while IFS= read -r line || [[ -n $line ]]; do
    [[ $count -gt 0 ]] || line=${line#$'\xef\xbb\xbf'}
    lines[count]=${line%$'\r'}
    count=$((count + 1))
  done <"$1"
}

# INDEX: parses the statement that begins on this line -> kind (blank, code or entry), last (its last line's index)
# and for an entry key, value, computed (1 when only a shell knows the value), comment (with the blanks before it).
# An indented assignment below code may be part of it (an `if`, say) and counts as code.
_config_parse() {
  local rest=${lines[$1]} indent command=''
  kind=blank last=$1 value='' computed='' comment=''
  indent=${rest%%[![:blank:]]*}
  rest=${rest#"$indent"}
  case $rest in '' | '#'*) return 0 ;; esac
  if [[ -n $indent && $in_code ]] || ! _config_parse_assignment; then
    kind=code last=$1 in_code=1
  else
    kind=entry in_code=''
  fi
}

_config_parse_assignment() {
  case $rest in
    export[[:blank:]]*) rest=${rest#export} rest=${rest#"${rest%%[![:blank:]]*}"} ;;
  esac
  case $rest in *=*) ;; *) return 1 ;; esac
  key=${rest%%=*} rest=${rest#*=}
  case $key in '' | [0-9]* | *[!A-Za-z0-9_]*) return 1 ;; esac
  case ${rest#\'} in
    "$rest" | *\'*\') ;;
    *\') # the shape that is written: nothing to follow
      value=${rest#\'} value=${value%\'}
      return 0
      ;;
  esac
  if ! _config_word; then
    computed=1
    [[ -n $command ]]
    return $?
  fi
  comment=$rest
  case $rest in
    [[:blank:]]*'#'*) case ${rest#"${rest%%[![:blank:]]*}"} in '#'*) return 0 ;; *) return 1 ;; esac ;;
  esac
  comment=''
  case $rest in *[![:blank:]]*) return 1 ;; esac
}

# Takes one word from rest -> value, by bash's rules of quoting; fails when it is no data
_config_word() {
  local run
  case $rest in '~'*) computed=1 ;; esac
  while :; do
    run=${rest%%[[:blank:]\'\"\\\$\`\{\;\&\|\<\>\(\)]*}
    case $run in *:'~'*) computed=1 ;; esac
    value+=$run rest=${rest#"$run"}
    case $rest in
      '' | [[:blank:]]*) return 0 ;;
      '{'*) computed=1 rest=${rest#?} ;; # braces expand behind export
      [\'\"\\\$\`]*) _config_unquoted || return 1 ;;
      *) return 1 ;;
    esac
  done
}

# One quote, backslash or expansion outside double quotes
_config_unquoted() {
  case $rest in
    \'*) rest=${rest#?} && _config_single ;;
    \"*) rest=${rest#?} && _config_double ;;
    \\*) _config_escaped any ;;
    *) _config_expansion '' ;;
  esac
}

# Appends the next line to rest
_config_more() {
  last=$((last + 1))
  [[ $last -lt $count ]] || return 1
  rest+=$'\n'${lines[last]}
}

# CHARACTER: takes text up to it -> taken
_config_until() {
  while [[ $rest != *"$1"* ]]; do _config_more || return 1; done
  taken=${rest%%"$1"*} rest=${rest#*"$1"}
}

_config_single() {
  local taken
  _config_until "'" && value+=$taken
}

_config_double() {
  local run
  while :; do
    run=${rest%%[\"\\\$\`]*}
    value+=$run rest=${rest#"$run"}
    case $rest in
      '') _config_more_text || return 1 ;;
      \"*) rest=${rest#?} && return 0 ;;
      \\*) _config_escaped '$`"\' || return 1 ;;
      *) _config_expansion quoted || return 1 ;;
    esac
  done
}

# The line has ended inside quotes: the line end belongs to the value
_config_more_text() {
  _config_more && value+=$'\n' && rest=${rest#?}
}

# SPECIAL: behind a backslash, which goes when it stands before one of these characters (any: before all)
_config_escaped() {
  local next
  rest=${rest#?}
  if [[ -z $rest ]]; then
    # Outside quotes a continued line can move a tilde or a brace to where it expands.
    [[ $1 != any ]] || computed=1
    _config_more && rest=${rest#?}
    return $?
  fi
  # In the C locale a character is a byte; a multi-byte one has no special first byte.
  next=${rest:0:1} rest=${rest#?}
  [[ $1 == any || $1 == *"$next"* ]] || value+='\'
  value+=$next
}

# QUOTED: at $ or a backtick. Only ${KEY:-default} of this very key has a value that needs no shell.
_config_expansion() {
  local taken default="\${$key:-"
  # A continued line changes what the dollar stands before.
  [[ $rest != '$\' ]] || computed=1
  case $rest in
    '`'* | '$('*) command=1 && return 1 ;;
    "$default"*)
      rest=${rest#"$default"}
      if [[ $1 ]]; then _config_quoted_default; else _config_unquoted_default; fi
      ;;
    '${'*) computed=1 && _config_until '}' ;;
    '$'[A-Za-z0-9_?!#@*\$[-]*) computed=1 rest=${rest#?} ;;
    \$[\'\"]*)
      rest=${rest#?}
      if [[ $1 ]]; then value+='$'; else computed=1; fi
      ;;
    *) value+='$' rest=${rest#?} ;;
  esac
}

_config_unquoted_default() {
  local run
  case $rest in '~'*) computed=1 ;; esac
  while :; do
    run=${rest%%[\'\"\\\$\`\}]*}
    value+=$run rest=${rest#"$run"}
    case $rest in
      '') _config_more_text || return 1 ;;
      '}'*) rest=${rest#?} && return 0 ;;
      *) _config_unquoted || return 1 ;;
    esac
  done
}

# In "${KEY:-...}" single quotes must pair up but stay, and double quotes go.
_config_quoted_default() {
  local run taken
  while :; do
    run=${rest%%[\'\"\\\$\`\}]*}
    value+=$run rest=${rest#"$run"}
    case $rest in
      '') _config_more_text || return 1 ;;
      '}'*) rest=${rest#?} && return 0 ;;
      \"*) rest=${rest#?} && _config_double || return 1 ;;
      \'*)
        rest=${rest#?}
        _config_until "'" || return 1
        case $taken in *[\"\\\$\`\}]*) computed=1 ;; esac
        value+="'$taken'"
        ;;
      \\*) _config_escaped '$`"\}' || return 1 ;;
      *) _config_expansion quoted || return 1 ;;
    esac
  done
}

# KEY -> value; fails when the file has none that can be read without a shell
_config_find() {
  local index=0 in_code='' last kind key computed comment found='' found_value=''
  while [[ $index -lt $count ]]; do
    _config_parse "$index"
    if [[ $kind == entry && $key == "$1" ]]; then
      found=1 found_value=$value
      [[ -z $computed ]] || found=''
    fi
    index=$((last + 1))
  done
  value=$found_value
  [[ -n $found ]]
}

# KEY [LINE] -> contents: the file's text with LINE where KEY stands first (without LINE: with KEY dropped).
# Every other line stays, and so do the comments behind dropped values. Fails when nothing would change.
_config_edit() {
  local index=0 in_code='' last kind key value computed comment
  local head='' tail='' found='' own_comment='' overruled='' before=''
  while [[ $index -lt $count ]]; do
    _config_parse "$index"
    if [[ $kind == entry && $key == "$1" ]]; then
      if [[ -z $found && $# -gt 1 ]]; then
        own_comment=$comment
      elif [[ -n $comment ]]; then
        tail+=${comment#"${comment%%[![:blank:]]*}"}$'\n'
      fi
      if [[ -z $found ]]; then found=1 head=$tail tail=''; fi
    elif [[ $kind == code && -n $found ]]; then
      # Code below that assigns the key would win over the entry in its old place.
      case ${lines[index]} in "$1="* | *[!A-Za-z0-9_]"$1="*) overruled=1 ;; esac
    fi
    while [[ $index -le $last ]]; do
      before+=${lines[index]}$'\n'
      [[ $kind == entry && $key == "$1" ]] || tail+=${lines[index]}$'\n'
      index=$((index + 1))
    done
  done
  contents=$head$tail
  if [[ $# -gt 1 ]]; then
    if [[ -z $found || -n $overruled ]]; then
      contents+=$2$own_comment$'\n'
    else
      contents=$head$2$own_comment$'\n'$tail
    fi
  fi
  [[ $contents != "$before" ]]
}
