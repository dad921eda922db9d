#!/bin/bash
# Runs many store operations in one shell: reads NUL-ended OPERATION FILE KEY VALUE from stdin and answers each with
# NUL-ended output and exit code. The first argument is config-store.sh.
set -euo pipefail
# shellcheck source=/dev/null
. "$1"
while IFS= read -r -d '' driver_operation; do
  IFS= read -r -d '' CONFIG_FILE
  IFS= read -r -d '' driver_key
  IFS= read -r -d '' driver_value
  driver_code=0
  case $driver_operation in
    get) _config_print "$driver_key" || driver_code=$? ;;
    set) _update_config "$driver_key" "$driver_value" || driver_code=$? ;;
    unset) _remove_config "$driver_key" || driver_code=$? ;;
  esac
  printf '\0%s\0' "$driver_code"
done
