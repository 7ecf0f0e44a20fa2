"""Code of a JavaScript file: text outside its strings, comments, templates and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

PATIENCE = 50
"""Maximum unclosed quotes per file; with more, the text is not code and reading stops."""

LONGEST_REGEX = 20_000
"""Maximum bytes of a regular expression; written-out Unicode tables reach a few thousand."""

COMMENT = rb"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
"""Pattern of a comment."""

_TOKENS = (
    rb"(?P<comment>//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+\*/)|(?P<endless>/\*[^*]*+(?:\*(?!/)[^*]*+)*+\Z)"
    rb"|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+(?:\"|(?P<stray>(?=\n)|\Z))"
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+(?:'|(?P<stray_too>(?=\n)|\Z))"
    rb"|(?P<word>import|export|require|define)(?![\w$])"
)
_TOKEN = re.compile(_TOKENS + rb"|(?P<mark>[`/])", re.DOTALL)
_TOKEN_INSERTED = re.compile(_TOKENS + rb"|(?P<mark>[`/{}])", re.DOTALL)
_TEMPLATE = re.compile(rb"[^`\\$]*+(?:(?:\\.|\$(?!\{))[^`\\$]*+)*+(?:`|\$\{|\Z)", re.DOTALL)
_REGEX = re.compile(rb"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/")
_BEFORE_REGEX = b"(,=:[!&|?{;+-*%~^"
_WORD_BEFORE = re.compile(
    rb"(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await|instanceof)\Z"
)
_MAYBE = re.compile(rb"(?:import|require|define)(?![\w$:])|from\s*+[\"'/]|<reference\s")


def places(data: bytes) -> Iterator[tuple[int, bool]]:
    """Yield (position, is it a comment) of each word that may begin an import and of each `///` comment, in order."""
    last = -1
    for match in _MAYBE.finditer(data):
        last = match.end()
    walk = _Walk(data)
    while (found := walk.token()) and found.start() < last:
        kind = walk.step(found)
        if kind == "word" and _is_whole_word(data, found.start()):
            yield found.start(), False
        elif kind == "comment" and data.startswith(b"///", found.start()):
            yield found.start(), True


class _Walk:
    """Walk over code that skips strings, comments and regular expressions, and enters expressions in templates.

    Text between JSX tags is read as code; a stray quote in it ends with its line.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.braces: list[int] = []
        """Open braces of the code inside each enclosing template literal."""
        self.patience = PATIENCE

    def token(self) -> re.Match[bytes] | None:
        """Return the next relevant token."""
        return (_TOKEN_INSERTED if self.braces else _TOKEN).search(self.data, self.at)

    def step(self, found: re.Match[bytes]) -> str | None:
        """Move past a token; return its kind if it was complete."""
        self.at = found.end()
        kind = found.lastgroup
        if kind == "mark":
            self._pass_mark(found["mark"])
        elif kind in ("endless", "stray", "stray_too"):
            self._forgive(found.start())
        return kind

    def _pass_mark(self, mark: bytes) -> None:
        if mark == b"/":
            self._pass_slash()
        elif mark == b"`":
            self._pass_template()
        elif mark == b"{":
            self.braces[-1] += 1
        elif self.braces[-1]:
            self.braces[-1] -= 1
        else:
            self.braces.pop()
            self._pass_template()

    def _pass_template(self) -> None:
        """Move past the text of a template literal, to its end or to an inserted expression."""
        begin = self.at
        match = _TEMPLATE.match(self.data, begin)
        self.at = match.end() if match else len(self.data)
        if self.data[self.at - 2 : self.at] == b"${":
            self.braces.append(0)
        elif self.at == len(self.data) and not self.data.endswith(b"`"):
            self._forgive(begin - 1)

    def _pass_slash(self) -> None:
        """Move past a regular expression, or past a slash that divides or closes a tag."""
        begin = self.at - 1
        before = self.data[max(0, begin - 80) : begin].rstrip()
        last = before[-1:]
        if not last or last in _BEFORE_REGEX or before.endswith(b"=>") or _WORD_BEFORE.search(before):
            match = _REGEX.match(self.data, begin, begin + (LONGEST_REGEX if self.patience else 100))
            if match is not None:
                self.at = match.end()
            else:
                self._forgive(begin)

    def _forgive(self, begin: int) -> None:
        """Ignore an opening without an end (an apostrophe between JSX tags), a limited number of times."""
        if self.patience:
            self.patience -= 1
            self.at = begin + 1


def _is_whole_word(data: bytes, at: int) -> bool:
    """Return whether the word is neither part of a longer name nor a property."""
    before = data[max(0, at - 3) : at]
    if before.endswith(b"."):
        return before == b"..."
    return not before or not (before[-1] in b"$_" or before[-1] >= 128 or before[-1:].isalnum())
