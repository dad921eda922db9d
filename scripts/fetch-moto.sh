#!/bin/bash
# Copyright the generator-mlcc authors
# SPDX-License-Identifier: Apache-2.0
#
# Puts moto, the emulator of AWS that the end-to-end tests talk to, into a folder, from Debian packages alone.
#
# usage: scripts/fetch-moto.sh [FOLDER]      default: .cache/moto, where the tests look for it
#
# moto is packaged from Debian 13 on. Its package is architecture-independent, so on an older Debian it is taken from
# there, through apt settings of this script's own, and unpacked without being installed; what it needs is installed from
# this system's own release. Run it as root. Elsewhere: pip install 'moto[server]'.
set -euo pipefail

RELEASE=trixie
NEEDS=(python3-antlr4 python3-boto3 python3-cryptography python3-docker python3-flask python3-flask-cors
  python3-jinja2 python3-jsondiff
  python3-responses python3-werkzeug python3-xmltodict python3-yaml)

main() {
  local folder=${1:-$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)/.cache/moto}
  if [[ -f $folder/usr/bin/moto_server ]]; then
    echo "moto is already in $folder"
    return
  fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${NEEDS[@]}" >/dev/null
  SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/fetch-moto.XXXXXX")
  trap 'rm -rf "$SCRATCH"' EXIT
  download
  mkdir -p "$folder"
  dpkg-deb --extract "$SCRATCH"/python3-moto_*.deb "$folder"
  echo "moto is in $folder"
}

# The package of that release, with lists and cache of its own: the system's apt does not learn of the other release.
download() {
  mkdir -p "$SCRATCH/lists/partial" "$SCRATCH/archives/partial" "$SCRATCH/parts"
  echo "deb [$(signed_by)] $(archive) $RELEASE main" >"$SCRATCH/sources.list"
  local apt=(apt-get -qq
    -o "Dir::Etc::SourceList=$SCRATCH/sources.list" -o "Dir::Etc::SourceParts=$SCRATCH/parts"
    -o "Dir::State::Lists=$SCRATCH/lists" -o "Dir::Cache::Archives=$SCRATCH/archives"
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User=root)
  "${apt[@]}" update
  (cd "$SCRATCH" && "${apt[@]}" download "python3-moto/$RELEASE")
}

# The archive that this system already uses, in either form of its configuration.
archive() {
  local uri
  uri=$(sed -n 's/^URIs:[[:space:]]*\([^[:space:]]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  if [[ -z $uri ]]; then
    uri=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null |
      sed -n 's/^deb[[:space:]]*\(\[[^]]*\][[:space:]]*\)\{0,1\}\([^[:space:]]*\).*/\2/p' | head -n 1)
  fi
  if [[ -z $uri ]]; then
    echo 'fetch-moto.sh: no Debian archive is configured in /etc/apt' >&2
    return 1
  fi
  printf '%s' "$uri"
}

signed_by() {
  local key
  key=$(sed -n 's/^Signed-By:[[:space:]]*\(\/[^[:space:]]*\).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  printf 'signed-by=%s' "${key:-/usr/share/keyrings/debian-archive-keyring.gpg}"
}

main "$@"
