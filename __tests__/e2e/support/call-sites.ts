import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Stack } from './call-trace.js';

/** A place in the scripts where a function is called that comes to start a program. */
export interface CallSite {
  /** Below do/. */
  file: string;
  /** The first and the last line of the command. */
  lines: readonly [number, number];
  callee: string;
  text: string;
  /** The function that it stands in. */
  within: string;
}

interface Command {
  file: string;
  lines: [number, number];
  text: string;
  words: readonly string[];
}

/** Function name -> its commands; the commands of a file outside functions stand under the file's path with a slash before. */
type Bodies = Map<string, Command[]>;

/**
 * The call sites that can be reached from these verbs and functions. Found by reading: any word of a command that is
 * the name of a function counts as a call of it, so that probes that are passed on are found, too.
 */
export function awsCallSites(
  doFolder: string,
  files: readonly string[],
  roots: readonly string[],
  programs: readonly string[] = ['aws'],
): CallSite[] {
  const bodies: Bodies = new Map();
  for (const file of files) readBodies(file, readFileSync(join(doFolder, file), 'utf8'), bodies);
  const callers = callersOf(programs, bodies);
  const sites: CallSite[] = [];
  for (const name of reachable(bodies, roots)) {
    // In a dry run nothing is called.
    let isDry = false;
    for (const { file, lines, text, words } of bodies.get(name) ?? []) {
      if (/^_(begin_plan|end_work)\b/.test(text)) isDry = text.startsWith('_begin_plan');
      if (isDry) continue;
      for (const callee of new Set(words)) {
        const isCall = isDirect(text) && callers.has(callee) && callee !== name;
        if (isCall || (callee === 'aws' && text.startsWith('_start'))) {
          sites.push({ file, lines, callee, text, within: name });
        }
      }
    }
  }
  return sites;
}

/** All shell files below do/. */
export function shellFiles(doFolder: string): string[] {
  return readdirSync(doFolder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(doFolder.length + 1))
    .filter((file) => /^[a-z-]+$|^(deploy|clean)\.d\/|\.sh$/.test(file))
    .filter((file) =>
      /^#!\/bin\/bash|^# shellcheck shell=bash/.test(readFileSync(join(doFolder, file), 'utf8')),
    );
}

/** Whether one of the stacks leads through the site; what is called may have been handed to another function first. */
export function isReached(
  { file, lines: [first, last], callee }: CallSite,
  stacks: Iterable<Stack>,
): boolean {
  for (const stack of stacks) {
    for (const [index, at] of stack.entries()) {
      if (at.file !== file || at.line < first || at.line > last) continue;
      if (stack.slice(0, index + 1).some((inner) => inner.callee === callee)) return true;
    }
  }
  return false;
}

function readBodies(file: string, text: string, bodies: Bodies): void {
  const outside = `/${file}`;
  let current = outside;
  for (const command of commandsOf(file, text)) {
    const [, name, inner] = /^([a-zA-Z_][a-zA-Z0-9_]*)\(\) \{\s*(.*)$/s.exec(command.text) ?? [];
    if (name !== undefined) {
      // A second file with the same function (deploy and clean scripts of several targets) adds to it.
      const isWhole = inner !== undefined && /\}\s*$/.test(inner) && !/^#/.test(inner);
      if (!isWhole) current = name;
      append(bodies, name, { ...command, words: wordsOf(inner ?? '') });
    } else if (command.text === '}') {
      current = outside;
    } else {
      append(bodies, current, command);
    }
  }
}

function append(bodies: Bodies, name: string, command: Command): void {
  bodies.set(name, [...(bodies.get(name) ?? []), command]);
}

/** The lines without comments and quoted words, continued ones together. */
function commandsOf(file: string, text: string): Command[] {
  const found: Command[] = [];
  let open: Command | undefined;
  for (const [index, raw] of text.split('\n').entries()) {
    const line = /^\s*#/.test(raw) ? '' : raw;
    if (open) {
      open.text += `\n${line}`;
      open.lines[1] = index + 1;
    } else if (line.trim()) {
      open = {
        file,
        lines: [index + 1, index + 1],
        text: line.startsWith(' ') ? line.trim() : line,
        words: [],
      };
    }
    if (open && !line.endsWith('\\')) {
      found.push({ ...open, words: wordsOf(open.text) });
      open = undefined;
    }
  }
  return found;
}

/** The bare words: what stands in quotes is no call, but for what is substituted there. */
function wordsOf(text: string): string[] {
  const bare = text
    .replace(/'[^']*'/g, ' ')
    .replace(/"(?:[^"\\]|\\.)*"/gs, (quoted) => (quoted.match(/\$\([^)]*\)/g) ?? []).join(' ') || ' _ ')
    .replace(/(^|\s)#.*$/gm, ' ');
  return bare.split(/[\s;&|(){}!<>$`]+/).filter((word) => /^[a-zA-Z_][a-zA-Z0-9_]*$/.test(word));
}

/** The programs, the functions that start them, those that call these, and so on. */
function callersOf(programs: readonly string[], bodies: Bodies): Set<string> {
  const callers = new Set(programs);
  for (let size = 0; size !== callers.size; ) {
    size = callers.size;
    for (const [name, commands] of bodies) {
      if (commands.some(({ text, words }) => isDirect(text) && words.some((word) => callers.has(word)))) {
        callers.add(name);
      }
    }
  }
  return callers;
}

/** Not a program that runs beside the script, a list of names, or a question whether there is one. */
function isDirect(text: string): boolean {
  return !/^_start\b|_load_functions|command -v/.test(text);
}

function reachable(bodies: Bodies, roots: readonly string[]): Set<string> {
  const found = new Set(roots);
  // A set grows while it is walked through.
  for (const name of found) {
    for (const { words } of bodies.get(name) ?? [])
      for (const word of words) if (bodies.has(word)) found.add(word);
  }
  return found;
}
