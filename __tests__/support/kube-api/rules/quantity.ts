const FACTORS: Record<string, number> = {
  n: 1e-9,
  u: 1e-6,
  m: 1e-3,
  '': 1,
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

/** The number that a resource quantity like `500m` or `6Gi` stands for. */
export function quantity(value: unknown): number {
  const match = /^([+-]?[\d.]+)(?:[eE]([+-]?\d+)|([A-Za-z]*))$/.exec(String(value));
  if (!match) return Number.NaN;
  return match[2]
    ? Number(`${match[1]}e${match[2]}`)
    : Number(match[1]) * (FACTORS[match[3] ?? ''] ?? Number.NaN);
}
