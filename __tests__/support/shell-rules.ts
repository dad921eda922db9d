/** A construct that does not run everywhere or hides failures, why, and an example of it. */
export interface ShellRule {
  name: string;
  why: string;
  example: string;
  /** Whether the code of a file has it. `whole`: the code of all files, where it depends on the others. */
  found(code: string, whole?: string): boolean;
}

const matches = (pattern: RegExp) => (code: string) => pattern.test(code);

const BASH_4 = 'bash 3.2 of macOS does not know it';
const GNU = 'BSD tools do not know it';

export const bashRules: readonly ShellRule[] = [
  {
    name: 'an associative array',
    why: BASH_4,
    example: 'declare -gA map',
    found: matches(/\b(declare|local|typeset)\s+(-\w+\s+)*-\w*A/),
  },
  {
    name: 'a name reference',
    why: BASH_4,
    example: 'local -n ref=$1',
    found: matches(/\b(declare|local|typeset)\s+(-\w+\s+)*-\w*n/),
  },
  { name: 'mapfile', why: BASH_4, example: 'mapfile -t lines', found: matches(/\bmapfile\b/) },
  { name: 'readarray', why: BASH_4, example: 'readarray lines', found: matches(/\breadarray\b/) },
  { name: 'coproc', why: BASH_4, example: 'coproc cat', found: matches(/\bcoproc\b/) },
  {
    name: 'a case-changing expansion',
    why: BASH_4,
    example: 'x=${name,,}',
    found: matches(/\$\{!?\w+(\[[^\]]*\])?(,|\^)/),
  },
  { name: '|&', why: BASH_4, example: 'a |& b', found: matches(/\|&/) },
  { name: '&>>', why: BASH_4, example: 'a &>>log', found: matches(/&>>/) },
  { name: 'printf with a time', why: BASH_4, example: "printf '%(%F)T'", found: matches(/printf\b.*%\(/) },
  { name: 'wait -n', why: BASH_4, example: 'wait -n', found: matches(/\bwait\s+-n/) },
  {
    name: 'a replacement that is a variable',
    why: '& expands in it on bash 5.2, and quotes stay on 3.2',
    example: 'x=${text//a/$b}',
    found: matches(/\$\{!?\w+(\[[^\]]*\])?\/\/?(?:[^/}\\]|\\.)+\/[^}]*[$`]/),
  },
  {
    name: 'case inside $( )',
    why: 'a parse error on bash 3.2',
    example: 'x=$(case $y in a) echo b ;; esac)',
    found: (code) => substitutions(code).some((text) => /(^|[\s;&|(])case\s/.test(text)),
  },
];

export const failureRules: readonly ShellRule[] = [
  {
    name: 'a bare array that may be empty',
    why: 'set -u ends the script on bash 3.2',
    example: 'run "${options[@]}"',
    found: bareArray,
  },
  {
    name: '((n++)) as a statement',
    why: 'set -e ends the script when it counts from 0',
    example: '  ((n++))',
    found: matches(/^\s*\(\(\s*(\w+(\+\+|--)|(\+\+|--)\w+)\s*\)\)\s*(;|#|$)/m),
  },
  {
    name: 'local x=$(command)',
    why: 'the failure of the command is lost',
    example: 'local x=$(false)',
    found: matches(/\b(local|declare|typeset|export|readonly)\s+(?:-\w+\s+)*[^;\n'"]*\w=["']?\$\((?!\()/),
  },
];

export const toolRules: readonly ShellRule[] = [
  { name: 'sed -i', why: GNU, example: 'sed -E -i s/a/b/ f', found: matches(/\bsed\s+(-\w+\s+)*-\w*i/) },
  { name: 'readlink -f', why: GNU, example: 'readlink -f x', found: matches(/\breadlink\s+-\w*f/) },
  {
    name: 'date -d',
    why: GNU,
    example: "date -d '1 day'",
    found: matches(/\bdate\s+(-\w+\s+)*(-\w*d|--date)/),
  },
  { name: 'grep -P', why: GNU, example: 'grep -oP x', found: matches(/\bgrep\s+(-\w+\s+)*-\w*P/) },
  { name: 'base64 -w', why: GNU, example: 'base64 -w0', found: matches(/\bbase64\s+-\w*w/) },
  { name: 'xargs -r', why: GNU, example: 'xargs -r rm', found: matches(/\bxargs\s+(-\w+\s+)*-\w*r/) },
  { name: 'stat -c', why: GNU, example: 'stat -c %a f', found: matches(/\bstat\s+(-\w+\s+)*(-c|--format)/) },
  {
    name: 'mktemp without a template',
    why: GNU,
    example: 'f=$(mktemp)',
    found: matches(/(^|[\s;&|(`])mktemp\b(?!.*XXXXXX)/m),
  },
];

/** The code of a shell file: lines that are nothing but a comment are emptied, so that line numbers stay. */
export const shellCode = (text: string): string => text.replace(/^[ \t]*#.*$/gm, '');

/** The text inside each `$( )`. */
function substitutions(code: string): string[] {
  const found: string[] = [];
  for (const { index } of code.matchAll(/\$\((?!\()/g)) {
    let depth = 1;
    let end = index + 2;
    for (; end < code.length && depth > 0; end += 1) {
      if (code[end] === '(') depth += 1;
      else if (code[end] === ')') depth -= 1;
    }
    found.push(code.slice(index + 2, end));
  }
  return found;
}

/** `"${a[@]}"` without `${a[@]+ }` around it, of an array that does not start with an element. */
function bareArray(code: string, whole = code): boolean {
  for (const { index, 1: name = '' } of code.matchAll(/"\$\{(\w+)\[@\]\}"/g)) {
    const guarded = code.slice(0, index).endsWith(`\${${name}[@]+`);
    // An array that this file does not make comes from another one.
    const makers = new RegExp(`\\b${name}=\\(`).test(code) ? code : whole;
    const neverEmpty =
      new RegExp(`\\b${name}=\\(\\s*[^\\s)]`).test(makers) &&
      !new RegExp(`\\b${name}=\\(\\s*\\)`).test(makers);
    if (!guarded && !neverEmpty) return true;
  }
  return false;
}
