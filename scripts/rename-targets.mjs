// rename-targets.mjs DIR: gives every target, alias and status tag of the catalogue in DIR/targets.d a random name.
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(process.argv[2] ?? '', 'targets.d');
const letters = 'bcdfghjklmnpqrstvwxz';
const vowels = 'aeiou';
const used = new Set();

function word() {
  for (;;) {
    const syllable = () =>
      letters[Math.floor(Math.random() * letters.length)] + vowels[Math.floor(Math.random() * 5)];
    const made = syllable() + syllable() + syllable();
    if (!used.has(made)) {
      used.add(made);
      return made;
    }
  }
}

/** A name with as many parts as the old one, so that hyphens stay covered. */
const renamed = (name, first = word()) => [first, ...name.split('-').slice(1).map(word)].join('-');
const camel = (variable) =>
  variable.toLowerCase().replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());

const names = new Map();
const folders = readdirSync(root)
  .filter((name) => statSync(join(root, name)).isDirectory())
  .sort();
// The catalogue is sorted by name; it keeps its order, so that a test which takes "the first target" takes the same one.
const firstWords = folders.map(word).sort();
for (const [index, folder] of folders.entries()) {
  const file = join(root, folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const name = renamed(folder, firstWords[index]);
  const tag = word().toUpperCase();
  const oldPrefix = manifest.status_var.replace(/STATUS$/, '');
  names.set(folder, name);
  manifest.target = name;
  manifest.aliases = manifest.aliases.map((alias) => renamed(alias));
  manifest.status_var = `DEPLOYMENT_TARGET_${tag}_STATUS`;
  manifest.answer_key = camel(manifest.status_var);
  manifest.deploy_script = `deploy.d/${name}`;
  manifest.clean_script = `clean.d/${name}`;
  manifest.runtime_owned_vars = manifest.runtime_owned_vars.map((variable) =>
    variable.startsWith(oldPrefix) ? variable.replace(oldPrefix, `DEPLOYMENT_TARGET_${tag}_`) : variable,
  );
  writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  renameSync(join(root, folder), join(root, name));
  console.log(`${folder} -> ${name} (${tag})`);
}

const shared = join(root, 'variables.json');
const variables = JSON.parse(readFileSync(shared, 'utf8'));
const chosen = variables.variables.DEPLOYMENT_TARGET;
chosen.default = names.get(chosen.default) ?? chosen.default;
writeFileSync(shared, `${JSON.stringify(variables, null, 2)}\n`);
