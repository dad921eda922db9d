"""The settings of one deploy: each variable's value, where it came from, and whether it is allowed."""

import re
import sys

from config_store import looks_like_secret
from deploy_schema import PARAMS, SCHEMAS, VARIABLES, variables_of

# Settings that the scripts of every target read besides the target's own variables.
COMMON = ("PROJECT_NAME", "AWS_REGION", "ROLE_ARN", "ECR_IMAGE_URI", "DEPLOY_TIMEOUT")

FLAG, OVERRIDE, ANSWERS_FILE, CONFIG = "flag", "set", "answers-file", "config"
PROMPT, ENVIRONMENT, DEFAULT, UNSET = "prompt", "environment", "default", "unset"

_FROM = {ANSWERS_FILE: "the answers file", OVERRIDE: "--set or MLCC_SET_", CONFIG: "do/config"}


class Setting:
    """A variable's value, and where it came from."""

    def __init__(self, variable, answer, source, default=""):
        self.variable = variable
        self.default = default
        self.set(answer, source)

    def set(self, answer, source):
        """Takes an answer; an empty one leaves the default."""
        self.answer = answer
        self.source = source
        self.value = answer or self.default

    @property
    def is_answer(self):
        """Whether a person gave the value for good, and not for this run only."""
        return self.source in (FLAG, ANSWERS_FILE, PROMPT)


class Given:
    """The values that were given: one map from variable to value for each source, in order of precedence."""

    def __init__(self, flags, overrides, answers, config):
        self._by_source = ((FLAG, flags), (OVERRIDE, overrides), (ANSWERS_FILE, answers), (CONFIG, config))

    def find(self, variable, default, answerable=True):
        """The first source that has the variable. An empty value takes a lower one away, but in do/config it is none."""
        for source, values in self._by_source:
            value = values.get(variable)
            if source == ANSWERS_FILE and not answerable:
                continue
            if value or (value == "" and source != CONFIG):
                return Setting(variable, value, source, default)
        return Setting(variable, "", DEFAULT if default else UNSET, default)


def resolve(target, given, region=""):
    """The settings of a target: its own variables in the descriptor's order, then the common ones."""
    optional = SCHEMAS[target]["optional"]
    own = [given.find(variable, optional.get(variable, "")) for variable in variables_of(target)]
    names = {setting.variable for setting in own}
    common = [_common(name, given) for name in COMMON if name not in names]
    for setting in common:
        if setting.variable == "AWS_REGION" and not setting.value:
            setting.set(region, ENVIRONMENT if region else UNSET)
    return own + common


def _common(name, given):
    shared = VARIABLES.get(name, {})
    return given.find(name, shared.get("default", ""), answerable="flag" in shared)


def is_declared(target, variable):
    """Whether a parameter says how the variable is given: only such a variable is ever stored as an answer."""
    return variable in PARAMS[target] or "flag" in VARIABLES.get(variable, {})


def missing(target, settings):
    """The settings that a deploy needs and that have no value."""
    return [setting for setting in settings if setting.variable in SCHEMAS[target]["required"] and not setting.value]


def param_of(target, variable):
    """How a variable is asked for; empty when nobody says."""
    return PARAMS[target].get(variable) or VARIABLES.get(variable, {})


def faults(target, settings):
    """One line for each value that is not allowed."""
    found = ((setting, value_fault(param_of(target, setting.variable), setting.value)) for setting in settings)
    return [f"{_name(target, setting)}: {fault}" for setting, fault in found if fault]


def value_fault(param, value):
    """Why a parameter does not allow a value; None when it does. An empty value is never at fault here."""
    if not value:
        return None
    if looks_like_secret(value):
        return "the value looks like an access token or a private key, which is never stored; store it in AWS Secrets Manager"
    allowed = param.get("enum")
    if allowed and value not in allowed:
        return f'"{value}" is not one of {", ".join(allowed)}'
    if not _matches(param.get("pattern", ""), value):
        return f'"{value}" is not allowed. {param.get("description", "")}'.rstrip()
    return None


def _matches(pattern, value):
    try:
        return re.search(pattern, value, re.ASCII) is not None
    except re.error as error:
        print(f'warning: cannot check "{value}": the pattern {pattern} is not understood ({error})', file=sys.stderr)
        return True


def _name(target, setting):
    flag = param_of(target, setting.variable).get("flag")
    if setting.source == FLAG and flag:
        return f"--{flag}"
    where = _FROM.get(setting.source)
    return f"{setting.variable} (from {where})" if where else setting.variable
