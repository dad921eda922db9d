import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestProject } from '../../support/project.js';
import { fakeProgram } from './fake-program.js';
import { usePython } from './python.js';

/**
 * A fake `aws` for the calls that reach a deployed model. It is as strict as both generations of the CLI at once: a body that
 * is not `fileb://` and flags of one generation alone are refused. S3 is a folder; what fails is written there as well.
 */
const PROGRAM = `
{ printf '%s\\037' "$@"; printf 'MAX=%s\\n' "\${AWS_MAX_ATTEMPTS:-}"; } >>"$HOME/calls"
s3=$HOME/s3 service='' operation='' bucket='' key='' body='' range='' prefix='' last=''
error() { echo >&2; echo "An error occurred ($1) when calling the X operation: $2" >&2; exit 254; }
[[ -z \${AWS_PAGER-less} ]] || error Pager 'would page'
while (($# > 0)); do
  last=$1
  case $1 in
    --body) body=$2 ;;
    --bucket) bucket=$2 ;;
    --key) key=$2 ;;
    --range) range=$2 ;;
    --prefix) prefix=$2 ;;
    --cli-binary-format | --no-cli-pager) error Usage "Unknown options: $1" ;;
  esac
  case $1 in
    --*) shift ;;
    *) if [[ -z $service ]]; then service=$1; elif [[ -z $operation ]]; then operation=$1; fi ;;
  esac
  shift
done
if [[ -f $HOME/fails/$operation ]]; then cat "$HOME/fails/$operation" >&2; exit 254; fi
case $service/$operation in
  sts/get-caller-identity) printf '123456789012\\tarn:aws:iam::123456789012:user/me\\n' ;;
  sagemaker-runtime/invoke-endpoint)
    [[ $body == fileb://* ]] || error Usage "Invalid base64: \\"$body\\""
    cp "\${body#fileb://}" "$HOME/body"
    cp "$HOME/answer" "$last"
    ;;
  sagemaker-runtime/invoke-endpoint-async)
    cat "$HOME/locations"
    ;;
  s3api/put-object)
    [[ -f $body ]] || error Usage "no such file: $body"
    mkdir -p "$(dirname "$s3/$bucket/$key")"
    cp "$body" "$s3/$bucket/$key"
    ;;
  s3api/get-object)
    looks=$(cat "$HOME/looks" 2>/dev/null || echo 0)
    if [[ -f $s3/$bucket/$key ]] && ((looks <= 0)); then
      cp "$s3/$bucket/$key" "$last"
      if [[ -n $range ]]; then head -c "$((\${range#*-} + 1))" "$s3/$bucket/$key" >"$last"; fi
    else
      echo $((looks - 1)) >"$HOME/looks"
      error NoSuchKey 'The specified key does not exist.'
    fi
    ;;
  s3api/list-objects-v2) grep -F "	$prefix" "$HOME/listing" || echo None ;;
  sagemaker/describe-transform-job) cat "$HOME/job" ;;
  *) error Unknown "$service $operation" ;;
esac
`;

export interface ModelCall {
  args: string[];
  /** What AWS_MAX_ATTEMPTS was. */
  attempts: string;
}

export class ModelAws {
  readonly PATH: string;

  constructor(private readonly project: TestProject) {
    this.PATH = fakeProgram(project, 'aws', PROGRAM);
    fakeProgram(project, 'sleep', ':');
    usePython(project);
  }

  /** Writes a file below HOME: `answer` is the model's, `locations` the service's, `s3/bucket/key` an object. */
  write(file: string, text: string): void {
    const path = join(this.project.home, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  read(file: string): string {
    return readFileSync(join(this.project.home, file), 'utf8');
  }

  /** From now on every call of the operation fails with this code and message of the service. */
  fail(operation: string, code: string, message: string): void {
    const text = `\nAn error occurred (${code}) when calling the X operation: ${message}\n`;
    this.write(`fails/${operation}`, text);
  }

  /** The calls so far of an operation, or all. */
  calls(operation?: string): ModelCall[] {
    if (!existsSync(join(this.project.home, 'calls'))) return [];
    const calls = this.read('calls')
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\x1f'))
      .map((words) => ({ args: words.slice(0, -1), attempts: words.at(-1)?.slice('MAX='.length) ?? '' }));
    return calls.filter(({ args }) => operation === undefined || args.includes(operation));
  }
}
