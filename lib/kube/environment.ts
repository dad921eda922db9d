import type { EnvVar } from 'kubernetes-types/core/v1.js';
import { literal, references } from './expansion.js';
import { Faults } from './faults.js';
import type { SecretVariable } from './profile.js';

/** Where a variable's value comes from, for messages. */
interface Origin {
  /** What a person would look for: a table's name. */
  source: string;
  /** `file:line`. */
  where: string;
}

/**
 * The environment of one container, in which a name never stands twice. The renderer's own variables come first, in the
 * order of their making; all others follow by name, so that the order of keys in a file does not matter.
 */
export class Environment {
  private readonly own = new Map<string, EnvVar>();
  private readonly given = new Map<string, EnvVar>();
  private readonly origins = new Map<string, Origin & { value: string }>();

  /** @param expand whether `$(NAME)` and `$$` in people's literals keep their meaning to Kubernetes */
  constructor(
    private readonly expand: boolean,
    private readonly faults: Faults = new Faults(),
  ) {}

  /** Sets a variable of the renderer's own; an absent value sets none. */
  set(name: string, value: string | undefined): void {
    if (value !== undefined) this.own.set(name, { name, value: literal(value) });
  }

  /** Sets a variable of the renderer's own from a field of the Pod. */
  setField(name: string, fieldPath: string): void {
    this.own.set(name, { name, valueFrom: { fieldRef: { fieldPath } } });
  }

  /** Hands on a variable of the manifest. Another value for the same name is a fault. */
  handOn(name: string, value: string, origin: Origin): void {
    const earlier = this.origins.get(name);
    if (this.own.has(name)) {
      this.faults.add(origin.where, `${origin.source} sets \`${name}\`, which the renderer sets itself`);
    } else if (earlier && earlier.value !== value) {
      const other = `${earlier.source} (${earlier.where})`;
      this.faults.add(origin.where, `${origin.source} sets \`${name}\` to another value than ${other} does`);
    } else {
      this.origins.set(name, { ...origin, value });
      this.given.set(name, this.entry(name, value));
    }
  }

  /** Sets or replaces variables with the profile's, which have the last word. */
  override(env: ReadonlyMap<string, string>, secrets: readonly SecretVariable[]): void {
    for (const { name, secret, key } of secrets) {
      this.replace({ name, valueFrom: { secretKeyRef: { name: secret, key } } });
    }
    for (const [name, value] of env) this.replace(this.entry(name, value));
  }

  /** The variables in their final order: with `expand`, each behind those that it refers to. */
  entries(): EnvVar[] {
    const byName = [...this.given.keys()].sort().flatMap((name) => this.given.get(name) ?? []);
    return [...this.own.values(), ...(this.expand ? this.behindReferences(byName) : byName)];
  }

  private entry(name: string, value: string): EnvVar {
    return { name, value: this.expand ? value : literal(value) };
  }

  private replace(entry: EnvVar): void {
    if (this.own.has(entry.name)) this.own.set(entry.name, entry);
    else this.given.set(entry.name, entry);
  }

  private behindReferences(entries: readonly EnvVar[]): EnvVar[] {
    const ordered = new Set<EnvVar>();
    const visit = (entry: EnvVar, inProgress: ReadonlySet<string>) => {
      for (const name of references(entry.value ?? '')) {
        const needed = this.given.get(name);
        if (!needed || inProgress.has(name)) continue;
        visit(needed, new Set([...inProgress, name]));
      }
      ordered.add(entry);
    };
    for (const entry of entries) visit(entry, new Set([entry.name]));
    return [...ordered];
  }
}
