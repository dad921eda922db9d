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
  const { words, tags } = path.endsWith('.py') ? pythonWords(file) : shellWords(file);
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
  words: readonly { word: string; line: number }[];
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
const TAG = /\bDEPLOYMENT_TARGET_([A-Z0-9]+)_/g;

const shellWords = perFile((file): Words => {
  const words: { word: string; line: number }[] = [];
  for (const { text, number: line } of codeLines(file)) {
    const found = PLACES.flatMap((place) => [...text.matchAll(place)].map(([, word = '']) => word));
    for (const [, patterns = ''] of text.matchAll(ARM)) {
      found.push(...patterns.split('|').map((pattern) => pattern.trim().replace(/^["']|["']$/g, '')));
    }
    words.push(...[...new Set(found)].map((word) => ({ word, line })));
  }
  return { words, tags: tagsOf(file) };
});

const pythonWords = perFile((file): Words => {
  const words = codeLines(file).flatMap(({ text, number: line }) =>
    [...text.matchAll(/(["'])([a-z][a-z0-9-]*)\1/g)].map(([, , word = '']) => ({ word, line })),
  );
  return { words, tags: tagsOf(file) };
});

const tagsOf = (file: TextFile): Words['tags'] =>
  codeLines(file).flatMap(({ text, number: line }) =>
    [...text.matchAll(TAG)].map(([, word = '']) => ({ word, line })),
  );
