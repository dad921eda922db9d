"""The answers file of do/deploy: a JSON object of variables of do/config, or of answers as `mlcc new` takes them."""

import json
from pathlib import Path

from deploy_arguments import UsageError
from deploy_schema import SCHEMAS, VARIABLES, variables_of
from descriptors import hint

TARGET_VARIABLE = "DEPLOYMENT_TARGET"


def read(file):
    """Variable -> value. A value may be a text, a number or a boolean. Raises UsageError."""
    names = _names()
    answers = {}
    problems = []
    for key, value in _object(file).items():
        variable = names.get(key)
        if variable is None:
            problems.append(f'{file}: unknown answer "{key}"{hint(key, names)}')
        elif isinstance(value, (dict, list)) or value is None:
            problems.append(f"{file}: {key} is not a text, a number or a boolean")
        elif variable in answers:
            problems.append(f"{file}: {key} answers {variable} a second time")
        else:
            text = value if isinstance(value, str) else json.dumps(value)
            if "\n" in text or "\r" in text or "\0" in text:
                problems.append(f"{file}: {key}: a value is one line")
            answers[variable] = text
    if problems:
        raise UsageError(problems)
    return answers


def answer_key(variable):
    """The key of a variable among the answers: the shared variables name theirs, others are written in camel case."""
    shared = VARIABLES.get(variable, {}).get("answer")
    first, *rest = variable.lower().split("_")
    return shared or first + "".join(word.capitalize() for word in rest)


def _names():
    """Every key that an answers file may hold -> its variable."""
    variables = {TARGET_VARIABLE, *VARIABLES, *(name for target in SCHEMAS for name in variables_of(target))}
    # Sorted, so that of two variables with one answer key (an old and a new spelling) the same one is meant each time.
    keys = {answer_key(variable): variable for variable in sorted(variables, reverse=True)}
    return {**keys, **{variable: variable for variable in variables}}


def _object(file):
    try:
        value = json.loads(Path(file).read_bytes().decode("utf-8"))
    except OSError as error:
        raise UsageError([f"--answers-file {file}: {error.strerror}"]) from None
    except (ValueError, RecursionError) as error:
        raise UsageError([f"--answers-file {file}: not JSON ({error})"]) from None
    if not isinstance(value, dict):
        raise UsageError([f"--answers-file {file}: not a JSON object"])
    return value
