import { Failure } from '../failure/index.js';

/** SageMaker's limit for names, and Kubernetes' for labels. */
const MAX_NAME = 63;
const PROJECT_NAME = /^[a-z](-?[a-z0-9])*$/;

/**
 * Checks a project's name, which becomes part of image, SageMaker and Kubernetes names: lower-case letters, digits and
 * single inner hyphens, at most 63 characters, starting with a letter. Throws a Failure that suggests a name.
 */
export function checkProjectName(name: string): void {
  if (PROJECT_NAME.test(name) && name.length <= MAX_NAME) return;
  const suggestion = suggestName(name);
  throw new Failure({
    what: `"${name}" is not a project name`,
    why: 'a name has lower-case letters, digits and single inner hyphens, starts with a letter, and has at most 63 characters',
    next: suggestion ? `try: ${suggestion}` : 'give another name',
    exit: 2,
  });
}

/** The nearest valid name, or an empty string when nothing is left of it. */
function suggestName(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[-0-9]+/, '')
    .slice(0, MAX_NAME)
    .replace(/-+$/, '');
}
