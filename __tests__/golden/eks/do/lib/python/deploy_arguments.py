"""The command line of do/deploy: its own options, and the flags that the targets' parameters declare.

`--set` is not among them: the script contract takes it and passes it on in the environment.
"""

from deploy_schema import PARAMS, TARGET_ALIASES, VARIABLES
from descriptors import hint

SWITCHES = ("yes", "dry-run", "status", "reconfigure", "force", "rollback")
VALUE_OPTIONS = ("target", "answers-file")

# Pairs that ask for two different things at once.
_EXCLUSIVE = (
    ("status", "dry-run"),
    ("status", "reconfigure"),
    ("status", "force"),
    ("status", "rollback"),
    ("reconfigure", "rollback"),
)


class UsageError(Exception):
    """Wrong arguments or values: one line for each."""

    def __init__(self, problems):
        super().__init__("\n".join(problems))
        self.problems = list(problems)


class Arguments:
    """What the command line says, before it is known which target's flags apply."""

    def __init__(self):
        self.switches = set()
        self.target = None
        self.answers_file = None
        # Flag without dashes -> value.
        self.flags = {}


def parse(words):
    """Reads the command line. Raises UsageError with everything that is wrong with it."""
    arguments = Arguments()
    problems = []
    words = list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--") or word == "--":
            problems.append(_not_an_option(word))
            continue
        flag, equals, value = word[2:].partition("=")
        if flag in SWITCHES:
            if equals:
                problems.append(f"--{flag} takes no value")
            arguments.switches.add(flag)
            continue
        if not _is_known(flag):
            problems.append(_unknown(flag))
            if not equals and words and not words[0].startswith("-"):
                words.pop(0)
            continue
        if not equals:
            if not words or words[0].startswith("--"):
                problems.append(f"--{flag} needs a value")
                continue
            value = words.pop(0)
        problems.extend(_take(arguments, flag, value))
    problems.extend(
        f"--{one} and --{other} exclude each other" for one, other in _EXCLUSIVE if {one, other} <= arguments.switches
    )
    if problems:
        raise UsageError(problems)
    return arguments


def flags_of(target):
    """Flag -> variable, for the parameters of a target."""
    return {param["flag"]: variable for variable, param in PARAMS[target].items() if "flag" in param}


def targets_with(flag):
    """The targets that have a flag."""
    return [target for target in PARAMS if flag in flags_of(target)]


def settings_of(target, arguments):
    """Variable -> value, for the flags that were given. Raises UsageError for those that the target does not have."""
    own = flags_of(target)
    problems = [
        f"--{flag} is not a flag of {target}; it belongs to {', '.join(targets_with(flag))}"
        for flag in arguments.flags
        if flag not in own
    ]
    if problems:
        raise UsageError(problems)
    return {own[flag]: value for flag, value in arguments.flags.items()}


def _take(arguments, flag, value):
    """Keeps the value of an option or flag; yields what is wrong with it."""
    if "\n" in value or "\r" in value:
        yield f"--{flag}: a value is one line"
    elif not _is_utf8(value):
        yield f"--{flag}: the value is not UTF-8"
    elif flag == "target":
        arguments.target = value
    elif flag == "answers-file":
        arguments.answers_file = value
    else:
        arguments.flags[flag] = value


def _is_known(flag):
    return flag in VALUE_OPTIONS or bool(targets_with(flag))


def _known_flags():
    own = [*SWITCHES, *VALUE_OPTIONS]
    return own + sorted({flag for target in PARAMS for flag in flags_of(target)})


def _unknown(flag):
    for variable, shared in VARIABLES.items():
        if shared.get("flag") == flag:
            return f"--{flag} is not a flag of do/deploy; for this run: --set {variable}=VALUE, for good: set {variable} in do/config"
    return f"--{flag} is not a flag of do/deploy" + hint(f"--{flag}", [f"--{known}" for known in _known_flags()])


def _not_an_option(word):
    if word in PARAMS or word in TARGET_ALIASES:
        return f'unexpected argument "{word}"; did you mean "--target {word}"?'
    return f'unexpected argument "{word}"'


def _is_utf8(value):
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
