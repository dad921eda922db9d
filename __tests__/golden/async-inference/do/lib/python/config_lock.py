"""The lock of do/config, the same in config-lock.sh and in the mlcc command.

config.lock        made with O_EXCL; holds the owner's line, then the new contents, and is renamed over the config
config.owner       holds the owner's line from before the lock is overwritten
config.lock.break  made with O_EXCL by the one waiter that removes a dead owner's lock
"""

import os
import random
import re
import socket
import time

PATIENCE = 30.0  # seconds with one and the same owner until a waiter gives up, or takes another host's owner for dead
EMPTY_LOCK = 3.0  # seconds that a lock may stay empty: its owner died between making and writing it
ENDED_OWNER = 1.0  # seconds that an ended owner's lock is left alone: a program that it started may be at work on it
BREAK_MARK = 5.0  # seconds after which a break mark was left by a killed process
FIRST_PAUSE = 0.01
LONGEST_PAUSE = 0.32

_OWNER_LINE = re.compile(r"(\d+) (\S+) \S+ mlcc-lock\Z")


class LockTimeout(Exception):
    """Somebody else holds the lock and does not let go."""


class LockLost(Exception):
    """The lock was taken away while it was held."""


class ConfigLock:
    """A context manager: inside it, nobody else who uses the store changes the config (a real path, no symlink)."""

    def __init__(self, config_path):
        self._config = config_path
        self._lock = config_path + ".lock"
        self._owner = config_path + ".owner"
        self._line = ""
        self._file = -1

    def __enter__(self):
        sighting = _Sighting(self._config)
        pause = FIRST_PAUSE
        while not self._try():
            if not sighting.look():
                time.sleep(pause * (1 + random.random()))
            pause = min(pause * 2, LONGEST_PAUSE)
        return self

    def __exit__(self, *_exception):
        self._release()

    def publish(self, contents):
        """Put new contents (bytes) in the config's place and unlock, in one step."""
        _fill_like(self._file, contents, self._config)
        if not self._is_ours():
            raise LockLost(self._lock + " was taken away while it was held")
        os.replace(self._lock, self._config)
        self._close()

    def _try(self):
        self._line = _new_owner_line()
        try:
            self._file = _create_exclusively(self._lock, self._line)
        except FileExistsError:
            return False
        try:
            _write_owner(self._owner, self._line)
        except OSError:
            self._release()
            raise
        if self._is_ours():
            return True
        self._close()
        return False

    def _is_ours(self):
        return _first_line(self._owner) == self._line and self._holds_lock_file()

    def _holds_lock_file(self):
        try:
            return os.path.samestat(os.stat(self._lock), os.fstat(self._file))
        except FileNotFoundError:
            return False

    def _release(self):
        if self._file < 0:
            return
        if self._holds_lock_file():
            os.unlink(self._lock)
        self._close()

    def _close(self):
        os.close(self._file)
        self._file = -1


class _Steady:
    """Tells for how many seconds something has looked the same."""

    def __init__(self):
        self._seen = None
        self._since = 0.0

    def age(self, seen):
        now = time.monotonic()
        if seen != self._seen:
            self._seen, self._since = seen, now
        return now - self._since


class _Sighting:
    """What a waiter sees of somebody else's lock."""

    def __init__(self, config_path):
        self._config = config_path
        self._lock_path = config_path + ".lock"
        self._mark_path = config_path + ".lock.break"
        self._lock = _Steady()
        self._break_mark = _Steady()

    def look(self):
        """Look once. True when it is worth trying at once; LockTimeout when waiting longer makes no sense."""
        state = _lock_state(self._config)
        if state is None:
            return True
        kind, owner = state
        patience = {"empty": EMPTY_LOCK, "ended": ENDED_OWNER}.get(kind, PATIENCE)
        if self._lock.age(state) < patience:
            return False
        if kind == "held":
            raise LockTimeout(_describe(self._config, owner))
        return self._break(state)

    def _break(self, judged):
        """Remove the dead owner's lock, unless somebody else is about to."""
        line = _new_owner_line()
        try:
            mark = _create_exclusively(self._mark_path, line)
        except FileExistsError:
            if self._break_mark.age(_first_line(self._mark_path) or "") >= BREAK_MARK:
                _remove(self._mark_path)
            return False
        try:
            if _lock_state(self._config) == judged and _first_line(self._mark_path) == line:
                _remove(self._lock_path)
        finally:
            _remove(self._mark_path)
            os.close(mark)
        return True


def _lock_state(config_path):
    """(kind, owner's line), or None when there is no lock. The kinds: empty; ended, the owner on this host is; elsewhere,
    the owner is on another host; held, the owner is at work for all we know."""
    in_lock = _first_line(config_path + ".lock")
    if in_lock is None:
        return None
    owner = in_lock if _OWNER_LINE.match(in_lock) else _first_line(config_path + ".owner") or ""
    # An empty lock may be a new one, and then config.owner still names the owner before.
    return ("empty" if in_lock == "" else _kind_of(owner)), owner


def _kind_of(owner_line):
    owner = _OWNER_LINE.match(owner_line)
    if not owner:
        return "held"
    if owner.group(2) != _this_host():
        return "elsewhere"
    return "ended" if _has_ended(int(owner.group(1))) else "held"


def _has_ended(pid):
    """Whether a process of this host has ended; one that waits to be reaped has."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass
    try:
        with open("/proc/{}/stat".format(pid), "rb") as stat:
            return re.search(rb"\) [ZX] ", stat.read()) is not None
    except OSError:
        return False  # no /proc on this system, or the process is not ours to look at


def _describe(config_path, owner_line):
    owner = _OWNER_LINE.match(owner_line)
    who = "process {} on {}".format(owner.group(1), owner.group(2)) if owner else "an unknown process"
    return "{} is locked by {}: it has held {}.lock for {:.0f} seconds".format(
        config_path, who, config_path, PATIENCE
    )


def _new_owner_line():
    return "{} {} {} mlcc-lock".format(os.getpid(), _this_host(), os.urandom(8).hex())


def _this_host():
    return "".join(socket.gethostname().split()) or "localhost"


def _create_exclusively(path, line):
    """Make a file that must not be there yet, readable by its owner only."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        _write_all(file, (line + "\n").encode())
    except OSError:
        _remove(path)
        os.close(file)
        raise
    return file


def _write_owner(path, line):
    """The file stays behind when the lock is gone, and may then be another user's."""
    try:
        file = open(path, "w")
    except OSError:
        _remove(path)
        file = open(path, "w")
    with file:
        file.write(line + "\n")


def _fill_like(file, contents, config_path):
    """Give an open file new contents, then the owner and mode of the config. It is never empty in between."""
    os.lseek(file, 0, os.SEEK_SET)
    _write_all(file, contents)
    os.ftruncate(file, len(contents))
    config = os.stat(config_path)
    mine = os.fstat(file)
    if (config.st_uid, config.st_gid) != (mine.st_uid, mine.st_gid):
        try:
            os.fchown(file, config.st_uid, config.st_gid)
        except OSError:
            pass  # only root may give a file away; a shared config then changes hands, as with any editor
    os.fchmod(file, config.st_mode & 0o7777)
    os.fsync(file)


def _write_all(file, data):
    while data:
        data = data[os.write(file, data) :]


def _first_line(path):
    """The first line of a small file, None when it is not there, "unreadable" when it is another user's."""
    try:
        with open(path, "rb") as file:
            return file.read(1024).split(b"\n", 1)[0].decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError:
        return "unreadable"


def _remove(path):
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
