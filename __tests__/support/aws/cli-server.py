"""The installed AWS CLI, loaded once: each call is a fork of this process.

usage: cli-server.py SOCKET MODEL...

A client (cli-client.py) connects to the Unix socket, is told the pid of its fork, and sends its arguments, environment,
working directory, umask and its three standard streams. When the fork has ended it is told the wait status. The server
ends when its standard input does.
"""

import array
import gc
import locale
import marshal
import os
import select
import signal
import socket
import struct
import sys
import time

os.environ.pop("AWS_DATA_PATH", None)
import awscli.clidriver  # noqa: E402

try:
    from awscli.botocore import hooks, loaders
except ImportError:
    from botocore import hooks, loaders

# awscli adds its own folder to this variable when it is imported.
CLI_DATA_PATH = os.environ["AWS_DATA_PATH"] if "AWS_DATA_PATH" in os.environ else ""


def keep(owner, name, key):
    """What that function gives is found out once for each key, here or by the fork that needs it first."""
    find_out, kept = getattr(owner, name), {}

    def known(*arguments, **named):
        value = key(*arguments, **named)
        if value not in kept:
            kept[value] = find_out(*arguments, **named)
        return kept[value]

    setattr(owner, name, known)


def keep_what_never_changes(services):
    """The files of the installed program, and what follows from its code alone; then all of it for some services."""
    keep(loaders.JSONFileLoader, "load_file", lambda _, file_path: file_path)
    keep(loaders.Loader, "list_available_services", lambda loader, type_name: (type_name, tuple(loader.search_paths)))
    keep(hooks, "accepts_kwargs", lambda func: getattr(func, "__func__", func))
    keep(hooks.EventAliaser, "_alias_event_name", lambda _, event_name: event_name)
    driver = awscli.clidriver.create_clidriver()
    driver.session.set_config_variable("region", "us-east-1")
    driver.session.set_credentials("none", "none")
    loader = driver.session.get_component("data_loader")
    for kind in ("service-2", "paginators-1", "waiters-2"):
        for service in set(services) & set(loader.list_available_services(type_name=kind)):
            loader.load_service_model(service, kind)
    for service in services:
        driver.session.create_client(service)


def receive(connection):
    """The request: its length, then its bytes; the streams come with the first of them."""
    data, control, _, _ = connection.recvmsg(65536, socket.CMSG_SPACE(3 * 4))
    streams = array.array("i")
    for level, kind, content in control:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            streams.frombytes(content[: len(content) - len(content) % streams.itemsize])
    while len(data) < 4 or len(data) < 4 + struct.unpack("<I", data[:4])[0]:
        more = connection.recv(65536)
        if not more:
            os._exit(1)
        data += more
    return marshal.loads(data[4:]), list(streams)


def take_streams(streams, connection):
    """The client's streams become this process's; one that the client does not have is closed here, too."""
    (open_numbers, _, _, _, _), received = streams
    for number in (0, 1, 2):
        os.close(number)
    for number, stream in zip(open_numbers, received):
        os.dup2(stream, number)
        os.close(stream)
    c_locale = locale.setlocale(locale.LC_CTYPE, "") in ("C", "POSIX", "C.UTF-8")
    errors = "surrogateescape" if c_locale else "strict"
    sys.stdin = sys.stdout = sys.stderr = None
    if 0 in open_numbers:
        sys.stdin = open(0, "r", encoding="utf-8", errors=errors, closefd=False)
    if 1 in open_numbers:
        sys.stdout = open(1, "w", encoding="utf-8", errors=errors, closefd=False)
    if 2 in open_numbers:
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)


def serve(connection):
    """The fork: does one call and ends."""
    connection.settimeout(None)
    request, streams = receive(connection)
    _, arguments, environment, folder, mask = request
    # A client that is killed takes its call along: the end of the connection is a SIGIO, whose default is death.
    import fcntl

    fcntl.fcntl(connection, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(connection, fcntl.F_SETFL, fcntl.fcntl(connection, fcntl.F_GETFL) | os.O_ASYNC)
    os.environb.clear()
    os.environb.update(environment)
    given = os.environ.get("AWS_DATA_PATH")
    os.environ["AWS_DATA_PATH"] = os.pathsep.join([given, CLI_DATA_PATH] if given else [CLI_DATA_PATH])
    if os.environ.get("LC_CTYPE", "") == "UTF-8":
        os.environ["LC_CTYPE"] = "en_US.UTF-8"
    take_streams((request, streams), connection)
    os.chdir(folder)
    os.umask(mask)
    time.tzset()
    sys.argv = ["aws"] + [os.fsdecode(argument) for argument in arguments]
    try:
        code = awscli.clidriver.main()
    except SystemExit as end:
        code = end.code
    if code is not None and not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream:
                stream.flush()
        except OSError:
            code = code or 120
    os._exit((code or 0) & 255)


def run_call(listener, connection):
    """In the fork: as a program that was just started, with nothing of the server's left."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    listener.close()
    try:
        serve(connection)
    except BaseException:
        import traceback

        traceback.print_exc()
    os._exit(1)


def main():
    path, services = sys.argv[1], sys.argv[2:]
    keep_what_never_changes(services)
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(64)
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_read, False)
    os.set_blocking(wake_write, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    # A Ctrl-C at the terminal is the clients' affair.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.set_wakeup_fd(wake_write)
    calls = {}
    print("ready", flush=True)
    while True:
        ready, _, _ = select.select([listener, wake_read, 0], [], [])
        if wake_read in ready:
            os.read(wake_read, 4096)
        while calls:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            connection = calls.pop(pid)
            try:
                connection.sendall(struct.pack("<i", status))
            except OSError:
                pass
            connection.close()
        if listener in ready:
            connection, _ = listener.accept()
            pid = os.fork()
            if pid == 0:
                os.close(wake_read)
                os.close(wake_write)
                run_call(listener, connection)
            calls[pid] = connection
            try:
                connection.sendall(struct.pack("<i", pid))
            except OSError:
                pass  # the client was killed at once; its fork ends by itself
        if 0 in ready and not os.read(0, 1):
            return


main()
