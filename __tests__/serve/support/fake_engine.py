"""Stands for an engine: records how it was started, then serves the routes that the real one has.

usage: fake_engine.py PROGRAM [ARGUMENT...], with in the environment
  FAKE_ENGINE_RECORD   file for {"argv", "env", "worker"}, written before anything else
  FAKE_ENGINE_EXIT     status to exit with at once
  FAKE_ENGINE_ON_TERM  status to exit with on TERM (default: the signal kills it)
  FAKE_ENGINE_GATE     file without which it does not listen yet
  FAKE_ENGINE_WORKER   a worker's command line, started as a child
"""
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

RELEASED = threading.Event()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        request = json.loads(body) if body.startswith(b"{") else {}
        if self.path == "/health":
            self.send("text/plain", b"healthy")
        elif self.path == "/metrics":
            self.send("text/plain", b"# TYPE requests counter\nrequests 1\n")
        elif self.path == "/release":
            RELEASED.set()
            self.send("text/plain", b"")
        elif self.path == "/short":
            self.send("text/plain", b"only this", length=100)
            self.close_connection = True
        elif self.path == "/cut-stream" or request.get("stream"):
            self.stream(whole=self.path != "/cut-stream")
        elif request.get("hang"):
            self.connection.recv(1)
            with open(os.environ["FAKE_ENGINE_RECORD"] + ".left", "w"):
                pass
            self.close_connection = True
        else:
            echo = {
                "method": self.command,
                "path": self.path,
                "headers": {name.lower(): value for name, value in self.headers.items()},
                "body": body.decode("latin-1"),
            }
            self.send("application/json", json.dumps(echo).encode())

    do_DELETE = do_GET = do_HEAD = do_POST = do_PUT = answer

    def send(self, kind, body, length=None):
        self.send_response(201 if self.path == "/created" else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(length or len(body)))
        self.send_header("X-Engine", "fake")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def stream(self, whole):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.write(b"b\r\ndata: one\n\n\r\n")
        if not whole:
            self.close_connection = True
            return
        RELEASED.wait()
        self.wfile.write(b"b\r\ndata: two\n\n\r\n0\r\n\r\n")

    def log_message(self, format, *args):
        pass


def listening_port(arguments):
    if "--port" in arguments:
        return int(arguments[len(arguments) - arguments[::-1].index("--port")])
    if "-f" in arguments:
        with open(arguments[arguments.index("-f") + 1]) as file:
            for line in file:
                if line.startswith("inference_address="):
                    return int(line.rsplit(":", 1)[1])
    return 8080


def main():
    environment = os.environ
    worker = None
    if environment.get("FAKE_ENGINE_WORKER"):
        command = environment["FAKE_ENGINE_WORKER"].split()
        worker = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid
    record = environment["FAKE_ENGINE_RECORD"]
    with open(record + ".new", "w") as file:
        json.dump({"argv": sys.argv[1:], "env": dict(environment), "worker": worker, "pid": os.getpid()}, file)
    os.rename(record + ".new", record)
    if environment.get("FAKE_ENGINE_EXIT"):
        sys.exit(int(environment["FAKE_ENGINE_EXIT"]))
    if environment.get("FAKE_ENGINE_ON_TERM"):
        status = int(environment["FAKE_ENGINE_ON_TERM"])
        signal.signal(signal.SIGTERM, lambda *_: os._exit(status))
    while environment.get("FAKE_ENGINE_GATE") and not os.path.exists(environment["FAKE_ENGINE_GATE"]):
        time.sleep(0.02)
    ThreadingHTTPServer(("127.0.0.1", listening_port(sys.argv)), Handler).serve_forever()


main()
