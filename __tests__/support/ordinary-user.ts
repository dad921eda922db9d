import { spawnSync } from 'node:child_process';

/** A user that is not root and may use the folders that a test gives it: `yo` refuses to work as root. */
export interface OrdinaryUser {
  /** Puts this in front of a command line to run it as that user. */
  prefix: readonly string[];
  uid: number;
  gid: number;
}

/** The current user, or as root the one that MLCC_TEST_USER names (nobody else's files are touched). Undefined: there is none. */
export function ordinaryUser(): OrdinaryUser | undefined {
  const uid = process.getuid?.() ?? 0;
  if (uid !== 0) return { prefix: [], uid, gid: process.getgid?.() ?? uid };
  const name = process.env.MLCC_TEST_USER ?? 'mlcc-test';
  const ask = (what: string) =>
    Number(spawnSync('id', [what, name], { encoding: 'utf8' }).stdout || Number.NaN);
  const [userId, groupId] = [ask('-u'), ask('-g')];
  if (Number.isNaN(userId)) return undefined;
  return { prefix: ['runuser', '-u', name, '--'], uid: userId, gid: groupId };
}
