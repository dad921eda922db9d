import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A call of a function, on the way to the start of a program. */
export interface Frame {
  callee: string;
  /** The file that the call stands in, below do/. */
  file: string;
  line: number;
}

/** From the program outwards. */
export type Stack = readonly Frame[];

// Sourced by every bash that a script starts: the program's name notes who called it, and by whom that was called.
const tracerOf = (program: string) => `${program}() {
  local i stack=''
  for ((i = 1; i < \${#FUNCNAME[@]}; i++)); do
    stack+="\${FUNCNAME[i - 1]}|\${BASH_SOURCE[i]#"$MLCC_TRACE_ROOT/"}|\${BASH_LINENO[i - 1]};"
  done
  printf '%s\\n' "$stack" >>"$MLCC_TRACE"
  command ${program} "$@"
}
`;

/** Writes down from where a project's scripts start programs: the AWS CLI, unless others are named. */
export class CallTrace {
  readonly #path: string;
  /** For the scripts. */
  readonly environment: Record<string, string>;

  constructor(home: string, projectFolder: string, programs: readonly string[] = ['aws']) {
    this.#path = join(home, 'calls');
    const tracer = join(home, 'tracer.sh');
    writeFileSync(tracer, programs.map(tracerOf).join(''));
    this.environment = {
      BASH_ENV: tracer,
      MLCC_TRACE: this.#path,
      MLCC_TRACE_ROOT: join(projectFolder, 'do'),
    };
  }

  /** The calls since the last question. */
  take(): Stack[] {
    if (!existsSync(this.#path)) return [];
    const text = readFileSync(this.#path, 'utf8');
    rmSync(this.#path);
    return text.split('\n').filter(Boolean).map(stackOf);
  }
}

function stackOf(line: string): Stack {
  return line
    .split(';')
    .filter(Boolean)
    .map((frame) => {
      const [callee = '', file = '', at = ''] = frame.split('|');
      return { callee, file: file.replace(/^.*\/do\//, ''), line: Number(at) };
    });
}
