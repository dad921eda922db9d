"""Answers SageMaker's two routes before an engine whose own server lacks them.

usage: sagemaker_routes.py --port PORT --ping PATH --invocations KEY=PATH [...] -- COMMAND [ARGUMENT...]

Starts COMMAND with `--host 127.0.0.1 --port N` appended (N is a free port) and listens on PORT:
  GET /ping           the engine's own health route, PATH; 503 until the engine listens
  POST /invocations   the first KEY that the JSON body has chooses the engine's route
  everything else     unchanged: the OpenAI routes, /metrics, adapters
Bodies of answers are passed on as they come, so streams stream. A client that leaves ends its request to the engine.
Signals and the exit status: see engine_process.py.

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import argparse
import http.client
import json
import re
import selectors
import socket
import socketserver
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import engine_process

ENGINE_HOST = "127.0.0.1"

# A health route that hangs is an answer, too.
PING_TIMEOUT = 10.0

# What concerns one connection, not the message (RFC 9110, 7.6.1), and what we say ourselves.
HOP_BY_HOP = {
    "connection",
    "content-length",
    "expect",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
}


class BadRequest(Exception):
    """A request that is not passed on: the status and what to tell the client."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class ClientLeft(Exception):
    """Nobody waits for the answer any more."""


class Handler(BaseHTTPRequestHandler):
    """One client's connection; `self.server` has the routes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def relay(self):
        """Passes one request to the engine and its answer back."""
        try:
            body = self.read_body()
            path, timeout = self.engine_path(body)
        except BadRequest as error:
            # What is left of the body could be taken for the next request.
            self.close_connection = True
            self.answer_error(error.status, str(error))
            return
        except (ClientLeft, ConnectionError):
            self.close_connection = True
            return
        connection = http.client.HTTPConnection(ENGINE_HOST, self.server.engine_port, timeout=timeout)
        answer = None
        try:
            self.send_to_engine(connection, path, body)
            if timeout is None:
                self.wait_for_engine(connection.sock)
            answer = connection.getresponse()
        except ClientLeft:
            self.close_connection = True
        except ValueError:
            self.answer_error(400, "a header is malformed")
        except (OSError, http.client.HTTPException) as error:
            self.answer_error(503, "the engine does not answer: %s" % error)
        else:
            self.pass_on(answer)
        finally:
            if answer is not None:
                answer.close()
            connection.close()

    do_DELETE = do_GET = do_HEAD = do_OPTIONS = do_PATCH = do_POST = do_PUT = relay

    def engine_path(self, body):
        """The engine's path for this request, and how long it may take."""
        if not re.fullmatch("[!-~]+", self.path):
            raise BadRequest(400, "bad request target")
        path, mark, query = self.path.partition("?")
        if path == "/ping" and self.command in ("GET", "HEAD"):
            return self.server.ping + mark + query, PING_TIMEOUT
        if path == "/invocations" and self.command == "POST":
            return self.invocation_path(body) + mark + query, None
        return self.path, None

    def invocation_path(self, body):
        try:
            request = json.loads(body)
        except (ValueError, RecursionError):
            raise BadRequest(400, "the body is not JSON") from None
        keys = request if isinstance(request, dict) else {}
        for key, path in self.server.invocations:
            if key in keys:
                return path
        known = ", ".join(key for key, _ in self.server.invocations)
        raise BadRequest(400, "the body has none of these keys: %s" % known)

    def read_body(self):
        coding = self.headers.get("Transfer-Encoding", "").strip().lower()
        if coding == "chunked":
            return b"".join(self.read_chunks())
        if coding:
            raise BadRequest(501, "unknown transfer coding")
        length = self.headers.get("Content-Length", "0").strip()
        if not re.fullmatch("[0-9]{1,18}", length):
            raise BadRequest(400, "bad Content-Length")
        return self.read_exactly(int(length))

    def read_chunks(self):
        while True:
            size = self.rfile.readline(1024).partition(b";")[0].strip()
            if not re.fullmatch(b"[0-9A-Fa-f]{1,15}", size):
                raise BadRequest(400, "bad chunk size")
            if int(size, 16) == 0:
                break
            yield self.read_exactly(int(size, 16))
            if self.rfile.readline(3).strip():
                raise BadRequest(400, "bad end of a chunk")
        while self.rfile.readline(65537).strip():
            pass

    def read_exactly(self, length):
        data = self.rfile.read(length)
        if len(data) < length:
            raise ClientLeft
        return data

    def send_to_engine(self, connection, path, body):
        connection.putrequest(self.command, path, skip_host=True, skip_accept_encoding=True)
        for name, value in end_to_end(self.headers):
            connection.putheader(name, value)
        if "Host" not in self.headers:
            connection.putheader("Host", ENGINE_HOST)
        connection.putheader("Connection", "close")
        if body or self.command in ("POST", "PUT", "PATCH"):
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body or None)

    def wait_for_engine(self, engine):
        """Returns when the engine has something to say. A client that leaves first raises ClientLeft."""
        with selectors.DefaultSelector() as selector:
            selector.register(engine, selectors.EVENT_READ)
            selector.register(self.connection, selectors.EVENT_READ)
            ready = [key.fileobj for key, _ in selector.select()]
        if engine in ready:
            return
        try:
            left = not self.connection.recv(1, socket.MSG_PEEK)
        except ConnectionError:
            left = True
        if left:
            raise ClientLeft
        # It is the client's next request; that one waits, and this one is the engine's.

    def pass_on(self, answer):
        length = answer.getheader("Content-Length")
        bodiless = self.command == "HEAD" or answer.status in (204, 304)
        chunked = length is None and not bodiless and self.request_version != "HTTP/1.0"
        self.send_response_only(answer.status, answer.reason)
        for name, value in end_to_end(answer.headers):
            self.send_header(name, value)
        if length is not None:
            self.send_header("Content-Length", length)
        elif chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif not bodiless:
            self.close_connection = True
        if self.close_connection:
            self.send_header("Connection", "close")
        try:
            self.end_headers()
            if not bodiless:
                self.pass_on_body(answer, chunked, length)
        except (OSError, http.client.HTTPException):
            # One of the two sides left. Without the last chunk, or short of its length, the body does not look whole.
            self.close_connection = True

    def pass_on_body(self, answer, chunked, length):
        sent = 0
        while True:
            data = answer.read1(65536)
            if not data:
                break
            sent += len(data)
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data) if chunked else data)
        if chunked:
            self.wfile.write(b"0\r\n\r\n")
        elif length is not None and sent < int(length):
            raise http.client.IncompleteRead(b"")

    def answer_error(self, status, message):
        body = json.dumps({"error": {"message": message, "code": status}}).encode() + b"\n"
        try:
            self.send_response_only(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            if self.close_connection:
                self.send_header("Connection", "close")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)
        except OSError:
            self.close_connection = True

    def log_message(self, format, *args):  # the name is the base class's
        """The engine logs requests; a second line for each would say nothing new."""


class RoutesServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 1024

    def __init__(self, options):
        self.ping = options.ping
        self.invocations = options.invocations
        super().__init__(("", options.port), Handler)
        self.engine_port = free_port()

    def server_bind(self):
        """As the base class does, but without asking DNS for the host's name."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]

    def handle_error(self, request, client_address):
        """A connection that broke is the client's business; anything else is a fault of ours."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)


def end_to_end(headers):
    """The headers that are handed on."""
    named = {name.strip().lower() for name in headers.get("Connection", "").split(",")}
    return [(name, value) for name, value in headers.items() if name.lower() not in HOP_BY_HOP | named]


def free_port():
    with socket.socket() as probe:
        probe.bind((ENGINE_HOST, 0))
        return probe.getsockname()[1]


def invocation(text):
    key, _, path = text.partition("=")
    return key, path


def main(arguments):
    end = arguments.index("--")
    parser = argparse.ArgumentParser(prog="sagemaker_routes.py")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--ping", required=True)
    parser.add_argument("--invocations", type=invocation, action="append", required=True)
    options = parser.parse_args(arguments[:end])
    try:
        server = RoutesServer(options)
    except (OSError, OverflowError) as error:
        print("serve: cannot listen on port %d: %s" % (options.port, error), file=sys.stderr)
        return 1
    command = arguments[end + 1 :] + ["--host", ENGINE_HOST, "--port", str(server.engine_port)]
    engine = engine_process.start(command)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return engine.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
