import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The AWS CLI that is installed, which is a Python program. */
export interface AwsProgram {
  /** The Python that it runs with. */
  python: string;
  /** What stands on that Python's path beside its own. */
  pythonPath: string[];
  /** The folder with the models of the services. */
  dataFolder: string;
}

// Python runs a file of this name before all else, however the CLI is started (a wrapper, a virtual environment): here
// it says where the CLI is, and the CLI does not run.
const PROBE = `
import importlib.util, json, os, sys
sys.path = [p for p in sys.path if p != os.path.dirname(os.path.abspath(__file__))]
cli = importlib.util.find_spec("awscli")
found = {}
if cli:
    data = os.path.join(os.path.dirname(cli.origin), "botocore", "data")
    if not os.path.isdir(data):
        data = os.path.join(os.path.dirname(importlib.util.find_spec("botocore").origin), "data")
    found = {"python": sys.executable, "pythonPath": [p for p in sys.path if p], "dataFolder": data}
os.write(1, json.dumps(found).encode())
os._exit(0)
`;

let found: AwsProgram | undefined;

/** Finds the AWS CLI on the PATH; undefined when there is none that runs with Python. */
export function findAwsProgram(): AwsProgram | undefined {
  if (found) return found;
  const folder = mkdtempSync(join(tmpdir(), 'mlcc-aws-probe-'));
  try {
    writeFileSync(join(folder, 'sitecustomize.py'), PROBE);
    const env = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
    const text = execFileSync('aws', ['--version'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const program = JSON.parse(text) as Partial<AwsProgram>;
    if (program.python && program.dataFolder) found = program as AwsProgram;
  } catch {
    // No such program, or none that runs with Python.
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return found;
}
