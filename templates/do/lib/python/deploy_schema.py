"""What each target's deploy needs, as do/deploy sees it: SCHEMAS, STATUS_VARS, TARGET_ALIASES and the parameters.

Read from the descriptors when this module is imported. The generated copy below stands in for a descriptor that is
missing or damaged, so that a deploy still works; it says so on stderr.
"""

import sys

import target_manifest
from descriptors import DescriptorError, names

# >>> GENERATED deploy-schema
_FALLBACK = {}
# <<< END GENERATED

_LIFECYCLE_FIELDS = ("lifecycle", "answer", "default")


def _read_manifests(folder):
    manifests = {}
    for name in sorted({*names(folder), *_FALLBACK}):
        try:
            manifests[name] = target_manifest.load_one(name, folder)
        except DescriptorError as error:
            if name in _FALLBACK:
                manifests[name] = _FALLBACK[name]
            _warn(error, "using the copy from when the project was rendered" if name in _FALLBACK else "left out")
    return manifests


def _read_variables(folder):
    try:
        return target_manifest.shared_variables(folder)
    except DescriptorError as error:
        _warn(error, "going on without it")
        return {}


def _warn(error, consequence):
    print(f"warning: {error}; {consequence}", file=sys.stderr)


def _param(name, variable):
    """How a target's variable is asked for: the target's own words, else the shared ones."""
    own = MANIFESTS[name].get("params", {}).get(variable)
    if own is not None:
        return own
    if variable in VARIABLES:
        return {key: value for key, value in VARIABLES[variable].items() if key not in _LIFECYCLE_FIELDS}
    return _FALLBACK.get(name, {}).get("params", {}).get(variable)


def variables_of(name):
    """A target's variables in its descriptor's order, required ones first."""
    return [*SCHEMAS[name]["required"], *SCHEMAS[name]["optional"]]


MANIFESTS = _read_manifests(target_manifest.TARGETS_DIR)
VARIABLES = _read_variables(target_manifest.TARGETS_DIR)

SCHEMAS = target_manifest.schemas(MANIFESTS)
STATUS_VARS = target_manifest.status_vars(MANIFESTS)
TARGET_ALIASES = target_manifest.target_aliases(MANIFESTS)
# Target -> variable -> {"flag", "prompt", "pattern" or "enum", "description"}, for the variables that have any.
PARAMS = {
    name: {variable: _param(name, variable) for variable in variables_of(name) if _param(name, variable)}
    for name in MANIFESTS
}


def canonical(name):
    """The target that a name or alias means, or None."""
    return target_manifest.canonical(name, MANIFESTS)
