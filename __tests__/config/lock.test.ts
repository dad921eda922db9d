import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { readConfigFile, setConfigValue, withConfigLock } from '../../lib/config/index.js';
import { LANGUAGES, type Language, Writers } from './support/writers.js';

const writers = new Writers();
const folder = mkdtempSync(join(tmpdir(), 'mlcc-lock-'));
afterAll(() => {
  writers.remove();
  rmSync(folder, { recursive: true });
});

let count = 0;
function configWith(text: string): string {
  count += 1;
  const file = join(folder, `config-${count}`);
  writeFileSync(file, text);
  return file;
}

/** A process id that is no process's: the kernel gives out none above its limit of 2^22. */
const NO_PROCESS = 2 ** 22 + 1;

describe('many writers at once', () => {
  test('[C05] 40 writers of 40 keys, in a mix of the languages, all win, and a reader sees whole files only', async () => {
    const filler = 'x'.repeat(2_000);
    const file = configWith('# head\n');
    const keys = Array.from({ length: 40 }, (_, index) => `K${index}`);
    let isDone = false;
    const torn: string[] = [];
    let readings = 0;
    const watching = (async () => {
      while (!isDone) {
        const text = readFileSync(file, 'utf8');
        readings += 1;
        if (!/^# head\n(export K\d+='x{2000}'\n)*$/.test(text)) torn.push(text);
        await sleep(1);
      }
    })();
    const ended = await Promise.all(
      keys.map((key, index) =>
        writers.run(writers.command(LANGUAGES[index % 3] as Language, file, key, filler)),
      ),
    );
    isDone = true;
    await watching;
    expect(ended.filter(({ code }) => code !== 0)).toEqual([]);
    expect(readConfigFile(file).keys().sort()).toEqual(keys.sort());
    expect(torn).toEqual([]);
    expect(readings).toBeGreaterThan(10);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  test('[C05] writers of one process take turns', async () => {
    const file = configWith('');
    const keys = Array.from({ length: 20 }, (_, index) => `K${index}`);
    await Promise.all(keys.map((key) => setConfigValue(file, key, 'v')));
    expect(readConfigFile(file).keys().sort()).toEqual(keys.sort());
  });
});

interface Death {
  holder: Language;
  when: string;
  /** For bash: the program that hangs, and whether it does its work before. */
  hanging?: 'cp' | 'mv';
  worksFirst?: boolean;
}

const DEATHS: readonly Death[] = [
  { holder: 'bash', when: 'before it copies', hanging: 'cp' },
  { holder: 'bash', when: 'after it has copied', hanging: 'cp', worksFirst: true },
  { holder: 'bash', when: 'before it renames', hanging: 'mv' },
  { holder: 'Python', when: 'in its work' },
  { holder: 'TypeScript', when: 'in its work' },
];

describe('a writer that is killed while it holds the lock', () => {
  /** The environment in which bash dies at the right moment. Made before anything runs: a busy file cannot be run. */
  function deathTrap({ when, hanging, worksFirst }: Death): NodeJS.ProcessEnv {
    if (hanging === undefined) return {};
    const work = worksFirst ? `PATH=\${PATH#*:} ${hanging} "$@"\n` : '';
    return { PATH: writers.programs(when, { [hanging]: `#!/bin/sh\n${work}echo held $$\nexec sleep 60\n` }) };
  }

  /** Starts a writer and kills it as soon as it says that it holds the lock. */
  async function killHolder(holder: Language, file: string, env: NodeJS.ProcessEnv): Promise<void> {
    const child = writers.start(writers.command(holder, file, 'LAST', 'x', '', 'hold'), env);
    const closed = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
    });
    const said = await new Promise<string>((resolve) => {
      child.stdout?.once('data', (text: Buffer) => resolve(text.toString()));
      child.once('exit', () => resolve('nothing'));
    });
    expect(said).toMatch(/^held/);
    child.kill('SIGKILL');
    const hung = Number(said.split(' ')[1]);
    if (hung) process.kill(hung, 'SIGKILL');
    if (hung || holder !== 'bash') await closed;
    expect(existsSync(`${file}.lock`)).toBe(true);
  }

  test.each(DEATHS)('does not stop the next one: $holder, $when', async (death) => {
    const env = deathTrap(death);
    await Promise.all(
      LANGUAGES.map(async (next) => {
        const file = configWith("export OLD='kept'\n");
        await killHolder(death.holder, file, env);
        const { code, stderr } = await writers.run(writers.command(next, file, 'K', 'v'));
        expect({ next, code, stderr }).toEqual({ next, code: 0, stderr: '' });
        expect(readFileSync(file, 'utf8')).toBe("export OLD='kept'\nexport K='v'\n");
        expect([existsSync(`${file}.lock`), existsSync(`${file}.lock.break`)]).toEqual([false, false]);
      }),
    );
  });

  test('whose mv is still at work does not get the next one overwritten', async () => {
    const slow = '#!/bin/sh\necho held\nsleep 0.4\nPATH=${PATH#*:} exec mv "$@"\n';
    const env = { PATH: writers.programs('slow mv', { mv: slow }) };
    await Promise.all(
      LANGUAGES.map(async (next) => {
        const file = configWith("export OLD='kept'\n");
        await killHolder('bash', file, env);
        expect(await writers.run(writers.command(next, file, 'K', 'v'))).toMatchObject({ code: 0 });
        expect(readFileSync(file, 'utf8')).toBe("export OLD='kept'\nexport LAST='x'\nexport K='v'\n");
      }),
    );
  });

  test('[C05] killed at any moment, in a crowd: all others win', async () => {
    const file = configWith("export OLD='kept'\n");
    const results = await Promise.all(
      Array.from({ length: 24 }, async (_, index) => {
        const key = `K${index}`;
        const child = writers.start(writers.command(LANGUAGES[index % 3] as Language, file, key, 'v'));
        const ended = new Promise<number | null>((resolve) => {
          child.once('close', resolve);
        });
        if (index % 4 === 0) {
          await sleep(Math.random() * 600);
          child.kill('SIGKILL');
        }
        return { key, code: await ended };
      }),
    );
    expect(results.filter(({ code }) => code !== 0 && code !== null)).toEqual([]);
    const keys = readConfigFile(file).keys();
    const wins = results.filter(({ code }) => code === 0).map(({ key }) => key);
    expect(wins.length).toBeGreaterThanOrEqual(18);
    expect(['OLD', ...wins].filter((key) => !keys.includes(key))).toEqual([]);
  });
});

/** All languages at once, each with a config of its own, because these wait for seconds. */
async function runAll(
  prepare: (file: string) => void,
  patience = '',
): Promise<{ language: Language; code: number | null; stderr: string; text: string; hasLock: boolean }[]> {
  return Promise.all(
    LANGUAGES.map(async (language) => {
      const file = configWith("export OLD='kept'\n");
      prepare(file);
      const { code, stderr } = await writers.run(writers.command(language, file, 'K', 'v', patience));
      return {
        language,
        code,
        stderr,
        text: readFileSync(file, 'utf8'),
        hasLock: existsSync(`${file}.lock`),
      };
    }),
  );
}

const written = LANGUAGES.map((language) => ({
  language,
  code: 0,
  stderr: '',
  text: "export OLD='kept'\nexport K='v'\n",
  hasLock: false,
}));

describe('locks that are left behind', () => {
  const deadOwner = `${NO_PROCESS} ${hostname()} 1 mlcc-lock\n`;

  test.concurrent('an empty one, whose owner was killed before it wrote its name', async () => {
    expect(await runAll((file) => writeFileSync(`${file}.lock`, ''))).toEqual(written);
  });

  test.concurrent('one with half of the new contents, whose owner only config.owner names', async () => {
    const results = await runAll((file) => {
      writeFileSync(`${file}.owner`, deadOwner);
      writeFileSync(`${file}.lock`, 'export OL');
    });
    expect(results).toEqual(written);
  });

  test.concurrent('one that a waiter was killed over while it removed it', async () => {
    const results = await runAll((file) => {
      writeFileSync(`${file}.lock`, deadOwner);
      writeFileSync(`${file}.lock.break`, deadOwner);
    });
    expect(results).toEqual(written);
  });

  test.concurrent('one of another host, after the time that a waiter waits', async () => {
    const results = await runAll((file) => writeFileSync(`${file}.lock`, '1 elsewhere 1 mlcc-lock\n'), '2');
    expect(results).toEqual(written);
  });
});

describe('a lock that is held', () => {
  test.concurrent('is not broken: the waiter gives up, names the owner and changes nothing', async () => {
    const owner = `${process.pid} ${hostname()} 1 mlcc-lock\n`;
    const results = await runAll((file) => writeFileSync(`${file}.lock`, owner), '2');
    for (const { code, stderr, text, hasLock } of results) {
      expect({ code, text, hasLock }).toEqual({ code: 1, text: "export OLD='kept'\n", hasLock: true });
      expect(stderr).toContain(`locked by process ${process.pid}`);
    }
  });

  test.concurrent('is not broken for the owner before, whom config.owner still names while a lock is being made', async () => {
    const dead = `${NO_PROCESS} ${hostname()} 1 mlcc-lock\n`;
    const file = configWith("export OLD='kept'\n");
    writeFileSync(`${file}.owner`, dead);
    writeFileSync(`${file}.lock`, '');
    const waiting = LANGUAGES.map((language) =>
      writers.run(writers.command(language, file, `K_${language}`, 'v')),
    );
    await sleep(1_000);
    expect(readFileSync(`${file}.lock`, 'utf8')).toBe('');
    rmSync(`${file}.lock`);
    expect((await Promise.all(waiting)).map(({ code }) => code)).toEqual([0, 0, 0]);
    expect(readConfigFile(file).keys().length).toBe(4);
  });

  test('is released when the work fails, and when it changes nothing', async () => {
    const file = configWith("export OLD='kept'\n");
    await expect(withConfigLock(file, () => Promise.reject(new Error('stop')))).rejects.toThrow('stop');
    await withConfigLock(file, (locked) => locked.replace(locked.text));
    await withConfigLock(file, (locked) => locked.replace('# new\n'));
    expect(readFileSync(file, 'utf8')).toBe('# new\n');
    expect(existsSync(`${file}.lock`)).toBe(false);
  });
});
