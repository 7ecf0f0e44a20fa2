"""Access checks in languages other than Python, found by patterns in code without comments and literals."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.graph.symbols import definitions
from assay.validators.languages.source_text import split_source
from assay.validators.risk.guards.python import Guard, Scope
from assay.validators.risk.guards.words import is_asked, is_guard_call, is_guard_decorator

_DECORATOR = re.compile(r"(?:^\s*|\s)[@\[]\s*(?:\w+\.)*([A-Za-z_]\w*)")
_CALL = re.compile(r"^\s*(?:await\s+|return\s+)?(?:[\w$]+(?:\.|::|->|\?\.))*([A-Za-z_$][\w$]*[!?]?)\s*\(")
_PASSED = re.compile(r"[(,\[]\s*(?:[\w$]+\.)*((?:require|ensure|enforce)\w+)\s*(?=[,)\]]|\()")
_RUBY = re.compile(r"^\s*(?:before_action|before_filter)\s+:(\w+)")
_CONDITION = re.compile(r"\b(?:if|unless|elsif|guard|assert|while)\b(.*)")
_NAME = re.compile(r"[A-Za-z_$][\w$]*")
_NEGATION = re.compile(r"!(?!=)|\bnot\b")
_HEADER = re.compile(
    r"\b(?:func|def|fn|fun|function|sub|class|struct|impl|trait|module)\s+(?:\([^)]{0,200}\)\s*)?(?:self\.)?([A-Za-z_]\w*)"
    r"|\b(?:public|private|protected|static|void)\b[^=;]{0,200}?([A-Za-z_]\w*)\s*\("
)
_COMPARED = re.compile(r"[!=]==?")


def has_guards(text: str) -> bool:
    """Return whether a word of a text may name a check; most files need no closer look."""
    words = set(_NAME.findall(text))
    return any(is_asked(one) or is_guard_decorator(one) or is_guard_call(one, is_statement=True) for one in words)


def text_scopes(source: str, path: str) -> dict[str, Scope]:
    """Return name -> scope, "" for the file itself; a function without a known end lasts until the next."""
    names = {line: one.name for one in definitions(path, source) for line in range(one.line, one.end_line + 1)}
    found = {"": Scope(0, is_wide=True)}
    name = ""
    waiting: list[Guard] = []
    for number, text in enumerate(split_source(source, path).code_lines, 1):
        if names:
            name = names.get(number, "")
        elif (header := _HEADER.search(text)) is not None:
            name = header[1] or header[2]
        waiting += _guards(text, number)
        if not text.lstrip().startswith(("@", "[", "#[")):  # else it belongs to what follows
            found.setdefault(name, Scope(0)).guards += waiting
            waiting = []
    return found


def _guards(text: str, number: int) -> Iterator[Guard]:
    for match in _DECORATOR.finditer(text):
        if is_guard_decorator(match[1]):
            yield Guard(f"@{match[1]}", number)
    call = _CALL.match(text)
    if call is not None and is_guard_call(call[1].rstrip("!?"), is_statement=True) and not _HEADER.search(text):
        yield Guard(call[1], number)
    for pattern in (_PASSED, _RUBY):
        for match in pattern.finditer(text):
            if is_guard_call(match[1], is_statement=pattern is _RUBY):
                yield Guard(match[1], number)
    condition = _CONDITION.search(text)
    for match in _NAME.finditer(condition[1]) if condition else ():
        if is_asked(match[0]):
            yield Guard(match[0], number, _negations(text) % 2 == 0, _bare(text), refuses=True)


def _bare(text: str) -> str:
    """Return a condition without its negations."""
    plain = re.sub(r"\bunless\b", "if", _COMPARED.sub("==", _NEGATION.sub("", text)))
    return "".join(plain.split()).replace("(", "").replace(")", "")


def _negations(text: str) -> int:
    return len(_NEGATION.findall(text)) + len(re.findall(r"!==?", text)) + len(re.findall(r"\bunless\b", text))
