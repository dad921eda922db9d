"""The grammar of do/config: `export KEY='value'` lines, and what people and older tools write instead."""

import re

READONLY_SHELL_NAMES = ("BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID")

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_HEAD = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)=")
_TAIL = re.compile(r"(?:[ \t]+#[^\n]*|[ \t]*)(?=\n|\Z)")
_INDENT = re.compile(r"[ \t]*")
_EXPANDS = re.compile(r"[A-Za-z0-9_?!#@*$[-]")
_UNCLEAR_IN_QUOTED_DEFAULT = re.compile(r'["\\$`}]')


def is_key(name):
    """Whether a sourced file can set a variable of this name."""
    return bool(_NAME.match(name)) and name not in READONLY_SHELL_NAMES


def export_line(key, value):
    """The one line shape that is written, without the line end."""
    return "export {}='{}'".format(key, value.replace("'", "'\\''"))


class Item:
    """One entry (`key` is set), or a line that assigns nothing (`key` is None)."""

    def __init__(self, text, key=None, value=None, comment="", is_code=False):
        self.text = text
        self.key = key
        self.value = value  # None when only a shell could compute it
        self.comment = comment  # what stands behind the value on the line, with the blanks before it
        self.is_code = is_code


class Document:
    """The items of a do/config, editable by key. What is not edited keeps every byte."""

    def __init__(self, text):
        self._original = text
        self._edited = False
        self._items = _parse_items(_with_unix_line_ends(text))

    def values(self):
        """All values that need no shell, by key; the last occurrence of a key counts."""
        last = {item.key: item.value for item in self._items if item.key is not None}
        return {key: value for key, value in last.items() if value is not None}

    def set(self, key, value):
        """Set a key where it stands first and drop its other occurrences, or add it at the end."""
        places = [index for index, item in enumerate(self._items) if item.key == key]
        first = places[0] if places else len(self._items)
        comment = self._items[first].comment if places else ""
        entry = Item(export_line(key, value) + comment, key, value, comment)
        rest = self._items[first + 1 :]
        overruled = places and any(item.is_code and _mentions(item.text, key) for item in rest)
        rest = _without(rest, key)
        self._replace(self._items[:first] + (rest + [entry] if overruled else [entry] + rest))

    def unset(self, key):
        """Drop every occurrence of a key; comments stay."""
        self._replace(_without(self._items, key))

    def text(self):
        """The file's text: unchanged as long as nothing was edited, else with Unix line ends."""
        if not self._edited:
            return self._original
        return "".join(item.text + "\n" for item in self._items)

    def _replace(self, items):
        if [item.text for item in items] != [item.text for item in self._items]:
            self._items = items
            self._edited = True


def _without(items, key):
    kept = []
    for item in items:
        if item.key != key:
            kept.append(item)
        elif item.comment:
            kept.append(Item(item.comment.lstrip(" \t")))
    return kept


def _mentions(code, key):
    """Whether a line of shell code seems to assign the key, so that it would win over an entry above it."""
    return re.search("(?:^|[^A-Za-z0-9_])" + key + "=", code) is not None


def _with_unix_line_ends(text):
    if text.startswith("\ufeff"):
        text = text[1:]
    return re.sub(r"\r(?=\n|\Z)", "", text)


def _parse_items(text):
    items = []
    inside_code = False
    start = 0
    while start < len(text):
        item = _parse_item(text, start, inside_code)
        if item.key is not None:
            inside_code = False
        elif item.is_code:
            inside_code = True
        items.append(item)
        start += len(item.text) + 1
    return items


def _parse_item(text, start, inside_code):
    """An indented assignment below code may be part of it (an `if`, say) and is left alone."""
    line_end = text.find("\n", start)
    line = text[start : line_end if line_end >= 0 else len(text)]
    indent = _INDENT.match(line).end()
    if indent == len(line) or line[indent] == "#":
        return Item(line)
    found = None if indent and inside_code else _parse_assignment(text, start + indent)
    if found is None:
        return Item(line, is_code=True)
    key, value, comment, end = found
    return Item(text[start:end], key, value, comment)


def _parse_assignment(text, start):
    """(key, value, comment, end) of the assignment at `start`, or None when it is shell code."""
    head = _HEAD.match(text, start)
    if not head:
        return None
    key = head.group(1)
    word = _WordReader(text, head.end(), key)
    try:
        word.read_word()
    except _NotData:
        return None
    except _CommandInWord:
        line_end = text.find("\n", word.at)
        return key, None, "", line_end if line_end >= 0 else len(text)
    tail = _TAIL.match(text, word.at)
    if not tail:
        return None
    comment = tail.group() if "#" in tail.group() else ""
    return key, None if word.computed else word.value(), comment, tail.end()


class _NotData(Exception):
    """The word never ends, or an operator follows."""


class _CommandInWord(Exception):
    """The word holds a command substitution, whose end only a shell can find."""


class _WordReader:
    """Follows bash's quoting rules over one word and collects the text that it stands for."""

    def __init__(self, text, at, key):
        self.text = text
        self.at = at
        self.computed = False
        self._key = key
        self._parts = []

    def value(self):
        return "".join(self._parts)

    def read_word(self):
        before = ""
        while True:
            char = self._peek()
            if char in ("", " ", "\t", "\n"):
                return
            if char in ";&|<>()":
                raise _NotData()
            # Braces expand behind `export`, and a tilde where a path may begin.
            if char == "{" or (char == "~" and before in ("", ":")):
                self.computed = True
            self._read_unquoted(char)
            before = char

    def _read_unquoted(self, char):
        self.at += 1
        if char == "'":
            self._parts.append(self._take_until("'"))
        elif char == '"':
            self._read_double_quoted()
        elif char == "\\":
            if self._peek() == "\n":
                self.computed = True  # a continued line can move a tilde or a brace to where it expands
            self._read_escaped(None)
        elif char in "$`":
            self._read_expansion(char, False)
        else:
            self._parts.append(char)

    def _read_double_quoted(self):
        while True:
            char = self._take()
            if char == '"':
                return
            if char == "\\":
                self._read_escaped('$`"\\')
            elif char in "$`":
                self._read_expansion(char, True)
            else:
                self._parts.append(char)

    def _read_escaped(self, special):
        """Behind a backslash, which goes before the special characters (None: before all)."""
        char = self._take()
        if char != "\n":
            self._parts.append(char if special is None or char in special else "\\" + char)

    def _read_expansion(self, opener, quoted):
        """Only `${KEY:-default}` of this very key has a value that needs no shell."""
        char = self._peek()
        if opener == "`" or char == "(":
            raise _CommandInWord()
        if self.text.startswith("\\\n", self.at):
            self.computed = True  # a continued line changes what the dollar stands before
        own_default = "{" + self._key + ":-"
        if self.text.startswith(own_default, self.at):
            self.at += len(own_default)
            if quoted:
                self._read_quoted_default()
            else:
                self._read_unquoted_default()
        elif char == "{":
            self.computed = True
            self._take_until("}")
        elif _EXPANDS.match(char) or (not quoted and char in ("'", '"')):
            self.computed = True
        else:
            self._parts.append("$")

    def _read_unquoted_default(self):
        if self._peek() == "~":
            self.computed = True
        while True:
            char = self._peek()
            if char == "":
                raise _NotData()
            if char == "}":
                self.at += 1
                return
            self._read_unquoted(char)

    def _read_quoted_default(self):
        """In "${KEY:-…}" single quotes must pair up but stay, and double quotes go."""
        while True:
            char = self._take()
            if char == "}":
                return
            if char == '"':
                self._read_double_quoted()
            elif char == "'":
                inner = self._take_until("'")
                if _UNCLEAR_IN_QUOTED_DEFAULT.search(inner):
                    self.computed = True
                self._parts.append("'" + inner + "'")
            elif char == "\\":
                self._read_escaped('$`"\\}')
            elif char in "$`":
                self._read_expansion(char, True)
            else:
                self._parts.append(char)

    def _peek(self):
        return self.text[self.at : self.at + 1]

    def _take(self):
        char = self._peek()
        if char == "":
            raise _NotData()
        self.at += 1
        return char

    def _take_until(self, closing):
        end = self.text.find(closing, self.at)
        if end < 0:
            raise _NotData()
        taken = self.text[self.at : end]
        self.at = end + 1
        return taken
