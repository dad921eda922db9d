"""Sends one HTTP request, with a limit for the whole of it, and past every proxy.

usage: http_request.py METHOD URL SECONDS ANSWER-FILE [BODY-FILE]

Writes the answer's body to ANSWER-FILE and prints its status. Exits 1 with the reason on stderr when no whole answer came.

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import http.client
import signal
import sys
from urllib.parse import urlsplit


class TimeIsUp(Exception):
    """The limit is reached, however much of the answer has come."""


def request(method, url, body):
    """The status and the body of the answer."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    try:
        headers = {"Content-Type": "application/json", "Accept": "application/json"} if body is not None else {}
        connection.request(method, parts.path or "/", body, headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def stop(number, frame):
    raise TimeIsUp


def main(arguments):
    method, url, seconds, answer_file = arguments[:4]
    body = None
    if len(arguments) > 4:
        with open(arguments[4], "rb") as file:
            body = file.read()
    # The connection's own timeout would start anew with each byte that comes.
    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, float(seconds))
    try:
        status, answer = request(method, url, body)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except TimeIsUp:
        print("no whole answer within %s seconds" % seconds, file=sys.stderr)
        return 1
    except http.client.IncompleteRead as error:
        print("the connection was closed in the middle of the answer, after %d bytes" % len(error.partial), file=sys.stderr)
        return 1
    except http.client.RemoteDisconnected:
        print("the connection was closed without an answer", file=sys.stderr)
        return 1
    except (OSError, http.client.HTTPException) as error:
        print("no answer: %s" % (error or type(error).__name__), file=sys.stderr)
        return 1
    with open(answer_file, "wb") as file:
        file.write(answer)
    print(status)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
