import {
  boolYaml11Tag,
  CORE_SCHEMA,
  defineScalarTag,
  intYaml11Tag,
  loadAll,
  mergeTag,
  NOT_RESOLVED,
  nullYaml11Tag,
} from 'js-yaml';

/** YAML 1.1 has numbers in base 60, which would make one of `22:22`; Kubernetes does not. */
const integer = defineScalarTag(intYaml11Tag.tagName, {
  ...intYaml11Tag,
  resolve: (source, isExplicit, tagName) =>
    source.includes(':') ? NOT_RESOLVED : intYaml11Tag.resolve(source, isExplicit, tagName),
});
/** Kubernetes reads YAML 1.1 (`0644` is octal, `yes` is true), but no timestamps and no binaries. */
const SCHEMA = CORE_SCHEMA.withTags(nullYaml11Tag, boolYaml11Tag, integer, mergeTag);

/** The documents of a YAML or JSON text, as Kubernetes reads them. Throws an Error with the line for bad syntax. */
export function parseYaml(text: string): unknown[] {
  return loadAll(text, { schema: SCHEMA });
}
