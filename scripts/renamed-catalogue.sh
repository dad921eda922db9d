#!/usr/bin/env bash
# renamed-catalogue.sh DIR [JEST_ARGUMENT...] - proof that no code names a target.
#
# Copies the package to DIR, renames every target, alias and status tag there to random words, and runs the behavioural suites on
# the copy, unchanged. Left out are the suites whose subject is the names themselves: the table of the five, the golden
# projects, the documentation, the package as it is published; and the end-to-end suites, whose scripts are the same.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
copy=${1:?usage: renamed-catalogue.sh DIR [JEST_ARGUMENT...]}
shift
[ ! -e "$copy" ] || { echo "renamed-catalogue.sh: $copy exists already" >&2; exit 2; }
mkdir -p "$copy"
(cd "$root" && git ls-files -z --cached --others --exclude-standard | grep -zv '^__tests__/golden/' |
  while IFS= read -r -d '' path; do [ ! -f "$path" ] || printf '%s\0' "$path"; done | tar -c --null -T -) | tar -x -C "$copy"
ln -s "$root/node_modules" "$copy/node_modules"
[ ! -d "$root/.cache" ] || ln -s "$root/.cache" "$copy/.cache"
node "$root/scripts/rename-targets.mjs" "$copy"
cd "$copy"
npm run --silent build
node --experimental-vm-modules --no-warnings node_modules/jest/bin/jest.js "$@" \
  --testPathPatterns '__tests__/(catalog/(faults|packs)|project|cli|contract|do|update|authoring|check/rules)' \
  --testPathIgnorePatterns '__tests__/project/golden'
