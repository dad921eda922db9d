#!/usr/bin/env bash
# fetch-kube-openapi.sh - remake the Kubernetes schemas that the tests' API server validates against.
#
# The schemas are committed (filtered to the kinds we use), so that tests need neither network nor Debian; this script shows
# where they come from and brings a newer version. The two packages are taken from trixie through a private copy of
# this machine's own apt sources: unpacked in a cache folder, not installed, and the system's apt state is left alone.
# Usage: scripts/fetch-kube-openapi.sh [CACHE_DIR]      (Debian only; default .cache/kube-openapi)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cache=${1:-$root/.cache/kube-openapi}
mkdir -p "$cache"
if [ ! -d "$cache/usr/share/gocode" ]; then
  work=$(mktemp -d "${TMPDIR:-/tmp}/kube-openapi.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/parts"
  uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' /etc/apt/sources.list.d/*.sources | head -n 1)
  key=$(sed -n 's/^Signed-By:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources | head -n 1)
  echo "deb [signed-by=$key] $uri trixie main" >"$work/sources.list"
  opts=(-o "Dir::Etc::sourcelist=$work/sources.list" -o "Dir::Etc::sourceparts=$work/parts"
    -o "Dir::State::lists=$work/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
  apt-get "${opts[@]}" update -qq
  (cd "$work" && apt-get "${opts[@]}" download -qq golang-k8s-kubectl-dev/trixie golang-k8s-client-go-dev/trixie)
  for package in "$work"/*.deb; do dpkg -x "$package" "$cache"; done
fi
node "$root/scripts/kube-openapi.mjs" "$cache/usr/share/gocode/src/k8s.io" \
  "$root/__tests__/support/kube-api/openapi/generated/kubernetes-1.32.json"
