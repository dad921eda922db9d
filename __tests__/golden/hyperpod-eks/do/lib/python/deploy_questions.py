"""The questions of one run of do/deploy: what is asked for, what an empty answer means, and who is not asked."""

import deploy_prompts
import deploy_schema
from deploy_settings import ANSWERS_FILE, CONFIG, FLAG, OVERRIDE, PROMPT, missing, param_of, value_fault


def ask(target, settings, config, anew):
    """Asks for every open question; what stands in do/config is offered."""
    required = deploy_schema.SCHEMAS[target]["required"]
    for setting in _open_questions(target, settings, anew):
        param = param_of(target, setting.variable)
        offered = _allowed(param, config.get(setting.variable, "")) or _default(setting)
        setting.set(deploy_prompts.ask_param(setting.variable, param, offered, setting.variable in required), PROMPT)


def keep_current(target, settings, config):
    """Where nobody is asked anew, every question gets the value that stands in do/config."""
    for setting in _open_questions(target, settings, anew=True):
        current = _allowed(param_of(target, setting.variable), config.get(setting.variable, ""))
        if current:
            setting.set(current, CONFIG)


def _open_questions(target, settings, anew):
    """The settings that a deploy cannot do without; anew, also all that have a question and were not given."""
    lacking = missing(target, settings)
    for setting in settings:
        asked = "prompt" in deploy_schema.PARAMS[target].get(setting.variable, {})
        given = setting.source in (FLAG, OVERRIDE, ANSWERS_FILE)
        if setting in lacking or (anew and asked and not given):
            yield setting


def _allowed(param, value):
    """The value, if the parameter allows it."""
    return value if value_fault(param, value) is None else ""


def _default(setting):
    return setting.default or deploy_schema.VARIABLES.get(setting.variable, {}).get("default", "")
