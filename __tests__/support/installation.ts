import { execFileSync, type StdioOptions } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packageRoot } from '../../lib/package/index.js';
import { developmentVersion } from './versions.js';

/** The package as a user installs it, beside a copy of the git checkout, in a folder that everybody may read. */
export interface Installation {
  root: string;
  /** `node_modules` of an `npm install` of the packed tarball, with yo beside it. */
  modules: string;
  /** The installed package. */
  installed: string;
  /** The files that git knows, built. */
  checkout: string;
  tarballs: { npm: string; pnpm: string };
  remove(): void;
}

export function install(): Installation {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mlcc-install-')));
  chmodSync(root, 0o755);
  const quiet: { encoding: 'utf8'; stdio: StdioOptions } = {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  };
  const npm = join(
    root,
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', root], {
      ...quiet,
      cwd: packageRoot,
    }).trim(),
  );
  const pnpmFolder = join(root, 'pnpm');
  mkdirSync(pnpmFolder);
  const pnpmBinary = join(packageRoot, 'node_modules/.bin/pnpm');
  execFileSync(pnpmBinary, ['pack', '--config.ignore-scripts=true', '--pack-destination', pnpmFolder], {
    ...quiet,
    cwd: packageRoot,
  });
  const pnpm = join(pnpmFolder, readdirSync(pnpmFolder)[0] ?? '');

  const prefix = join(root, 'prefix');
  mkdirSync(prefix);
  const yo = `yo@${developmentVersion('yo')}`;
  execFileSync(
    'npm',
    [
      'install',
      '--prefix',
      prefix,
      '--prefer-offline',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      npm,
      yo,
    ],
    quiet,
  );
  const modules = join(prefix, 'node_modules');

  const checkout = join(root, 'checkout', 'generator-mlcc');
  const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    ...quiet,
    cwd: packageRoot,
  });
  for (const path of tracked.split('\0').filter((name) => name && !name.startsWith('__tests__/'))) {
    const source = join(packageRoot, path);
    if (!existsSync(source) || !lstatSync(source).isFile()) continue;
    mkdirSync(dirname(join(checkout, path)), { recursive: true });
    cpSync(source, join(checkout, path));
  }
  cpSync(join(packageRoot, 'dist'), join(checkout, 'dist'), { recursive: true });
  symlinkSync(modules, join(checkout, 'node_modules'));
  execFileSync('chmod', ['-R', 'a+rX', root]);
  return {
    root,
    modules,
    installed: join(modules, 'generator-mlcc'),
    checkout,
    tarballs: { npm, pnpm },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}
