/** What a quantity counts: `cpu` in cores, `memory` in bytes. */
export type QuantityKind = 'cpu' | 'memory';

const SUFFIXES: Readonly<Record<string, number>> = {
  m: 1e-3,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  E: 1e18,
  Ki: 2 ** 10,
  Mi: 2 ** 20,
  Gi: 2 ** 30,
  Ti: 2 ** 40,
  Pi: 2 ** 50,
  Ei: 2 ** 60,
};
/** Less than this is a forgotten unit. */
const SMALLEST_MEMORY = 2 ** 20;
const QUANTITY = /^([0-9]+(?:\.[0-9]+)?|\.[0-9]+)([A-Za-z]*)$/;

/** The size of a Kubernetes quantity in its base unit (cores, bytes); undefined when it is no quantity. */
export function quantitySize(text: string): number | undefined {
  const [, number, suffix] = QUANTITY.exec(text) ?? [];
  if (number === undefined || suffix === undefined) return undefined;
  const factor = suffix === '' ? 1 : SUFFIXES[suffix];
  return factor === undefined ? undefined : Number(number) * factor;
}

/** Why the text is not an amount of this kind that the cluster takes; undefined when it is one. */
export function quantityFault(text: string, kind: QuantityKind): string | undefined {
  const size = quantitySize(text);
  if (size === undefined) return `\`${text}\` is not a quantity${suggestion(text, kind)}`;
  if (size === 0) return `\`${text}\` is nothing; write more than 0`;
  if (kind === 'memory' && size < SMALLEST_MEMORY) {
    const number = text.replace(/[a-z]*$/i, '');
    return `\`${text}\` is only ${size} bytes: write a unit, as in ${number}Mi or ${number}Gi`;
  }
  if (kind === 'cpu' && /[^0-9.m]/.test(text)) {
    return `\`${text}\` is not an amount of CPU: write cores as 2 or 0.5, or thousandths as 500m`;
  }
  if (kind === 'cpu' && Math.abs(size * 1000 - Math.round(size * 1000)) > 1e-6) {
    return `\`${text}\` is finer than a thousandth of a core (1m)`;
  }
  return undefined;
}

function suggestion(text: string, kind: QuantityKind): string {
  const [, number, unit] = /^\s*([0-9.]+)\s*([A-Za-z]*)\s*$/.exec(text) ?? [];
  if (number === undefined || unit === undefined) return '';
  if (kind === 'cpu') return `; write ${number}, or ${number}m for thousandths`;
  const letter = unit[0]?.toUpperCase() ?? '';
  return /^[KMGTPE]$/.test(letter)
    ? `: write ${number}${letter === 'K' ? 'k' : letter} or ${number}${letter}i`
    : '';
}
