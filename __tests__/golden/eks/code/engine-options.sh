# shellcheck shell=bash
# Copyright the generator-mlcc authors
# SPDX-License-Identifier: Apache-2.0
#
# What the `serve` scripts of all engines have in common (sourced by them): which model, which port, and which
# variables of the environment are options of the engine.
#
# The rule, for every exported variable whose name starts with the engine's prefix:
#   empty                        the engine's default: the variable is taken out of the environment
#   a Kubernetes service link    (PREFIX_SERVICE_HOST, PREFIX_PORT=tcp://..., which a Service of that name injects): taken out
#   the engine's own variable    (read by the engine itself, not a flag): left as it is, the empty ones too
#   anything else                an option; the engine's `serve` says how it is spelled
# A value is never evaluated, split or expanded, unless the engine's `serve` says that the option takes several words.
#
# shellcheck disable=SC2034 # the variables that are set here are read by the scripts that source this

ARGUMENTS=()

# Ends the script: what happened, and what to do about it. Status 2: bad input; 1: it could not be done.
serve_fail() { # STATUS WHAT NEXT
  printf 'serve: %s\n  -> %s\n' "$2" "$3" >&2
  exit "$1"
}

# Sets EXTRA_ARGUMENTS: what follows SageMaker's own `serve`; passed to the engine after everything else.
read_arguments() {
  if [ "${1-}" = serve ]; then shift; fi
  case "${1--}" in
    -*) ;;
    *) serve_fail 2 "unknown command '$1'" "give 'serve', options of the engine, or another program with --entrypoint" ;;
  esac
  EXTRA_ARGUMENTS=(${1+"$@"})
}

# Sets SERVE_PORT: 8080, or the port that SageMaker asks for.
read_port() {
  SERVE_PORT=${SAGEMAKER_BIND_TO_PORT:-8080}
  case "$SERVE_PORT" in
    *[!0-9]* | ??????*) serve_fail 2 "SAGEMAKER_BIND_TO_PORT is '$SERVE_PORT'" 'give a port number, or leave it unset for 8080' ;;
  esac
}

# Whether a file (not just a folder, as an empty volume may hold) lies directly in the folder.
_holds_files() { # FOLDER
  local entry
  for entry in "$1"/*; do
    if [ -f "$entry" ]; then return 0; fi
  done
  return 1
}

# Sets MODEL, what to load, and SERVED_NAME, the name that clients know it by. The first of these that there is:
#   1. the engine's own variable for it (EXPLICIT), which is then no option any more
#   2. the folder where SageMaker, or a volume, puts staged weights, when it holds files: /opt/ml/model or $SM_MODEL_DIR
#   3. HF_MODEL_ID (a private model's token stays in HF_TOKEN, which the engine reads itself)
#   4. MODEL_NAME
# An s3:// address in MODEL_NAME names weights that should have been in the folder: only an engine that can fetch them
# (FETCHES=s3) accepts it.
choose_model() { # EXPLICIT [FETCHES]
  local folder=${SM_MODEL_DIR:-/opt/ml/model} explicit=${!1-} name=${HF_MODEL_ID:-${MODEL_NAME-}}
  unset "$1"
  MODEL=${explicit:-$name}
  if [ -z "$explicit" ] && _holds_files "$folder"; then
    MODEL=$folder
  fi
  case "$MODEL" in
    '') serve_fail 1 'there is no model to serve' "set HF_MODEL_ID, or put the weights in $folder" ;;
    -*) serve_fail 2 "the model's name '$MODEL' starts with a hyphen" 'give a Hugging Face id or a folder' ;;
    s3://*)
      if [ -z "$explicit" ] && [ -z "${HF_MODEL_ID-}" ] && [ "${2-}" != s3 ]; then
        serve_fail 1 "$folder is empty, and the engine does not fetch $MODEL itself" \
          "mount the weights at $folder, or set HF_MODEL_ID"
      fi
      ;;
  esac
  case "$name" in s3://*/*) name=${name#s3://*/} ;; esac
  name=${name#models/}
  SERVED_NAME=${name%/}
}

# Prints the names with that prefix that occur in the installed engine's own Python sources, without importing it:
# nothing knows its environment variables better, in whatever version the image has.
names_read_by() { # PACKAGE FILE-OR-FOLDER-IN-IT PREFIX
  local package
  package=$(python3 -c '
import importlib.util, sys
sys.path[:] = [folder for folder in sys.path if folder]
spec = importlib.util.find_spec(sys.argv[1])
print(spec.submodule_search_locations[0] if spec else "")' "$1" 2>/dev/null) || package=''
  if [ -n "$package" ] && [ -e "$package/$2" ]; then
    grep -rhowE --include='*.py' "$3[A-Z0-9_]+" "$package/$2" || true
  fi
}

# Whether Kubernetes made the variable for a Service whose name gives the same prefix.
_is_service_link() { # NAME
  case "$1" in
    *_SERVICE_HOST | *_SERVICE_PORT | *_SERVICE_PORT_* | *_PORT_[0-9]*_TCP* | *_PORT_[0-9]*_UDP* | *_PORT_[0-9]*_SCTP*) return 0 ;;
    *_PORT) case "${!1}" in tcp://* | udp://* | sctp://*) return 0 ;; esac ;;
  esac
  return 1
}

# Sets SETTINGS, the names of the variables that are options, sorted; cleans the environment by the rule above.
# HOST and PORT are never among them: the server must listen where SageMaker and Kubernetes look for it.
collect_settings() { # PREFIX OWN-VARIABLES
  local name
  SETTINGS=()
  for name in $(compgen -e "$1" | LC_ALL=C sort); do
    if _is_service_link "$name"; then
      unset "$name"
      continue
    fi
    if is_one_of "$name" "$2"; then continue; fi
    if [ -z "${!name}" ]; then
      unset "$name"
    elif [ "$name" = "$1HOST" ] || [ "$name" = "$1PORT" ]; then
      printf 'serve: %s is ignored: the container listens on every address, port %s\n' "$name" "$SERVE_PORT" >&2
      unset "$name"
    else
      SETTINGS+=("$name")
    fi
  done
}

# Prints a suffix as the engines spell their flags: MAX_MODEL_LEN as --max-model-len, or with another separator.
flag_of() { # SUFFIX [SEPARATOR]
  printf '%s' "--$(printf '%s' "$1" | LC_ALL=C tr 'A-Z_' "a-z${2:--}")"
}

# Appends to ARGUMENTS; joined by `=` where a parser would take the value for a flag.
add_option() { # FLAG VALUE
  case "$2" in
    -*) ARGUMENTS+=("$1=$2") ;;
    *) ARGUMENTS+=("$1" "$2") ;;
  esac
}

# Appends the flag and each blank-separated word of the value; a JSON value is one word.
add_option_words() { # FLAG VALUE
  local words
  case "$2" in
    '{'* | '['*) words=("$2") ;;
    *) IFS=$' \t\n' read -r -d '' -a words <<<"$2" || true ;; # it ends at no NUL, and says so
  esac
  ARGUMENTS+=("$1" ${words[@]+"${words[@]}"})
}

# Whether a word is in a list of words that blanks or line ends separate.
is_one_of() { # WORD LIST
  local word
  for word in $2; do
    if [ "$word" = "$1" ]; then return 0; fi
  done
  return 1
}

# true, True and TRUE are one answer to a yes-or-no option, false the other; 1 and 0 are numbers.
is_true() { [[ $1 == [Tt][Rr][Uu][Ee] ]]; }
is_false() { [[ $1 == [Ff][Aa][Ll][Ss][Ee] ]]; }
