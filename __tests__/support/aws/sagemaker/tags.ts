import { validationException } from '../aws-error.js';
import { type Operations, text } from './operation.js';
import type { Resource, Tag } from './resource.js';
import type { Resources } from './resources.js';
import { checkTags } from './tag-rules.js';

const MOST_TAGS = 50;

export const tagOperations: Operations = {
  ListTags(input, { resources }) {
    return { Tags: tagged(input.ResourceArn, resources).tags };
  },

  AddTags(input, { resources }) {
    const resource = tagged(input.ResourceArn, resources);
    const added = (input.Tags ?? []) as Tag[];
    checkTags(added);
    const keys = new Set(added.map(({ Key }) => Key));
    const tags = [...resource.tags.filter(({ Key }) => !keys.has(Key)), ...added];
    if (tags.length > MOST_TAGS) throw validationException(`A resource has at most ${MOST_TAGS} tags.`);
    resource.tags = tags;
    return { Tags: tags };
  },

  DeleteTags(input, { resources }) {
    const resource = tagged(text(input, 'ResourceArn'), resources);
    const keys = new Set(input.TagKeys as string[]);
    resource.tags = resource.tags.filter(({ Key }) => !keys.has(Key));
    return {};
  },
};

function tagged(arn: unknown, resources: Resources): Resource {
  const resource = resources.byArn(String(arn));
  if (!resource) throw validationException(`Could not find resource "${String(arn)}".`);
  return resource;
}
