import { logGroup, logStream } from '../logs.js';
import { s3Place } from '../objects.js';
import type { Context } from './operation.js';
import type { Json, Resource } from './resource.js';

const BYTES_PER_MB = 1024 * 1024;

type Outcome = [status: 'Completed' | 'Failed', reason?: string];

/** Does a transform job's work: each input object through the container, one output object for each. */
export async function runTransform(job: Resource, context: Context, fails?: string): Promise<Outcome> {
  const outcome: Outcome = fails === undefined ? await transformAll(job, context) : ['Failed', fails];
  const lines = [`Starting the transform job ${job.name}`, outcome[1] ?? 'The transform job is done'];
  const stream = logStream(job.name, job.name);
  await context.effects.logs.write(job.region, logGroup('transform-job', job.name), stream, lines);
  return outcome;
}

async function transformAll(job: Resource, { effects }: Context): Promise<Outcome> {
  const input = job.spec.TransformInput as Json;
  const source = (input.DataSource as Json).S3DataSource as Json;
  const from = s3Place(String(source.S3Uri));
  const to = s3Place(String((job.spec.TransformOutput as Json).S3OutputPath));
  const keys = (await effects.objects.keys(from.bucket, from.key))?.filter((key) => !key.endsWith('/')) ?? [];
  if (keys.length === 0) {
    const words = `ClientError: No S3 objects found under S3 URL "${String(source.S3Uri)}" given in input data source.`;
    return [
      'Failed',
      `${words} Please ensure that the bucket exists in the region and that objects exist under it.`,
    ];
  }
  const folder = from.key.slice(0, from.key.lastIndexOf('/') + 1);
  for (const key of keys) {
    const output = await transformOne(
      job,
      (await effects.objects.read({ ...from, key })) ?? Buffer.alloc(0),
      effects,
    );
    if (output === undefined) return ['Failed', 'ClientError: See job logs for more information'];
    const name = [to.key.replace(/\/$/, ''), `${key.slice(folder.length)}.out`].filter(Boolean).join('/');
    await effects.objects.write({ bucket: to.bucket, key: name }, output);
  }
  return ['Completed'];
}

/** One object's output; undefined when the container has failed. */
async function transformOne(
  job: Resource,
  body: Buffer,
  { containers }: Context['effects'],
): Promise<Buffer | undefined> {
  const input = job.spec.TransformInput as Json;
  const outputs: Buffer[] = [];
  for (const batch of batches(job, body)) {
    const contentType = String(input.ContentType ?? 'application/octet-stream');
    const reply = await containers.invoke({
      kind: 'transform-job',
      name: job.name,
      contentType,
      body: batch,
    });
    if (reply.status >= 400) return undefined;
    outputs.push(joined(job, batch, reply.body));
  }
  const assembles = (job.spec.TransformOutput as Json).AssembleWith === 'Line';
  return assembles ? Buffer.from(`${outputs.join('\n')}\n`) : Buffer.concat(outputs);
}

/** What goes into one request: the whole object, one line, or as many lines as the payload may have. */
function batches(job: Resource, body: Buffer): Buffer[] {
  const { TransformInput, BatchStrategy, MaxPayloadInMB } = job.spec;
  if ((TransformInput as Json).SplitType !== 'Line') return [body];
  const lines = body.toString('utf8').split('\n').filter(Boolean);
  if (BatchStrategy === 'SingleRecord') return lines.map((line) => Buffer.from(line));
  const most = Number(MaxPayloadInMB ?? 6) * BYTES_PER_MB;
  const found: string[] = [];
  for (const line of lines) {
    const last = found.at(-1);
    if (last !== undefined && last.length + line.length < most) found[found.length - 1] = `${last}\n${line}`;
    else found.push(line);
  }
  return found.map((text) => Buffer.from(text));
}

function joined(job: Resource, input: Buffer, output: Buffer): Buffer {
  if ((job.spec.DataProcessing as Json | undefined)?.JoinSource !== 'Input') return output;
  try {
    const record = JSON.parse(input.toString('utf8')) as Json;
    return Buffer.from(JSON.stringify({ ...record, SageMakerOutput: JSON.parse(output.toString('utf8')) }));
  } catch {
    return Buffer.concat([input, Buffer.from(','), output]);
  }
}
