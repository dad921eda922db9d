import { type CodeLine, commandWords, perFile, shellCode } from './shell-code.js';

/** A record's name: a fixed text, or (with a position) that text and the argument at this position of the function. */
export interface RecordName {
  text: string;
  position?: number;
}

/** A call with its words, and the records that its variables held when it was made. */
interface Call {
  name: string;
  words: readonly string[];
  line: number;
  /** The whole line: a condition in front of the call may stand there. */
  text: string;
  /** Variable -> the record whose value it has. */
  held: ReadonlyMap<string, RecordName>;
}

/** What is known about one function, or about the lines outside of all functions. */
export interface Body {
  words: readonly string[];
  calls: readonly Call[];
  parameters: ReadonlyMap<string, number>;
}

/** A call and where it stands: in which function of its file (empty: in none). */
export interface PlacedCall {
  call: Call;
  within: string;
  body: Body;
}

/** A function that writes a record: under which name, and from which other record the value is, if it is only moved. */
export interface Recorder {
  what: RecordName;
  from?: RecordName;
}

/** The functions of a file, and under the empty name what stands outside of them. */
export const bodiesOf = perFile((file): ReadonlyMap<string, Body> => {
  const { functions, top } = shellCode(file);
  return new Map([
    ['', bodyOf(top)],
    ...[...functions].map(([name, lines]) => [name, bodyOf(lines)] as const),
  ]);
});

/** The calls of a file by the name of what is called. */
export const callsOf = perFile((file): ReadonlyMap<string, readonly PlacedCall[]> => {
  const calls = new Map<string, PlacedCall[]>();
  for (const [within, body] of bodiesOf(file)) {
    for (const call of body.calls) {
      const others = calls.get(call.name);
      if (others) others.push({ call, within, body });
      else calls.set(call.name, [{ call, within, body }]);
    }
  }
  return calls;
});

function bodyOf(lines: readonly CodeLine[]): Body {
  const words = new Set<string>();
  const calls: Call[] = [];
  const parameters = new Map<string, number>();
  const held = new Map<string, RecordName>();
  for (const { text, number } of lines) {
    for (const [, name = '', position] of text.matchAll(/\b(\w+)="?\$\{?([1-9])\b/g)) {
      parameters.set(name, Number(position));
    }
    for (const [, name = ''] of text.matchAll(/\b(\w+)="?\$\{?_RECORDED\b/g)) {
      const record = held.get('_RECORDED');
      if (record) held.set(name, record);
    }
    for (const { 0: name, index } of text.matchAll(/(?<![\w$.-])[A-Za-z_][\w-]*(?![\w.])/g)) {
      words.add(name);
      const behind = text.slice(index + name.length);
      if (!/^[ \t]+["'$A-Z]|^[ \t]+[\w-]+[ \t]+["'$A-Z]/.test(behind)) continue;
      const call = { name, words: commandWords(behind), line: number, text, held: new Map(held) };
      calls.push(call);
      const record = name === '_recorded' && recordName(call.words[0], parameters);
      if (record) held.set('_RECORDED', record);
    }
  }
  return { words: [...words], calls, parameters };
}

/** The record that a word of a call names; undefined when only a run could tell. */
export function recordName(
  word: string | undefined,
  parameters: ReadonlyMap<string, number>,
): RecordName | undefined {
  const [, text = '', variable] = /^["']?([A-Z][A-Z0-9_]*)?(?:\$\{?(\w+)\}?)?["']?$/.exec(word ?? '') ?? [];
  if (variable === undefined) return text === '' ? undefined : { text };
  const position = /^[1-9]$/.test(variable) ? Number(variable) : parameters.get(variable);
  return position === undefined ? undefined : { text, position };
}

/** What a call writes, given which functions record something. */
export function writesOf(
  call: Call,
  body: Body,
  recorders: ReadonlyMap<string, readonly Recorder[]>,
): Recorder[] {
  if (call.name === '_record') {
    const [name, value = ''] = call.words;
    const what = recordName(name, body.parameters);
    // To empty a record takes no declaration: whoever filled it has one.
    if (!what || value === "''") return [];
    const from = call.held.get(/^"?\$\{?(\w+)\}?"?$/.exec(value)?.[1] ?? '');
    return [from ? { what, from } : { what }];
  }
  return (recorders.get(call.name) ?? []).flatMap(({ what: inner, from: innerFrom }) => {
    const what = handedOver(inner, call, body);
    const from = innerFrom && handedOver(innerFrom, call, body);
    if (!what || (innerFrom && !from)) return [];
    return [from ? { what, from } : { what }];
  });
}

/** A record's name as the caller of a function sees it. */
function handedOver(name: RecordName, call: Call, body: Body): RecordName | undefined {
  if (name.position === undefined) return name;
  const argument = recordName(call.words[name.position - 1], body.parameters);
  return argument && { ...argument, text: name.text + argument.text };
}
