"""Runs many store operations in one Python: the protocol of driver.sh. The first argument is the store's folder."""

import os
import sys

sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True

import config_store  # noqa: E402


def run(operation, path, key, value):
    if operation == "get":
        if not config_store.is_key(key):
            raise config_store.ConfigError("bad key", 2)
        values = config_store.read(path)
        if key not in values:
            raise config_store.ConfigError("no value")
        return values[key] + "\n"
    config_store.update(path, {key: value if operation == "set" else None})
    return ""


fields = [os.fsdecode(field) for field in sys.stdin.buffer.read().split(b"\0")[:-1]]
for start in range(0, len(fields), 4):
    code, output = 0, ""
    try:
        output = run(*fields[start : start + 4])
    except config_store.ConfigError as error:
        code = error.exit_code
        print(error, file=sys.stderr)
    sys.stdout.buffer.write("{}\0{}\0".format(output, code).encode("utf-8", "surrogateescape"))
