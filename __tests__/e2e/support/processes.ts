import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** The processes of a group that are still there after a moment: what a script has left behind. */
export async function leftInGroup(group: number): Promise<number[]> {
  for (let looks = 0; looks < 100; looks += 1) {
    if (membersOf(group).length === 0) return [];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return membersOf(group);
}

/** Ended processes that nobody has asked for yet are none; only Linux tells which those are. */
function membersOf(group: number): number[] {
  if (!existsSync('/proc/self/stat')) return isThere(group) ? [group] : [];
  if (!isThere(group)) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const [state, , pgrp] = statOf(pid);
      return pgrp === String(group) && state !== 'Z';
    })
    .map(Number);
}

function isThere(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch {
    return false;
  }
}

/** State, parent and group: what stands behind the program's name in parentheses. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
