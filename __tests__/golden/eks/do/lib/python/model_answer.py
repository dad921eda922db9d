"""Judges what a model answered: a status of 200 does not say that it worked.

usage: model_answer.py judge FILE [chat]   exits 0 when FILE holds an answer (with `chat`: a chat completion with a choice);
                                           else 1 with the reason on stdout
       model_answer.py text FILE           prints FILE for a message: at most 8,000 characters, nothing that steers a terminal
       model_answer.py json FILE           exits 0 when FILE is JSON, else 1 with the reason on stdout

Copyright the generator-mlcc authors
SPDX-License-Identifier: Apache-2.0
"""
import json
import sys

MOST_CHARACTERS = 8000


def main(arguments):
    command, path = arguments[:2]
    with open(path, "rb") as file:
        content = file.read()
    if command == "text":
        print(printable(content))
        return 0
    complaint = json_complaint(content) if command == "json" else answer_complaint(content, "chat" in arguments[2:])
    if complaint:
        print(complaint)
    return 1 if complaint else 0


def json_complaint(content):
    try:
        json.loads(content)
    except (ValueError, RecursionError) as error:
        return str(error)
    return ""


def answer_complaint(content, is_chat):
    """Why this is no answer; empty when it is one."""
    if not content.strip():
        return "the body is empty"
    documents = documents_of(content)
    for document in documents:
        if is_error(document):
            return "the body says that it is an error"
    if is_chat and not any(has_choice(document) for document in documents):
        return "the body is no chat completion: it has no choices"
    return ""


def documents_of(content):
    """The JSON documents of a body: itself, or those of a stream of server-sent events; none when it is no JSON."""
    text = content.decode("utf-8", "replace")
    try:
        return [json.loads(text)]
    except (ValueError, RecursionError):
        pass
    documents = []
    for line in text.splitlines():
        if line.startswith("data:"):
            try:
                documents.append(json.loads(line[5:]))
            except (ValueError, RecursionError):
                continue
    return documents


def is_error(document):
    """The forms in which servers of models say that it did not work."""
    if not isinstance(document, dict):
        return False
    if document.get("error") or document.get("errors") or document.get("object") == "error":
        return True
    # What broke off after the status was sent says so where the end of the text is told.
    ends = document["choices"] if isinstance(document.get("choices"), list) else []
    return any(isinstance(end, dict) and end.get("finish_reason") == "error" for end in [*ends, document.get("details")])


def has_choice(document):
    return isinstance(document, dict) and bool(document.get("choices"))


def printable(content):
    text = content.decode("utf-8", "replace").strip()
    text = "".join(c if c.isprintable() or c in "\n\t" else "\ufffd" for c in text.replace("\r\n", "\n"))
    if len(text) > MOST_CHARACTERS:
        text = "%s\n(%d more characters)" % (text[:MOST_CHARACTERS], len(text) - MOST_CHARACTERS)
    return text or "(an empty body)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
