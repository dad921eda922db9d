#!/usr/bin/env python3
"""The environment variables that the serving container gets from the project's settings.

usage: container_environment.py secrets    `NAME<tab>ARN` for each variable that stands in Secrets Manager
       container_environment.py json       the whole environment as JSON; stdin gives the secrets' texts as
                                           NAME, NUL, text, NUL; one that is not given stands as a remark
exit:  0 done, 2 a setting is wrong

A setting reaches the container when it is set in do/config or for this one run:
  IC_ENV_<NAME>         as <NAME>, whatever it is
  IC_ENV_<NAME>_ARN     an ARN of Secrets Manager: <NAME> gets the secret's text
  <engine prefix>*      as it is: the serving engine's own settings
  HF_TOKEN_ARN          HF_TOKEN gets the secret's text, unless the weights are staged
  MODEL_NAME, HF_MODEL_ID   as they are: which model to serve, and the name that clients know it by
An empty setting is left out. IC_ENV_ has the last word.
"""

import json
import os
import re
import sys

from descriptors import DO_DIR, DescriptorError, read_object

# Limits of SageMaker's EnvironmentMap.
MOST_ENTRIES = 100
LONGEST_TEXT = 1024

PASSED_ON = "IC_ENV_"
SECRET = re.compile(r"^arn:[a-z-]+:secretsmanager:[a-z0-9-]+:[0-9]{12}:secret:.+$")
ASSIGNMENT = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)=", re.MULTILINE)
ONE_SHOT = "MLCC_SET_"
VARIABLE = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


class EnvironmentFault(Exception):
    """A setting that the container cannot get; the text says why and what to do."""


def settings(environ, config_text):
    """The settings in force: what do/config or a one-shot override names, with the value of this run. A variable that
    merely stands in the user's shell is not one."""
    named = set(ASSIGNMENT.findall(config_text))
    named |= {name[len(ONE_SHOT):] for name in environ if name.startswith(ONE_SHOT)}
    return {name: environ[name] for name in named if environ.get(name)}


def engine_prefix(engine):
    """The prefix of the engine's variables; None for an engine that this project does not know."""
    path = DO_DIR / "serve.d" / engine / "manifest.json"
    return read_object(path).get("env_var_prefix") if engine and path.exists() else None


def plain_variables(given, prefix):
    """The variables whose values stand in the settings."""
    variables = {}
    if prefix:
        variables.update((name, value) for name, value in given.items() if name.startswith(prefix))
    variables.update((name, given[name]) for name in ("MODEL_NAME", "HF_MODEL_ID") if name in given)
    for name, value in given.items():
        if name.startswith(PASSED_ON) and not _is_secret(name, value):
            variables[name[len(PASSED_ON):]] = value
    return variables


def secret_variables(given):
    """The variables whose values stand in Secrets Manager: name -> ARN."""
    secrets = {}
    token = given.get("HF_TOKEN_ARN", "")
    if token and not given.get("STAGED_MODEL_PATH"):
        secrets["HF_TOKEN"] = token
    for name, value in given.items():
        if name.startswith(PASSED_ON) and _is_secret(name, value):
            secrets[name[len(PASSED_ON):-len("_ARN")]] = value
    return secrets


def secret_text(name, text):
    """The value in a secret: the text itself or, for a JSON object (the console's form), its entry of that name or its
    only entry."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    if not isinstance(value, dict):
        return text
    entry = value.get(name, next(iter(value.values())) if len(value) == 1 else None)
    if not isinstance(entry, str):
        raise EnvironmentFault(
            f"the secret for {name} is a JSON object without a text named {name}\n"
            f'store the plain text, or {{"{name}": "…"}}'
        )
    return entry


def check(variables):
    """Complains about what the service would refuse."""
    if len(variables) > MOST_ENTRIES:
        raise EnvironmentFault(
            f"the container would get {len(variables)} environment variables; the service takes {MOST_ENTRIES}\n"
            "remove some of the IC_ENV_* or engine settings in do/config"
        )
    for name, value in sorted(variables.items()):
        if not VARIABLE.match(name) or len(name) > LONGEST_TEXT:
            raise EnvironmentFault(f'"{name}" is no name of an environment variable\nrename {PASSED_ON}{name} in do/config')
        if len(value) > LONGEST_TEXT:
            raise EnvironmentFault(
                f"the value of {name} has {len(value)} characters; the service takes {LONGEST_TEXT}\n"
                f"shorten it, or put it into a file of the image"
            )


def _is_secret(name, value):
    return name.endswith("_ARN") and bool(SECRET.match(value))


def secrets_from(text):
    """The pairs of NAME, NUL, text, NUL, as a map."""
    parts = text.split("\0")
    return dict(zip(parts[0::2], parts[1::2]))


def main(arguments, environ, stdin):
    """The command; returns its exit code."""
    with open(environ.get("CONFIG_FILE", str(DO_DIR / "config")), encoding="utf-8", errors="surrogateescape") as config:
        given = settings(environ, config.read())
    arns = secret_variables(given)
    if arguments == ["secrets"]:
        for name, arn in sorted(arns.items()):
            print(f"{name}\t{arn}")
        return 0
    if arguments != ["json"]:
        print(__doc__, file=sys.stderr)
        return 2
    texts = secrets_from(stdin.read())
    variables = plain_variables(given, engine_prefix(given.get("MODEL_SERVER", "")))
    for name, arn in arns.items():
        variables[name] = secret_text(name, texts[name]) if name in texts else f"(the text of {arn})"
    check(variables)
    print(json.dumps(dict(sorted(variables.items()))))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:], os.environ, sys.stdin))
    except (EnvironmentFault, DescriptorError) as error:
        print(error, file=sys.stderr)
        sys.exit(2)
