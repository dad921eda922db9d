#!/usr/bin/env python3
"""do/config from Python: read(path) -> dict, update(path, {key: value}), and a command.

usage: config_store.py get KEY
       config_store.py set KEY VALUE
       config_store.py unset KEY
"""

import os
import re
import sys

from config_grammar import READONLY_SHELL_NAMES, Document, export_line, is_key
from config_lock import ConfigLock, LockLost, LockTimeout

__all__ = [
    "READONLY_SHELL_NAMES",
    "SECRET_PREFIXES",
    "ConfigError",
    "Document",
    "export_line",
    "is_key",
    "looks_like_secret",
    "read",
    "update",
]

# How the secrets begin that people paste by mistake. config-store.sh and the mlcc command carry the same list.
SECRET_PREFIXES = (
    "hf_",
    "nvapi-",
    "AKIA",
    "ASIA",
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "sk-ant-",
    "sk-proj-",
    "xoxb-",
    "xoxp-",
)

_PREFIX = "(?:" + "|".join(SECRET_PREFIXES) + ")"
_STARTS_WITH_SECRET = re.compile(r"[ \t]*" + _PREFIX)
_HOLDS_SECRET = re.compile(r"[^A-Za-z0-9_-]" + _PREFIX + r"[A-Za-z0-9]{16}")
_PRIVATE_KEY = re.compile(r"-----BEGIN.*PRIVATE KEY", re.DOTALL)


class ConfigError(Exception):
    """Something that a person can act on; `exit_code` is 1 (it failed) or 2 (a bad key or value)."""

    def __init__(self, message, exit_code=1):
        super().__init__(message)
        self.exit_code = exit_code


def read(path):
    """All values of a config that need no shell, as a dict of text."""
    return Document(_read_text(path)).values()


def update(path, changes):
    """Store several values at once (None drops the key), under the lock, all of them or none."""
    for key, value in changes.items():
        _check_key(key)
        if value is not None:
            _check_value(key, value)
    real_path = os.path.realpath(path)
    if os.path.exists(real_path) and not os.access(real_path, os.W_OK):
        raise ConfigError("{} is read-only".format(path))
    _read_text(real_path)
    try:
        with ConfigLock(real_path) as lock:
            before = _read_text(real_path)
            document = Document(before)
            for key, value in changes.items():
                if value is None:
                    document.unset(key)
                else:
                    document.set(key, value)
            after = document.text()
            if after != before:
                lock.publish(after.encode("utf-8"))
    except LockTimeout as error:
        raise ConfigError("{}; wait until it is done, or end it, and try again".format(error)) from error
    except (OSError, LockLost) as error:
        raise ConfigError("{} was not changed: {}".format(path, error)) from error


def looks_like_secret(value):
    """Whether a value is, or holds, an access token or a private key: such a value is never stored."""
    return any(rule.search(value) for rule in (_HOLDS_SECRET, _PRIVATE_KEY)) or bool(
        _STARTS_WITH_SECRET.match(value)
    )


def _check_key(key):
    if not is_key(key):
        raise ConfigError(
            "{!r} cannot be a key of do/config: a key has letters, digits and underscores, "
            "does not begin with a digit, and is not read-only in the shell".format(key),
            2,
        )


def _check_value(key, value):
    """No message holds the value."""
    if "\n" in value:
        raise ConfigError("the value for {} was not stored: it spans lines, and a value is one line".format(key), 2)
    if "\0" in value:
        raise ConfigError("the value for {} was not stored: it holds a NUL character".format(key), 2)
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise ConfigError("the value for {} was not stored: it is not valid UTF-8 text".format(key), 2) from None
    if looks_like_secret(value):
        raise ConfigError(
            "the value for {} was not stored: it looks like an access token or a private key; "
            "store it in AWS Secrets Manager and put its ARN into the matching *_ARN variable".format(key),
            2,
        )


def _read_text(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
        text = data.decode("utf-8")
    except OSError as error:
        raise ConfigError("{} cannot be read: {}".format(path, error.strerror)) from error
    except UnicodeDecodeError as error:
        raise ConfigError("{} is not UTF-8 text: save it as UTF-8, and try again".format(path)) from error
    if "\0" in text:
        raise ConfigError("{} is not a text file: it holds a NUL byte".format(path))
    return text


def _run(arguments):
    """The command, for the config of the project that this file is in."""
    config = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "config"))
    action, *operands = arguments or [""]
    if action == "get" and len(operands) == 1:
        _check_key(operands[0])
        values = read(config)
        if operands[0] not in values:
            raise ConfigError("{} has no value in {}".format(operands[0], config))
        sys.stdout.buffer.write((values[operands[0]] + "\n").encode("utf-8"))
    elif action == "set" and len(operands) == 2:
        update(config, {operands[0]: operands[1]})
    elif action == "unset" and len(operands) == 1:
        update(config, {operands[0]: None})
    else:
        raise ConfigError(__doc__.split("\n\n", 1)[1].rstrip(), 2)


def main():
    try:
        _run(sys.argv[1:])
    except ConfigError as error:
        sys.stderr.buffer.write((str(error) + "\n").encode("utf-8", "backslashreplace"))
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
