import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface KubectlCall {
  /** The kubeconfig that it was given. */
  kubeconfig: string;
  arguments: readonly string[];
  stdin: string;
}

/**
 * A `kubectl` that records its calls and answers from files: `answer('get deployments.apps', 'text')` is printed for calls
 * that start so (context and namespace left out); several answers are given one after the other, the last one for good.
 * Without an answer, `get` finds nothing and everything else succeeds.
 */
export class FakeKubectl {
  readonly #dir: string;

  constructor(dir: string, bin: string) {
    this.#dir = dir;
    mkdirSync(join(dir, 'answers'), { recursive: true });
    writeFileSync(join(bin, 'kubectl'), `#!/bin/bash\n${SCRIPT.replaceAll('@DIR@', dir)}`, { mode: 0o755 });
  }

  answer(call: string, ...texts: string[]): void {
    const folder = join(this.#dir, 'answers', call.replaceAll('/', '_'));
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    texts.forEach((text, at) => {
      writeFileSync(join(folder, String(at)), text);
    });
  }

  takeCalls(): KubectlCall[] {
    const path = join(this.#dir, 'calls');
    if (!existsSync(path)) return [];
    const records = readFileSync(path, 'utf8').split('\x1e').slice(0, -1);
    rmSync(path);
    return records.map((record) => {
      const [kubeconfig = '', stdin = '', ...words] = record.split('\x1f');
      return { kubeconfig, stdin, arguments: words };
    });
  }
}

const SCRIPT = `
config=\${KUBECONFIG:-} stdin='' words=() plain=()
for word; do if [[ $word == - ]]; then stdin=$(cat); fi; done
{ printf '%s\\x1f%s' "$config" "$stdin"; printf '\\x1f%s' "$@"; printf '\\x1e'; } >>'@DIR@/calls'
while (($# > 0)); do
  case $1 in --context | --namespace) shift ;; *) plain+=("$1") ;; esac
  shift
done
best=''
line="\${plain[*]}"
for folder in '@DIR@'/answers/*; do
  name=\${folder##*/}
  [[ $line == "\${name//_//}"* ]] && best=$folder
done
if [[ -n $best ]]; then
  files=("$best"/*)
  text=$(cat "\${files[0]}"; printf x)
  if ((\${#files[@]} > 1)); then rm "\${files[0]}"; fi
  text=\${text%x}
  case $text in
    'fail '*) printf '%s\\n' "\${text#fail }" >&2; exit 1 ;;
  esac
  printf '%s' "$text"
  exit 0
fi
if [[ \${plain[0]} == get ]]; then
  echo "Error from server (NotFound): \${plain[1]} \\"\${plain[2]:-}\\" not found" >&2
  exit 1
fi
`;
