"""Runs an engine as a child that ends as its parent is told to, and leaves nothing behind.

usage: engine_process.py -- COMMAND [ARGUMENT...]

A signal (TERM, HUP, QUIT; INT to its whole group, as from a terminal) is handed on to the engine by its process id. When the engine has ended, what is left
of its process group (workers that lost their parent) is ended, too. The exit status is the engine's own; 128 + N when
signal N ended it.

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import os
import signal
import subprocess
import sys
import time

FORWARDED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)

# SageMaker and Kubernetes kill a container 30 s after they asked it to end.
STRAGGLERS_END_WITHIN = 15.0


class EngineProcess:
    """An engine in a process group of its own. Made in the main thread: it takes over the signals."""

    def __init__(self, command):
        self._process = None
        self._early_signals = []
        for number in FORWARDED:
            signal.signal(number, self._forward)
        self._process = subprocess.Popen(command, start_new_session=True)
        for number in self._early_signals:
            self._deliver(number)

    def _forward(self, number, _frame):
        if self._process is None:
            self._early_signals.append(number)
        else:
            self._deliver(number)

    def _deliver(self, number):
        if number == signal.SIGINT:
            # A terminal interrupts the whole group; a shell that waits for its child does not act on it alone.
            self._signal_group(number)
        else:
            self._process.send_signal(number)

    def wait(self):
        """Waits for the engine and ends what it left behind. Returns the exit status for our own process."""
        status = self._process.wait()
        self._end_stragglers()
        return status if status >= 0 else 128 - status

    def _end_stragglers(self):
        deadline = time.monotonic() + STRAGGLERS_END_WITHIN
        number = signal.SIGTERM
        while self._signal_group(number):
            time.sleep(0.05)
            self._collect_orphans()
            number = signal.SIGKILL if time.monotonic() > deadline else 0

    def _collect_orphans(self):
        """As the container's first process we inherit them: they would stay in the group as zombies."""
        try:
            while os.waitpid(-self._process.pid, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass

    def _signal_group(self, number):
        """Whether the group still had a process to signal."""
        try:
            os.killpg(self._process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True


def start(command):
    """Starts the engine, or ends the program in the shell's way when there is no such program."""
    try:
        return EngineProcess(command)
    except OSError as error:
        print("serve: cannot start %s: %s" % (command[0], error.strerror), file=sys.stderr)
        sys.exit(127 if isinstance(error, FileNotFoundError) else 126)


if __name__ == "__main__":
    sys.exit(start(sys.argv[sys.argv.index("--") + 1 :]).wait())
