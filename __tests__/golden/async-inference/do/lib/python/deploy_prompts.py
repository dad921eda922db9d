"""Questions on a terminal. Nothing is asked where nobody can answer: see `interactive`."""

import sys

from deploy_settings import value_fault

EXIT_INTERRUPTED = 130


class NoAnswer(Exception):
    """The input ended before there was an answer."""


def interactive():
    """Whether somebody can read a question and answer it."""
    return sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty()


def ask(question, default, fault_of):
    """Asks until `fault_of(answer)` is None; an empty answer means the default. Raises NoAnswer at the end of input."""
    while True:
        answer = _read_line(f"{question} [{default}]: " if default else f"{question}: ") or default
        fault = fault_of(answer)
        if fault is None:
            return answer
        _say(f"  {fault}")


def choose(question, options, default=""):
    """Asks for one of (name, summary) pairs by number or name."""
    names = [name for name, _ in options]
    for number, (name, summary) in enumerate(options, 1):
        _say(f"  {number}) {name}" + (f"  {summary}" if summary else ""))

    def pick(answer):
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            return names[int(answer) - 1]
        return answer

    def fault_of(answer):
        return None if pick(answer) in names else f"a number from 1 to {len(names)}, or a name from the list"

    return pick(ask(question, default, fault_of))


def ask_param(variable, param, default="", required=False):
    """Asks for the value of a variable with the words of its parameter, its choices, and its rule when it is broken."""
    description = param.get("description", "")
    if description:
        _say(f"{variable}: {description}")
    question = param.get("prompt") or variable
    if "enum" in param and (required or default):
        return choose(question, [(choice, "") for choice in param["enum"]], default)

    def fault_of(answer):
        if required and not answer:
            return "a value is needed"
        return value_fault(param, answer)

    return ask(question, default, fault_of)


def _read_line(prompt):
    sys.stderr.write(prompt)
    sys.stderr.flush()
    try:
        line = sys.stdin.readline()
    except UnicodeDecodeError:
        _say("  the answer is not UTF-8")
        return ""
    if not line:
        _say("")
        raise NoAnswer
    return line.rstrip("\r\n").strip()


def _say(text):
    print(text, file=sys.stderr)
