#!/usr/bin/env python3
"""Turns a person's profile into lines that bash can source, and keeps them in a cache file.

usage: profile_cache.py PROFILE.json CACHE.sh
exit:  0 done (the lines are on stdout), 1 the profile cannot be read, 2 usage

Each scalar becomes _PROFILE_<key>, named as in the JSON: those at the top first, then those of the active profile
(`activeProfile` names one of `profiles`). Objects inside are joined with `_`.
"""

import json
import os
import re
import shlex
import sys
import tempfile


def shell_lines(profile, source):
    """The lines to source, for the profile that stands in the file `source`."""
    values = dict(scalars({key: value for key, value in profile.items() if key != "profiles"}))
    profiles = profile.get("profiles")
    if isinstance(profiles, dict):
        active = profiles.get(profile.get("activeProfile"))
        if isinstance(active, dict):
            values.update(scalars(active))
    lines = ["_PROFILE_%s=%s" % (name, shlex.quote(text)) for name, text in sorted(values.items())]
    return "".join(line + "\n" for line in [*lines, "_PROFILE_SOURCE=" + shlex.quote(source)])


def scalars(values, prefix=""):
    """(name, text) of every scalar; names that a shell cannot have are changed with `_`."""
    for key, value in values.items():
        name = prefix + re.sub(r"[^A-Za-z0-9_]", "_", key)
        if isinstance(value, dict):
            yield from scalars(value, name + "_")
        elif isinstance(value, bool):
            yield name, "true" if value else "false"
        elif isinstance(value, (str, int, float)) and "\0" not in str(value):
            yield name, str(value).encode("utf-8", "replace").decode("utf-8")


def write_cache(path, text):
    """Replaces the cache in one step. A folder that cannot be written to is no fault: the lines are used without it."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=folder)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(temporary, path)
    except OSError:
        pass


def main(arguments):
    if len(arguments) != 2:
        print("usage: profile_cache.py PROFILE.json CACHE.sh", file=sys.stderr)
        return 2
    source, cache = arguments
    try:
        with open(source, encoding="utf-8") as file:
            profile = json.load(file)
    except (OSError, ValueError) as error:
        print("%s: %s" % (source, error), file=sys.stderr)
        return 1
    if not isinstance(profile, dict):
        print("%s: not a JSON object" % source, file=sys.stderr)
        return 1
    text = shell_lines(profile, source)
    write_cache(cache, text)
    sys.stdout.buffer.write(text.encode("utf-8"))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
