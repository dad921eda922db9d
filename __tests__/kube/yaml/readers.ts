import { execFileSync, spawnSync } from 'node:child_process';
import { loadAll } from 'js-yaml';

/** Reads a stream of documents with Python's YAML 1.1 parser. */
export function readWithPyYaml(yaml: string): unknown[] {
  const program =
    'import json,sys,yaml; json.dump(list(yaml.safe_load_all(sys.stdin.buffer.read())), sys.stdout)';
  return JSON.parse(
    execFileSync('python3', ['-c', program], { input: yaml, encoding: 'utf8', maxBuffer: 1e9 }),
  );
}

export function hasPyYaml(): boolean {
  return spawnSync('python3', ['-c', 'import yaml']).status === 0;
}

export function readWithJsYaml(yaml: string): unknown[] {
  const documents: unknown[] = [];
  loadAll(yaml, (document) => documents.push(document));
  return documents;
}

/** Reads Kubernetes objects with kubectl, without a cluster; it adds one label, which is taken away again. */
export function readWithKubectl(yaml: string): unknown[] {
  const output = execFileSync('kubectl', ['label', '--local', '-o', 'json', '-f', '-', 'read-back=yes'], {
    input: yaml,
    encoding: 'utf8',
    maxBuffer: 1e9,
  });
  // kubectl prints one JSON document after the other.
  return output.split(/(?<=^\})\n/m).flatMap((text) => {
    if (text.trim() === '') return [];
    const object = JSON.parse(text) as { metadata: { labels: Record<string, string> } };
    delete object.metadata.labels['read-back'];
    return [object];
  });
}
