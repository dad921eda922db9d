import type { Faults } from '../faults.js';
import type { Settings } from './settings.js';

/** Where the weights come from: a prefix in a bucket, or the Hugging Face hub. */
export type ModelSource =
  | { kind: 's3'; bucket: string; prefix: string; uri: string }
  | { kind: 'hub'; modelId: string };

/** Staged weights come first, then the model's id on the hub; a model that is itself an s3:// path counts as staged. */
export function modelSourceOf(settings: Settings, faults: Faults): ModelSource {
  const modelId = settings.get('HF_MODEL_ID') || settings.get('MODEL_NAME');
  const staged = settings.get('STAGED_MODEL_PATH') || (modelId.startsWith('s3://') ? modelId : '');
  if (staged === '') {
    if (modelId === '')
      faults.add(settings.where('MODEL_NAME'), 'set MODEL_NAME: there is no model to serve');
    return { kind: 'hub', modelId };
  }
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]+)(?:\/(.*))?$/.exec(staged) ?? [];
  if (bucket === undefined) {
    const variable = settings.get('STAGED_MODEL_PATH') ? 'STAGED_MODEL_PATH' : 'MODEL_NAME';
    faults.add(settings.where(variable), `${variable} \`${staged}\` is not s3://BUCKET/PREFIX`);
  }
  return { kind: 's3', bucket: bucket ?? '', prefix: prefix.replace(/\/+$/, ''), uri: staged };
}
