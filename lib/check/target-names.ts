import type { Catalog, TextFile } from '../catalog/index.js';
import { manifestField } from './finding.js';
import { codeLines, perFile } from './shell-code.js';

/** A place in code that names a target. */
export interface NameUse {
  name: string;
  line: number;
  field: string;
}

/**
 * Names, aliases and status tags of targets in places where code decides by a word: elsewhere, a name is a common word. A
 * target's own scripts may say which target they are.
 */
export function nameUses(path: string, file: TextFile, { targets }: Catalog): NameUse[] {
  const self = /^do\/(?:deploy|clean|targets)\.d\/([^/]+)/.exec(path)?.[1];
  const { words: all, tags } = path.endsWith('.py') ? pythonWords(file) : shellWords(file);
  // What another field of a descriptor may say is not the name of a target, unless a target is asked for.
  const values = new Set<string>(targets.flatMap(({ manifest: m }) => [m.family, m.invocation, m.workload]));
  const words = all.filter(({ word, isOfTarget }) => isOfTarget || !values.has(word));
  return targets.flatMap(({ manifest: { target, aliases, status_var } }) => {
    if (target === self) return [];
    const named = words.filter(({ word }) => word === target || aliases.includes(word));
    const tagged = tags.filter(({ word }) => status_var === `DEPLOYMENT_TARGET_${word}_STATUS`);
    return [
      ...named.map(({ word, line }) => {
        return { name: word, line, field: manifestField(target, word === target ? 'target' : 'aliases') };
      }),
      ...tagged.map(({ word, line }) => ({ name: word, line, field: manifestField(target, 'status_var') })),
    ];
  });
}

interface Words {
  words: readonly { word: string; line: number; isOfTarget: boolean }[];
  tags: readonly { word: string; line: number }[];
}

const NAME = String.raw`["']?([a-z][a-z0-9-]*)["']?(?=[\s\]);|&]|$)`;
/** Where a word is compared with something, or chooses a target or its script. */
const PLACES = [
  new RegExp(String.raw`(?:==|!=|\s=)\s*${NAME}`, 'g'),
  new RegExp(String.raw`(?:--target[ =]|\b_select_target\s+|\bDEPLOYMENT_TARGET=)${NAME}`, 'g'),
  /\b(?:deploy|clean|targets)\.d\/([a-z][a-z0-9-]*)(?![\w-])/g,
];
/** The patterns of one arm of a case. */
const ARM = /(?:^|\bin\s|;;)\s*\(?((?:["'\w*?.:-]+\s*\|\s*)*["'\w*?.:-]+)\)/g;
/** A line that asks which target it is. */
const SUBJECT = /\$\{?(?:DEPLOYMENT_TARGET|_TARGET)\b/;
const COMPARED = /(?:==|!=|\bin\b)/;
const TAG = /\bDEPLOYMENT_TARGET_([A-Z0-9]+)_/g;

const shellWords = perFile((file): Words => {
  const words: { word: string; line: number; isOfTarget: boolean }[] = [];
  for (const { text, number: line } of codeLines(file)) {
    const found = PLACES.flatMap((place) => [...text.matchAll(place)].map(([, word = '']) => word));
    for (const [, patterns = ''] of text.matchAll(ARM)) {
      found.push(...patterns.split('|').map((pattern) => pattern.trim().replace(/^["']|["']$/g, '')));
    }
    const isOfTarget = SUBJECT.test(text);
    words.push(...[...new Set(found)].map((word) => ({ word, line, isOfTarget })));
  }
  return { words, tags: tagsOf(file) };
});

/** A single word is data in most places; a name with a hyphen, and a word that is compared, hardly ever is. */
const pythonWords = perFile((file): Words => {
  const words = codeLines(file).flatMap(({ text, number: line }) =>
    [...text.matchAll(/(["'])([a-z][a-z0-9-]*)\1/g)]
      .map(([, , word = '']) => word)
      .filter((word) => word.includes('-') || COMPARED.test(text))
      .map((word) => ({ word, line, isOfTarget: false })),
  );
  return { words, tags: tagsOf(file) };
});

const tagsOf = (file: TextFile): Words['tags'] =>
  codeLines(file).flatMap(({ text, number: line }) =>
    [...text.matchAll(TAG)].map(([, word = '']) => ({ word, line })),
  );
