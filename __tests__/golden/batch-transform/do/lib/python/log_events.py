"""Prints the events of a log group that have not been printed before.

usage: log_events.py EVENTS-FILE STATE-FILE START [LINES]

EVENTS-FILE holds an event of CloudWatch as JSON on each line; it was asked for from START (milliseconds). With LINES, the
last ones alone are printed. STATE-FILE, which is read and written, holds: how many there were, from when to ask for the next
ones, and `TIME ID` of those that would be seen twice then.

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import os
import signal
import sys
from collections import deque
from datetime import datetime, timezone

# Events come up late, and not in the order of their times.
OVERLAP_MILLISECONDS = 60_000


def read_seen(path):
    """Event id -> time, of the looks before."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()[2:]
    return {name: int(time) for time, name in (line.split(" ", 1) for line in lines)}


def write_state(path, count, start, seen):
    lines = ["%d %s" % (time, name) for name, time in seen.items() if time >= start]
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join([str(count), str(start), *lines, ""]))


def new_events(file, seen):
    for line in file:
        if line.startswith("{"):
            event = json.loads(line)
            name = str(event.get("eventId"))
            if name not in seen:
                seen[name] = event["timestamp"]
                yield event


def text_of(event):
    time = datetime.fromtimestamp(event["timestamp"] // 1000, timezone.utc)
    clock = time.strftime("%Y-%m-%dT%H:%M:%S.") + "%03dZ" % (event["timestamp"] % 1000)
    return "%s [%s] %s" % (clock, event.get("logStreamName", ""), event.get("message", "").rstrip("\r\n"))


def main(arguments):
    # A reader that has seen enough (`do/logs | head`) is no error.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    events_path, state_path, start = arguments[:3]
    most = int(arguments[3]) if len(arguments) > 3 and arguments[3] else None
    seen = read_seen(state_path)
    count = 0
    kept = deque(maxlen=most)
    with open(events_path, encoding="utf-8", errors="replace") as file:
        for event in new_events(file, seen):
            count += 1
            if most is None:
                print(text_of(event))
            else:
                kept.append(event)
    for event in kept:
        print(text_of(event))
    start = max([int(start), *(time - OVERLAP_MILLISECONDS for time in seen.values())])
    write_state(state_path, count, start, seen)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
