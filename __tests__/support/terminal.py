"""Runs a command on a pseudo-terminal and answers it. Reads {"command", "dialogue", "cwd", "env"} as JSON from argument 1;
the dialogue is a list of [text to wait for, keys to press]. Prints {"code", "output"}; code is 128 + N after signal N."""

import json
import os
import pty
import select
import sys
import time

PATIENCE_SECONDS = 30


def main():
    request = json.loads(sys.argv[1])
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(request["cwd"])
        os.execvpe(request["command"][0], request["command"], request["env"])
    output = b""
    seen = 0
    dialogue = list(request["dialogue"])
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        if dialogue and dialogue[0][0].encode() in output[seen:]:
            seen = output.index(dialogue[0][0].encode(), seen) + len(dialogue[0][0].encode())
            os.write(terminal, dialogue.pop(0)[1].encode())
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            break
        if not chunk:
            break
        output += chunk
    else:
        os.kill(pid, 9)
    _, status = os.waitpid(pid, 0)
    code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
    text = output.decode("utf-8", "replace").replace("\r\n", "\n")
    print(json.dumps({"code": code, "output": text, "unasked": [question for question, _ in dialogue]}))


main()
