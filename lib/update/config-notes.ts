import { type ConfigProblem, parseConfig } from '../config/index.js';
import type { ConfigMerge } from './merge-config.js';

/** What a person should know about a merged do/config: lines that went or stayed, and lines that are no plain settings. */
export function configNotes({ text, keptAlthoughDropped, dropped, computed }: ConfigMerge): string[] {
  return [
    ...keptAlthoughDropped.map((key) => `${key} is no longer in the template; its line in do/config stays`),
    ...dropped.map(
      (key) => `${key} is no longer in the template; its line in do/config, never changed, is gone`,
    ),
    ...computed.map((key) => `${key} is computed in do/config; it was left as it is`),
    ...parseConfig(text).problems().flatMap(problemNote),
  ];
}

function problemNote({ kind, line, key }: ConfigProblem): string[] {
  switch (kind) {
    case 'duplicate':
      return [`do/config sets ${key} again in line ${line}; the last one counts`];
    case 'multi-line':
      return [`do/config line ${line}: the value of ${key} spans lines; it stays, but a setting is one line`];
    case 'code':
      return [`do/config line ${line} is no setting; it stays, and every script runs it`];
    case 'computed':
      return []; // said above where it matters: of a setting that is rendered
  }
}
