import { resolve } from 'node:path';
import type { Command } from 'commander';
import { loadCatalog } from '../../catalog/index.js';
import { check } from '../../check/index.js';
import { checkJson, checkReport } from '../check-report.js';
import { checkOptions } from '../command-options.js';
import { addOptions, targetDirs } from '../option-parsing.js';
import { Exit, type Terminal } from '../terminal.js';

/** `mlcc check [dir]`: whether a project, or the generator itself, agrees with its descriptors. */
export function defineCheck(command: Command, terminal: Terminal): Command {
  addOptions(command.argument('[dir]', 'the project; the current folder by default'), checkOptions);
  return command.action(async (dir: string | undefined, flags: { json?: boolean; fix?: boolean }) => {
    const catalog = loadCatalog({ targetDirs: targetDirs(terminal.argv, terminal.env) });
    const result = await check(resolve(terminal.cwd, dir ?? '.'), { catalog, fix: flags.fix ?? false });
    terminal.out(flags.json ? checkJson(result) : checkReport(result));
    if (result.findings.length > 0) throw new Exit(3);
  });
}
