#!/usr/bin/env python3
"""Builds the JSON request of an AWS call from typed fields and the user's overlay.

usage: aws_request.py show [--overlay FILE] FIELD...                the request, for people
       aws_request.py build [--overlay FILE] FIELD...               the request in one line, but for the member with the
                                                                    `Path@`: a second line has its option and its JSON
       aws_request.py digest [--overlay FILE] FIELD...              eight hex digits that stand for the request
       aws_request.py check-overlays FOLDER CALL...                 complains about overlays that no call would read
fields: Path=text          a text
        Path:=json         a number, true or false, or any JSON
        Path?=text         as above, left out when empty (Path?:=json likewise)
        Path@              the JSON on stdin
        where Path is Name, Name.Member or Name[0].Member
exit:  0 done, 2 a field or an overlay is wrong
"""

import hashlib
import json
import re
import sys
from pathlib import Path

from descriptors import DescriptorError, hint, read_object

FIELD = re.compile(r"^([A-Za-z][A-Za-z0-9_.\[\]-]*?)(\?:=|:=|\?=|=|@)(.*)$", re.DOTALL)
STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
DIGEST_LENGTH = 8


class RequestError(Exception):
    """A request that cannot be built; the text says why and what to do."""


def build(fields, stdin=None):
    """The request that the fields describe. `stdin` gives the text for `Path@`."""
    request = {}
    for field in fields:
        match = FIELD.match(field)
        if not match:
            raise RequestError(f"not a field: {field}")
        path, operator, text = match.groups()
        if operator.startswith("?") and not text:
            continue
        if operator == "@":
            text = stdin() if stdin else ""
        _set(request, path, text if operator.endswith("=") and ":" not in operator else _json(path, text))
    return request


def merge(base, overlay):
    """The overlay over the base: objects merge, null removes, lists of objects merge item by item, tags by their key,
    anything else replaces."""
    if isinstance(base, dict) and isinstance(overlay, dict):
        merged = dict(base)
        for key, value in overlay.items():
            if value is None:
                merged.pop(key, None)
            elif key in merged:
                merged[key] = merge(merged[key], value)
            else:
                merged[key] = value
        return merged
    if _all_objects(base) and _all_objects(overlay):
        if all("Key" in item for item in base + overlay):
            return list({**_by_key(base), **_by_key(overlay)}.values())
        longer = max(len(base), len(overlay))
        return [
            merge(base[at], overlay[at]) if at < min(len(base), len(overlay)) else (base + overlay[len(base):])[at]
            for at in range(longer)
        ]
    return overlay


def with_overlay(request, path):
    """The request with an overlay file merged over it; a file that is not there changes nothing."""
    if path is None or not path.exists():
        return request
    overlay = _overlay(path)
    for key, value in request.items():
        # What is created is recorded under its name before the call: another name would be lost.
        if key.endswith("Name") and isinstance(value, str) and overlay.get(key, value) != value:
            raise RequestError(f"{path}: {key} cannot be set by an overlay\nuse the setting in do/config for it")
    merged = merge(request, overlay)
    # By these clean knows what is ours.
    kept = merged.get("Tags")
    for tag in request.get("Tags", []):
        if tag["Key"].startswith("mlcc:") and not (isinstance(kept, list) and tag in kept):
            raise RequestError(f"{path}: the tag {tag['Key']} cannot be changed by an overlay")
    return merged


def check_overlays(folder, calls):
    """Complains about files in a target's overlay folder that are no JSON object or belong to no call."""
    if not folder.is_dir():
        return
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.suffix != ".json" or path.stem not in calls:
            near = hint(path.stem, calls) or f"; the calls are {', '.join(calls)}"
            raise RequestError(f"{path}: no call of this target reads this overlay{near}")
        _overlay(path)


def digest(request):
    """Hex digits that are the same for the same request."""
    canonical = json.dumps(request, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.sha256(canonical).hexdigest()[:DIGEST_LENGTH]


def _overlay(path):
    try:
        return read_object(path)
    except DescriptorError as error:
        raise RequestError(str(error)) from None


def _set(request, path, value):
    steps = [name or int(index) for name, index in STEP.findall(path)]
    holder = request
    for step, following in zip(steps, steps[1:]):
        holder = _member(holder, step, [] if isinstance(following, int) else {})
    _member(holder, steps[-1], None)
    holder[steps[-1]] = value


def _member(holder, step, fresh):
    if isinstance(holder, list):
        holder.extend([None] * (step + 1 - len(holder)))
        if holder[step] is None:
            holder[step] = fresh
        return holder[step]
    return holder.setdefault(step, fresh)


def _json(path, text):
    try:
        return json.loads(text, parse_constant=lambda word: _refuse(path, word))
    except ValueError:
        return _refuse(path, text)


def _refuse(path, text):
    raise RequestError(f"{path}: {text!r} is not a number or JSON")


def _top(field):
    return STEP.match(field).group(1)


def _option(member):
    """A member as the AWS CLI spells its option: PrimaryContainer as --primary-container."""
    return "--" + re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", member).lower()


def _all_objects(value):
    return isinstance(value, list) and all(isinstance(item, dict) for item in value)


def _by_key(items):
    return {item["Key"]: item for item in items}


def main(arguments):
    """The command; returns its exit code."""
    command, fields = (arguments[0], arguments[1:]) if arguments else ("", [])
    if command == "check-overlays" and len(fields) > 1:
        check_overlays(Path(fields[0]), fields[1:])
        return 0
    if command not in ("show", "build", "digest"):
        print(__doc__, file=sys.stderr)
        return 2
    overlay = None
    if fields[:1] == ["--overlay"]:
        overlay, fields = Path(fields[1]), fields[2:]
    request = with_overlay(build(fields, sys.stdin.read), overlay)
    # ASCII only: neither the locale nor the AWS CLI's generation decides how the text is read.
    if command == "show":
        print(json.dumps(request, indent=2))
    elif command == "digest":
        print(digest(request))
    else:
        apart = [_top(field) for field in fields if FIELD.match(field).group(2) == "@"]
        print(json.dumps({name: value for name, value in request.items() if name not in apart}))
        for name in apart:
            print(_option(name), json.dumps(request[name]))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except RequestError as error:
        print(error, file=sys.stderr)
        sys.exit(2)
