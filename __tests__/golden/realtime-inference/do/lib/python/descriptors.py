"""Reading the JSON descriptors of a do/ project: targets.d/<target>/manifest.json and serve.d/<engine>/manifest.json."""

import difflib
import json
import sys
from pathlib import Path

DO_DIR = Path(__file__).resolve().parents[2]

EXIT_USAGE = 2
EXIT_UNKNOWN_NAME = 4
EXIT_ABSENT_FIELD = 5


class DescriptorError(Exception):
    """A descriptor that cannot be read; the text names the file and the reason."""


def read_object(path):
    """The JSON object in a file. Raises DescriptorError."""
    try:
        value = json.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        raise DescriptorError(f"{path}: no such file") from None
    except OSError as error:
        raise DescriptorError(f"{path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise DescriptorError(f"{path}: not JSON ({error})") from None
    if not isinstance(value, dict):
        raise DescriptorError(f"{path}: not a JSON object")
    return value


def names(folder):
    """The descriptors in a folder, sorted. A folder that is not there has none."""
    try:
        return sorted(path.parent.name for path in folder.glob("*/manifest.json"))
    except OSError:
        return []


def read_all(folder):
    """Every descriptor of a folder, by name. Raises DescriptorError for the first that cannot be read."""
    return {name: read_object(folder / name / "manifest.json") for name in names(folder)}


def hint(word, known):
    """`; did you mean "x"?` when a known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f'; did you mean "{near[0]}"?' if near else ""


def as_text(value):
    """A field for the shell: a list as one line each, a map as name=value lines, anything deeper as JSON."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list) and all(_is_scalar(item) for item in value):
        return "\n".join(as_text(item) for item in value)
    if isinstance(value, dict) and all(_is_scalar(item) for item in value.values()):
        return "\n".join(f"{name}={as_text(item)}" for name, item in value.items())
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _is_scalar(value):
    return not isinstance(value, (dict, list))


def print_field(manifest, field, fields, name):
    """Prints a descriptor's field; returns the exit code."""
    if field not in fields:
        return fail(EXIT_USAGE, f'unknown field "{field}"{hint(field, fields)}\nfields: {", ".join(fields)}')
    if field not in manifest:
        return fail(EXIT_ABSENT_FIELD, f"{name} has no {field}")
    text = as_text(manifest[field])
    if text:
        print(text)
    return 0


def fail(code, message):
    """Prints a message on stderr; returns the exit code."""
    print(message, file=sys.stderr)
    return code
