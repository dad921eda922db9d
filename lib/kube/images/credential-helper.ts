import { spawn } from 'node:child_process';
import { Failure } from '../../failure/index.js';

/** What a credential helper answers; both texts are empty where it has nothing for the registry. */
export interface HelperAnswer {
  readonly username: string;
  readonly secret: string;
}

/**
 * Asks the program `docker-credential-NAME` on the PATH for a registry's login, by Docker's protocol: the server's
 * address on its stdin, JSON on its stdout. Undefined where it has none. Throws a Failure where the program is missing, fails or is
 * slower than `timeoutMs`; it is ended then.
 */
export function askCredentialHelper(
  name: string,
  server: string,
  { env, timeoutMs }: { env: NodeJS.ProcessEnv; timeoutMs: number },
): Promise<HelperAnswer | undefined> {
  // The name comes from a file and becomes part of a program's name: it must not reach outside the PATH.
  if (!/^[\w.-]+$/.test(name))
    return Promise.reject(helperFailure(name, server, 'its name is no program’s name'));
  const program = `docker-credential-${name}`;
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['get'], { env, stdio: ['pipe', 'pipe', 'ignore'] });
    let output = '';
    const fail = (why: string) => reject(helperFailure(name, server, why));
    const timer = setTimeout(() => {
      fail(`it gave no answer within ${timeoutMs / 1000} s`);
      child.kill('SIGKILL');
      // A child of the helper's may still hold the pipe, which would keep this process alive.
      child.stdout.destroy();
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    // A helper may end without reading its input.
    child.stdin.on('error', () => {});
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(error.code === 'ENOENT' ? 'there is no such program on the PATH' : error.message);
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) {
        const answer = parseAnswer(output);
        if (answer === undefined) fail('its answer is not the JSON of a login');
        else resolve(answer.secret === '' ? undefined : answer);
      } else if (/credentials not found/i.test(output)) {
        resolve(undefined);
      } else {
        fail(`it ended with ${signal ?? `code ${code}`}${firstLine(output)}`);
      }
    });
    child.stdin.end(server);
  });
}

function parseAnswer(output: string): HelperAnswer | undefined {
  try {
    const { Username: username, Secret: secret } = JSON.parse(output) as Record<string, unknown>;
    return typeof username === 'string' && typeof secret === 'string' ? { username, secret } : undefined;
  } catch {
    return undefined;
  }
}

/** A failing helper says why on its stdout. */
function firstLine(output: string): string {
  const line = output
    .trim()
    .split('\n')[0]
    ?.replace(/\p{Cc}/gu, ' ')
    .slice(0, 200);
  return line ? `: ${line}` : '';
}

function helperFailure(name: string, server: string, why: string): Failure {
  return new Failure({
    what: `The credential helper docker-credential-${name} gave no login for ${server}`,
    why,
    next: `Install or repair it, or take '${name}' out of credHelpers and credsStore in Docker’s config.json.`,
  });
}
