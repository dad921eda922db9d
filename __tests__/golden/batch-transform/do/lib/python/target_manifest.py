#!/usr/bin/env python3
"""What the target descriptors in do/targets.d say, and what derives from them.

usage: target_manifest.py <field> <target>    a field of a descriptor; <target> may be an alias
       target_manifest.py canonical <name>    the target that a name or alias means
       target_manifest.py list                every target
exit:  0 done, 1 a descriptor cannot be read, 2 usage, 4 unknown target, 5 the descriptor leaves the field out
"""

import sys

from descriptors import (
    DO_DIR,
    EXIT_UNKNOWN_NAME,
    EXIT_USAGE,
    DescriptorError,
    fail,
    hint,
    names,
    print_field,
    read_object,
)
from serve_manifest import serve_engine_runtime_vars_union  # noqa: F401  (part of this module's interface)

TARGETS_DIR = DO_DIR / "targets.d"

FIELDS = (
    "target",
    "summary",
    "aliases",
    "status_var",
    "answer_key",
    "success_status",
    "family",
    "invocation",
    "workload",
    "sagemaker_endpoint",
    "deploy_script",
    "clean_script",
    "required_vars",
    "optional_vars",
    "runtime_owned_vars",
    "serving_config_source",
    "verbs",
    "verb_guidance",
    "params",
)


# What the functions below and do/deploy rely on.
_SHAPE = {
    "target": str,
    "aliases": list,
    "status_var": str,
    "required_vars": list,
    "optional_vars": dict,
    "runtime_owned_vars": list,
    "verbs": dict,
}


def load(folder=TARGETS_DIR):
    """Every descriptor, by canonical name. Raises DescriptorError."""
    return {name: load_one(name, folder) for name in names(folder)}


def load_one(name, folder=TARGETS_DIR):
    """The descriptor of one target. Raises DescriptorError."""
    path = folder / name / "manifest.json"
    manifest = read_object(path)
    for field, kind in _SHAPE.items():
        if not isinstance(manifest.get(field), kind):
            raise DescriptorError(f"{path}: /{field} is missing or of the wrong kind")
    params = manifest.get("params", {})
    if not isinstance(params, dict) or not all(isinstance(param, dict) for param in params.values()):
        raise DescriptorError(f"{path}: /params is of the wrong kind")
    if manifest["target"] != name:
        raise DescriptorError(f'{path}: /target is "{manifest["target"]}" in the folder of {name}')
    return manifest


def shared_variables(folder=TARGETS_DIR):
    """The variables that all targets share, by name. Raises DescriptorError."""
    variables = read_object(folder / "variables.json").get("variables")
    if not isinstance(variables, dict):
        raise DescriptorError(f'{folder / "variables.json"}: no "variables" object')
    return variables


def target_aliases(manifests=None):
    """Alias -> canonical name."""
    return {alias: name for name, manifest in _all(manifests).items() for alias in manifest["aliases"]}


def canonical(name, manifests=None):
    """The target that a name or alias means, or None."""
    manifests = _all(manifests)
    return name if name in manifests else target_aliases(manifests).get(name)


def schemas(manifests=None):
    """Target -> {"required": [...], "optional": {variable: default}}."""
    return {
        name: {"required": manifest["required_vars"], "optional": manifest["optional_vars"]}
        for name, manifest in _all(manifests).items()
    }


def status_vars(manifests=None):
    """Target -> its status variable."""
    return {name: manifest["status_var"] for name, manifest in _all(manifests).items()}


def verb_targets(verb, manifests=None):
    """The targets that a target-restricted verb applies to."""
    return [name for name, manifest in _all(manifests).items() if manifest["verbs"].get(verb)]


def runtime_owned_vars_union(manifests=None):
    """Every variable that some target's scripts write, sorted."""
    return sorted({name for manifest in _all(manifests).values() for name in manifest["runtime_owned_vars"]})


def _all(manifests):
    return load() if manifests is None else manifests


def main(arguments):
    """The command; returns its exit code."""
    if arguments == ["list"]:
        for name in names(TARGETS_DIR):
            print(name)
        return 0
    if len(arguments) != 2:
        return fail(EXIT_USAGE, __doc__)
    field, name = arguments
    manifests = load()
    target = canonical(name, manifests)
    if field != "canonical" and field not in FIELDS:
        return print_field({}, field, FIELDS, name)
    if target is None:
        return fail(EXIT_UNKNOWN_NAME, f'unknown target "{name}"{hint(name, manifests)}\ntargets: {", ".join(manifests)}')
    if field == "canonical":
        print(target)
        return 0
    return print_field(manifests[target], field, FIELDS, target)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DescriptorError as error:
        sys.exit(fail(1, str(error)))
