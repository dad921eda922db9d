# What stands in for the AWS CLI: hands the call to cli-server.py and ends as it ends. Built-in modules only, since each
# one more costs milliseconds at every call. SOCKET is filled in where this is put on the PATH.
import marshal
import os
import sys

import _signal
import _socket

SOCKET = "@SOCKET@"


def open_streams():
    found = []
    for number in (0, 1, 2):
        try:
            os.fstat(number)
            found.append(number)
        except OSError:
            pass
    return found


def number_from(connection):
    data = b""
    while len(data) < 4:
        more = connection.recv(4 - len(data))
        if not more:
            return None
        data += more
    return int.from_bytes(data, "little", signed=True)


def hand_over():
    streams = open_streams()
    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    connection.connect(SOCKET)
    pid = number_from(connection)
    mask = os.umask(0)
    os.umask(mask)
    arguments = [os.fsencode(argument) for argument in sys.argv[1:]]
    request = marshal.dumps((streams, arguments, dict(os.environb), os.getcwd(), mask))
    data = len(request).to_bytes(4, "little") + request
    rights = b"".join(number.to_bytes(4, sys.byteorder) for number in streams)
    control = [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)] if streams else []
    sent = connection.sendmsg([data], control)
    connection.sendall(data[sent:])

    def forward(number, _):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass

    for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP, _signal.SIGQUIT):
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, forward)
    return number_from(connection)


why = "it closed the connection"
try:
    status = hand_over()
except (OSError, TypeError) as error:
    status = None
    why = repr(error)
if status is None:
    os.write(2, f"the server of the AWS CLI does not answer: {why}\n".encode())
    os._exit(255)
if os.WIFSIGNALED(status):
    _signal.signal(os.WTERMSIG(status), _signal.SIG_DFL)
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.WEXITSTATUS(status))
