#!/usr/bin/env python3
"""What the engine manifests in do/serve.d say, and what derives from them.

usage: serve_manifest.py <field> <engine>    a field of an engine's manifest
       serve_manifest.py list                every engine
exit:  0 done, 1 a manifest cannot be read, 2 usage, 4 unknown engine, 5 the manifest leaves the field out
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
    read_all,
    read_object,
)

ENGINES_DIR = DO_DIR / "serve.d"

FIELDS = (
    "engine",
    "summary",
    "env_var_prefix",
    "speculative_decoding",
    "supported_algorithms",
    "algorithm_map",
    "hot_reload",
    "metrics_endpoint",
    "dimension_map",
    "adapter_api",
    "base_image",
    "min_version",
    "version_features",
    "helpers",
)


def load(folder=ENGINES_DIR):
    """Every engine manifest, by name. Raises DescriptorError."""
    return read_all(folder)


def serve_engine_runtime_vars_union(manifests=None):
    """The variables that tuning writes: prefix and dimension suffix of every engine, sorted."""
    manifests = load() if manifests is None else manifests
    return sorted(
        {
            manifest["env_var_prefix"] + suffix
            for manifest in manifests.values()
            for suffix in manifest.get("dimension_map", {}).values()
        }
    )


def main(arguments):
    """The command; returns its exit code."""
    known = names(ENGINES_DIR)
    if arguments == ["list"]:
        for name in known:
            print(name)
        return 0
    if len(arguments) != 2:
        return fail(EXIT_USAGE, __doc__)
    field, engine = arguments
    if field in FIELDS and engine not in known:
        return fail(EXIT_UNKNOWN_NAME, f'unknown engine "{engine}"{hint(engine, known)}\nengines: {", ".join(known)}')
    manifest = read_object(ENGINES_DIR / engine / "manifest.json") if field in FIELDS else {}
    return print_field(manifest, field, FIELDS, engine)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except DescriptorError as error:
        sys.exit(fail(1, str(error)))
