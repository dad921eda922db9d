import type { Fault } from '../catalog/index.js';
import type { FileTree } from '../project/index.js';
import { type Authority, type Finding, finding } from './finding.js';

/** What the fields of a descriptor are the source of; every other field is about the descriptor itself. */
const AUTHORITY_OF_FIELD: Readonly<Record<string, Authority>> = {
  answer_key: 'round-trip',
  status_var: 'status-block',
  success_status: 'guard-map',
  runtime_owned_vars: 'runtime-owned',
  serving_config_source: 'serving-source',
  verbs: 'verb-targets',
  verb_guidance: 'verb-targets',
  deploy_script: 'dispatch',
  clean_script: 'dispatch',
  aliases: 'dispatch',
  target: 'dispatch',
};

/** Faults of the catalogue as findings. `files` gives the lines. */
export function descriptorFindings(faults: readonly Fault[], files: FileTree): Finding[] {
  return faults.map(({ file, pointer, message }) => {
    if (!files.has(file) && message.startsWith('not valid JSON')) {
      const where = { file, field: file };
      return finding('descriptor', where, 'the file is missing', `mlcc regenerate --restore ${file}`);
    }
    const missing = /^the key "(\w+)" is missing$/.exec(message)?.[1];
    const path = pointer.split('/').slice(1);
    const authority = AUTHORITY_OF_FIELD[missing ?? path[0] ?? ''] ?? faultOfScript(message) ?? 'descriptor';
    const line = lineOf(files.get(file)?.contents ?? '', path);
    const mend = authority === 'script-executable' ? `chmod +x ${file}` : `correct ${file}`;
    return finding(authority, { file, line, field: `${file}#${pointer}` }, message, mend);
  });
}

function faultOfScript(message: string): Authority | undefined {
  if (message.startsWith('the script is missing')) return 'script-present';
  return message.startsWith('the script is not executable') ? 'script-executable' : undefined;
}

/** The line where the innermost key of a JSON path stands, as far as it can be found in the text. */
export function lineOf(text: string, path: readonly string[]): number | undefined {
  let from = 0;
  for (const key of path) {
    const at = text.indexOf(`${JSON.stringify(key)}:`, from);
    if (at < 0) break;
    from = at;
  }
  return from === 0 ? undefined : text.slice(0, from).split('\n').length;
}
