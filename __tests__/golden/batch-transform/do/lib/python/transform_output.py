"""Reads what a batch transform job wrote.

usage: transform_output.py since TIME              from lines `TIME<tab>KEY` on stdin, prints the keys that are not older
       transform_output.py records FILE N BYTES    prints the first N records (lines) of a file of which the first BYTES were read
       transform_output.py judge FILE              exits 1 when one of the records is an error

Times are seconds or ISO 8601, as the versions of the AWS CLI print them.

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import math
import sys
from datetime import datetime

import model_answer


def seconds(time):
    try:
        return float(time)
    except ValueError:
        return datetime.fromisoformat(time.replace("Z", "+00:00")).timestamp()


def keys_since(lines, time):
    # S3 knows whole seconds only.
    start = math.floor(seconds(time))
    for line in lines:
        when, tab, key = line.rstrip("\n").partition("\t")
        if tab and seconds(when) >= start:
            yield key


def first_records(content, count, limit):
    lines = content.splitlines(keepends=True)
    # The last line of a file that is longer may be half of one.
    if len(content) >= limit and len(lines) > 1 and not lines[-1].endswith(b"\n"):
        lines.pop()
    return [line.rstrip(b"\r\n") for line in lines if line.strip()][:count]


def main(arguments):
    command = arguments[0]
    if command == "since":
        for key in keys_since(sys.stdin, arguments[1]):
            print(key)
        return 0
    with open(arguments[1], "rb") as file:
        content = file.read()
    if command == "records":
        for record in first_records(content, int(arguments[2]), int(arguments[3])):
            sys.stdout.buffer.write(record + b"\n")
        return 0
    records = content.splitlines()
    return int(not records or any(map(is_error, records)))


def is_error(record):
    """A record that was joined with its input has the answer in a member of its own."""
    try:
        document = json.loads(record)
    except (ValueError, RecursionError):
        return False
    answer = document.get("SageMakerOutput") if isinstance(document, dict) else None
    return model_answer.is_error(document) or model_answer.is_error(answer)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
