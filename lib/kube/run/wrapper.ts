import { INGEST_TOKEN_FILE, PACK_FOLDER } from './paths.js';

/**
 * The program of the run's container. Its arguments are the domain's folder, the ingest URL (or nothing), the sandbox's
 * pinned image and the tag that the manifest names it by (each or nothing), and then crucible's own. It hands TERM and INT
 * on, publishes the session log, and ends with the run's exit code. It is bash and not sh since only bash gives a
 * background child back its INT.
 */
export const WRAPPER = `set -u
D=$1 ingest_url=$2 sandbox_image=$3 sandbox_tag=$4
shift 4
session=$D/state/session.jsonl
run=
pending=
rc=0
forward() { if [ -n "$run" ]; then kill -s "$1" "$run" 2>/dev/null || true; else pending=$1; fi; }
trap 'forward TERM' TERM
trap 'forward INT' INT

# The tag that the manifest names gets to mean the pinned image.
pin_sandbox() {
  name=\${sandbox_image%@*}
  # podman takes a tag or a digest, not both.
  case \${name##*/} in *:*) name=\${name%:*} ;; esac
  podman pull --quiet "$name@\${sandbox_image##*@}" >/dev/null || exit
  podman tag "$name@\${sandbox_image##*@}" "$sandbox_tag" || exit
}

start() {
  trap - TERM INT
  if [ -n "$sandbox_tag" ]; then pin_sandbox; fi
  exec crucible "$@"
}

send() {
  if [ -z "$ingest_url" ] || [ ! -f "$session" ]; then return 1; fi
  # The token's file has no last newline, at which read fails and yet reads.
  read -r token <${INGEST_TOKEN_FILE} || [ -n "\${token:-}" ] || return
  printf 'header = "Authorization: Bearer %s"\\n' "$token" |
    curl --config - --fail --silent --show-error --output /dev/null --max-time 60 --retry 3 \\
      --header 'Content-Type: application/x-ndjson' --data-binary "@$session" "$ingest_url"
}

start "$@" &
run=$!
# A signal that came before the run's number was known.
if [ -n "$pending" ]; then forward "$pending"; fi
wait "$run" || rc=$?
# A signal ends the wait, not the run.
while kill -0 "$run" 2>/dev/null; do
  rc=0
  wait "$run" || rc=$?
done
run=

if ! send; then
  printf 'SESSION (rc=%s)\\n' "$rc"
  if [ -f "$session" ]; then cat "$session"; fi
fi
exit "$rc"
`;

/**
 * The program of the init container: copies the delivered files into the writable folder that is its argument. The links
 * that a ConfigMap's volume consists of are followed, its own hidden folders (\`..data\`) are not copied.
 */
export const STAGER = `set -eu
for entry in ${PACK_FOLDER}/* ${PACK_FOLDER}/.[!.]*; do
  if [ -e "$entry" ]; then cp -RL "$entry" "$1/"; fi
done
`;
