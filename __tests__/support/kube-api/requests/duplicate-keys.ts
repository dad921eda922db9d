/** Paths of the keys that stand twice in one object of a (valid) JSON text; `JSON.parse` keeps the last silently. */
export function duplicateKeys(json: string): string[] {
  const found: string[] = [];
  let at = 0;
  const skipSpace = () => {
    while (/\s/.test(json[at] ?? '')) at += 1;
  };
  const readString = (): string => {
    const start = at;
    at += 1;
    while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
    at += 1;
    return JSON.parse(json.slice(start, at)) as string;
  };
  const readValue = (path: string): void => {
    skipSpace();
    if (json[at] === '{') readObject(path);
    else if (json[at] === '[') readArray(path);
    else if (json[at] === '"') readString();
    else while (at < json.length && !/[\s,\]}]/.test(json[at] ?? '')) at += 1;
    skipSpace();
  };
  const readObject = (path: string): void => {
    const seen = new Set<string>();
    at += 1;
    skipSpace();
    while (json[at] !== '}') {
      const key = readString();
      const keyPath = path ? `${path}.${key}` : key;
      if (seen.has(key)) found.push(keyPath);
      seen.add(key);
      skipSpace();
      at += 1; // the colon
      readValue(keyPath);
      if (json[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
  };
  const readArray = (path: string): void => {
    at += 1;
    skipSpace();
    for (let index = 0; json[at] !== ']'; index += 1) {
      readValue(`${path}[${index}]`);
      if (json[at] === ',') at += 1;
      skipSpace();
    }
    at += 1;
  };
  readValue('');
  return found;
}
