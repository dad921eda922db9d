import type { CheckResult, Finding } from '../check/index.js';

/** What a check found and mended: one line for each, then how many there are. */
export function checkReport({ findings, fixed, notes }: CheckResult): string {
  const fixable = findings.filter((one) => one.fixable).length;
  const lines = [
    ...notes.map((note) => `note: ${note}`),
    ...fixed.map((one) => `mended: ${place(one)}: [${one.authority}] ${one.message}`),
    ...findings.map(findingLine),
    summary(findings.length, fixed.length, fixable),
  ];
  return `${lines.join('\n')}\n`;
}

export function checkJson({ findings, fixed, notes }: CheckResult): string {
  return `${JSON.stringify({ findings, fixed, notes }, null, 2)}\n`;
}

function findingLine(one: Finding): string {
  return `${place(one)}: [${one.authority}] ${one.message} (by ${one.field}). Why: ${one.why}. Mend: ${one.mend}`;
}

const place = ({ file, line }: Finding): string => (line === undefined ? file : `${file}:${line}`);

function summary(open: number, fixed: number, fixable: number): string {
  const mended = fixed === 0 ? '' : `, ${fixed} mended`;
  if (open === 0) return `check: everything agrees with the descriptors${mended}`;
  const rest = fixable === 0 ? '' : `; mlcc check --fix mends ${fixable === open ? 'all of them' : fixable}`;
  return `check: ${open} ${open === 1 ? 'finding' : 'findings'}${mended}${rest}`;
}
