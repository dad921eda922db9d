#!/usr/bin/env node
import { processTerminal, run } from '../lib/cli/index.js';

// A reader that closes the pipe early (head, less) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

process.exitCode = await run(processTerminal());
