import { validationException } from '../aws-error.js';
import { type ServiceModel, type Shape, shapeOf } from './service-model.js';

/** Refuses an input that does not fit the operation's shape, in the service's own words. */
export function validateInput(model: ServiceModel, shapeName: string, input: unknown): void {
  const problems = problemsOf(model, shapeName, input);
  if (problems.length === 0) return;
  const count = `${problems.length} validation error${problems.length > 1 ? 's' : ''} detected`;
  throw validationException(`${count}: ${problems.join('; ')}`);
}

/** All that is wrong with a value of that shape. */
export function problemsOf(model: ServiceModel, shapeName: string, value: unknown, path = ''): string[] {
  const shape = shapeOf(model, shapeName);
  const complain = (constraint: string) => [
    `Value '${display(value)}' at '${path || 'input'}' failed to satisfy constraint: ${constraint}`,
  ];
  switch (shape.type) {
    case 'structure':
      if (!isRecord(value)) return complain('Member must be a structure');
      return structureProblems(model, shape, value, path);
    case 'list':
      if (!Array.isArray(value)) return complain('Member must be a list');
      return [
        ...sizeProblems(shape, value.length, 'length', complain),
        ...value.flatMap((item, index) =>
          problemsOf(model, shape.member?.shape ?? '', item, `${path}.${index + 1}.member`),
        ),
      ];
    case 'map':
      if (!isRecord(value)) return complain('Member must be a map');
      return [
        ...sizeProblems(shape, Object.keys(value).length, 'length', complain),
        ...Object.entries(value).flatMap(([key, item]) => [
          ...problemsOf(model, shape.key?.shape ?? '', key, `${path}.key`),
          ...problemsOf(model, shape.value?.shape ?? '', item, `${path}.${key}.member`),
        ]),
      ];
    case 'string':
      return typeof value === 'string'
        ? stringProblems(shape, value, complain)
        : complain('Member must be a string');
    case 'boolean':
      return typeof value === 'boolean' ? [] : complain('Member must be a boolean');
    case 'integer':
    case 'long':
      return Number.isInteger(value)
        ? sizeProblems(shape, value as number, 'value', complain)
        : complain('Member must be a whole number');
    case 'float':
    case 'double':
      return typeof value === 'number'
        ? sizeProblems(shape, value, 'value', complain)
        : complain('Member must be a number');
    default:
      return typeof value === 'number' || typeof value === 'string'
        ? []
        : complain('Member has another type');
  }
}

type Complain = (constraint: string) => string[];

function structureProblems(
  model: ServiceModel,
  shape: Shape,
  value: Record<string, unknown>,
  path: string,
): string[] {
  const members = shape.members ?? {};
  const at = (name: string) => (path ? `${path}.${lowerFirst(name)}` : lowerFirst(name));
  return [
    ...(shape.required ?? [])
      .filter((name) => value[name] === undefined || value[name] === null)
      .map((name) => `Value null at '${at(name)}' failed to satisfy constraint: Member must not be null`),
    ...Object.entries(value).flatMap(([name, item]) => {
      if (item === undefined || item === null) return [];
      const member = members[name];
      if (member) return problemsOf(model, member.shape, item, at(name));
      return [`Value '${display(item)}' at '${at(name)}' failed to satisfy constraint: Member is not known`];
    }),
  ];
}

function stringProblems(shape: Shape, value: string, complain: Complain): string[] {
  const problems = sizeProblems(shape, value.length, 'length', complain);
  if (shape.enum && !shape.enum.includes(value)) {
    problems.push(...complain(`Member must satisfy enum value set: [${shape.enum.join(', ')}]`));
  }
  if (shape.pattern && !wholePattern(shape.pattern).test(value)) {
    problems.push(...complain(`Member must satisfy regular expression pattern: ${shape.pattern}`));
  }
  return problems;
}

function sizeProblems(shape: Shape, size: number, what: 'length' | 'value', complain: Complain): string[] {
  if (shape.min !== undefined && size < shape.min) {
    return complain(`Member must have ${what} greater than or equal to ${shape.min}`);
  }
  if (shape.max !== undefined && size > shape.max) {
    return complain(`Member must have ${what} less than or equal to ${shape.max}`);
  }
  return [];
}

const patterns = new Map<string, RegExp>();

/** The service matches a pattern with the whole value; its dialect is Java's. */
function wholePattern(pattern: string): RegExp {
  let compiled = patterns.get(pattern);
  if (!compiled) {
    const body = pattern
      .replace(/\\p\{ASCII\}/g, '[\\x00-\\x7f]')
      .replace(/\\p\{Alnum\}/g, 'a-zA-Z0-9')
      .replace(/\\p\{Print\}/g, '\\x20-\\x7e')
      .replace(/\\A/g, '^')
      .replace(/\\z/g, '$');
    // With the flag u, a class must not escape what needs no escape: those of the models are of the older kind.
    const usesProperties = /\\p\{/.test(body);
    compiled = usesProperties ? new RegExp(`^(?:${body})$`, 'su') : new RegExp(`^(?:${body})$`, 's');
    patterns.set(pattern, compiled);
  }
  return compiled;
}

function display(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
