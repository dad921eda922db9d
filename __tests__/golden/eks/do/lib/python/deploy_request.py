#!/usr/bin/env python3
"""What one run of do/deploy was asked to do. do/deploy calls it twice and reads the lines that it prints.

usage: deploy_request.py target CONFIG ARGUMENTS...
         prints `option SWITCH` for each switch and for an answers file, `flag NAME` for each of the targets' flags,
         and where the target's name came from and what it is: `source SOURCE`, `target NAME`
       deploy_request.py settings CONFIG TARGET missing|anew ARGUMENTS...
         asks for what is missing, or for everything anew;
         prints `setting VARIABLE SOURCE VALUE` for each setting, `store VARIABLE VALUE` for each answer to keep
       deploy_request.py current CONFIG TARGET
         prints the target's variables as do/config has them
exit:  0 done, 1 do/config cannot be read, 2 usage: wrong or missing arguments, 130 interrupted
"""

import os
import sys

import deploy_answers
import deploy_arguments
import deploy_prompts
import deploy_questions
import deploy_schema
import deploy_settings
from config_store import ConfigError, read
from deploy_arguments import UsageError
from descriptors import fail, hint

# How the script contract passes on what `--set` said.
_OVERRIDE_PREFIX = "MLCC_SET_"


class Request:
    """The command line, with what the answers file, the environment and do/config add to it."""

    def __init__(self, config_file, words):
        self.arguments = deploy_arguments.parse(words)
        self.config = read(config_file)
        file = self.arguments.answers_file
        self.answers = deploy_answers.read(file) if file else {}
        self.overrides = {
            name[len(_OVERRIDE_PREFIX) :]: value
            for name, value in os.environ.items()
            if name.startswith(_OVERRIDE_PREFIX)
        }

    @property
    def may_ask(self):
        """Whether there is somebody to ask, and nobody said not to."""
        return "yes" not in self.arguments.switches and deploy_prompts.interactive()


def print_target(config_file, words):
    """The first call: arguments that make sense together, and the target that they are for."""
    request = Request(config_file, words)
    if "status" in request.arguments.switches and not request.arguments.target:
        print("option status")
        return
    name, source = _target(request)
    target = deploy_schema.canonical(name)
    if target is None:
        known = [*deploy_schema.SCHEMAS, *deploy_schema.TARGET_ALIASES]
        raise UsageError([f'unknown target "{name}"{hint(name, known)}', f"targets: {', '.join(deploy_schema.SCHEMAS)}"])
    deploy_arguments.settings_of(target, request.arguments)
    for switch in sorted(request.arguments.switches):
        print(f"option {switch}")
    if request.arguments.answers_file:
        print("option answers-file")
    for flag in request.arguments.flags:
        print(f"flag {flag}")
    print(f"source {source}")
    print(f"target {target}")


def _target(request):
    """The target's name as it was given, and where."""
    variable = deploy_answers.TARGET_VARIABLE
    sources = (
        (deploy_settings.FLAG, {variable: request.arguments.target}),
        (deploy_settings.OVERRIDE, request.overrides),
        (deploy_settings.ANSWERS_FILE, request.answers),
        (deploy_settings.CONFIG, request.config),
    )
    for source, values in sources:
        if values.get(variable):
            return values[variable], source
    summaries = [(name, manifest.get("summary", "")) for name, manifest in deploy_schema.MANIFESTS.items()]
    if request.may_ask:
        return deploy_prompts.choose("Deployment target", summaries), deploy_settings.PROMPT
    raise UsageError(["which target? --target is missing", f"targets: {', '.join(deploy_schema.SCHEMAS)}"])


def print_settings(config_file, target, asking, words):
    """The second call: every setting, after asking for what is missing; with `anew`, do/config's values are only offered."""
    request = Request(config_file, words)
    anew = asking == "anew"
    settings = deploy_settings.resolve(target, _given(request, target, anew), _environment_region())
    faults = deploy_settings.faults(target, settings)
    if request.may_ask:
        _reject(faults)
        deploy_questions.ask(target, settings, request.config, anew)
    elif anew:
        deploy_questions.keep_current(target, settings, request.config)
    _reject([*faults, *_missing(target, settings)])
    for setting in settings:
        print(f"setting {setting.variable} {setting.source} {setting.value}")
    for setting in settings:
        unanswered = setting.source in (deploy_settings.DEFAULT, deploy_settings.UNSET)
        cleared = anew and unanswered and request.config.get(setting.variable)
        if deploy_settings.is_declared(target, setting.variable) and (setting.is_answer or cleared):
            print(f"store {setting.variable} {setting.answer}")


def print_current(config_file, target):
    """The target's own variables as they stand in do/config, for people."""
    config = read(config_file)
    optional = deploy_schema.SCHEMAS[target]["optional"]
    for variable in deploy_schema.variables_of(target):
        default = f" (default: {optional[variable]})" if optional.get(variable) else ""
        print(f"  {variable}={config.get(variable, '')}" + ("" if config.get(variable) else default))


def _given(request, target, anew):
    """The given values; a target that is configured anew forgets what do/config has for it."""
    own = deploy_schema.variables_of(target) if anew else ()
    config = {variable: value for variable, value in request.config.items() if variable not in own}
    flags = deploy_arguments.settings_of(target, request.arguments)
    return deploy_settings.Given(flags, request.overrides, request.answers, config)


def _environment_region():
    return os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or ""


def _missing(target, settings):
    """One line for each setting that a deploy needs and nobody gave."""
    for setting in deploy_settings.missing(target, settings):
        param = deploy_settings.param_of(target, setting.variable)
        how = f"--{param['flag']}" if "flag" in param else f"{setting.variable} in do/config"
        yield f"{how} is missing: {param.get('description', setting.variable)}"


def _reject(problems):
    problems = list(problems)
    if problems:
        raise UsageError(problems)


def main(words):
    """The command; returns its exit code."""
    try:
        if len(words) >= 2 and words[0] == "target":
            print_target(words[1], words[2:])
        elif len(words) == 3 and words[0] == "current":
            print_current(words[1], words[2])
        elif len(words) >= 4 and words[0] == "settings" and words[3] in ("missing", "anew"):
            print_settings(words[1], words[2], words[3], words[4:])
        else:
            raise UsageError([__doc__])
    except UsageError as error:
        return fail(2, "\n".join(f"do/deploy: {problem}" for problem in error.problems))
    except ConfigError as error:
        return fail(1, str(error))
    except deploy_prompts.NoAnswer:
        return fail(2, "the input ended before every question was answered; nothing was changed")
    except KeyboardInterrupt:
        return fail(deploy_prompts.EXIT_INTERRUPTED, "\ninterrupted; nothing was changed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
