"""Where the code of a JavaScript file is: outside its strings, comments, templates and regular expressions."""

from __future__ import annotations

import re
from collections.abc import Iterator

PATIENCE = 50
"""Quotes without an end that are read over in one file; with more of them it is no code, and time matters more."""

LONGEST_REGEX = 20_000
"""Bytes of a regular expression; Unicode tables written out as one reach a few thousand."""

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
_COMMENT_OR_STRING = re.compile(_TOKENS, re.DOTALL)
_TEMPLATE = re.compile(rb"[^`\\$]*+(?:(?:\\.|\$(?!\{))[^`\\$]*+)*+(?:`|\$\{|\Z)", re.DOTALL)
_REGEX = re.compile(rb"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*+\])++/")
_BEFORE_REGEX = b"(,=:[!&|?{;+-*%~^"
_WORD_BEFORE = re.compile(
    rb"(?<![\w$.])(?:return|typeof|case|in|of|delete|void|throw|new|do|else|yield|await|instanceof)\Z"
)
_MAYBE = re.compile(rb"(?:import|require|define)(?![\w$:])|from\s*+[\"'/]|<reference\s")


def places(data: bytes) -> Iterator[tuple[int, bool]]:
    """(where, is it a comment) of each word that may begin an import, and of each `///` comment, in order."""
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


def without_comments(content: bytes) -> bytes:
    """The code without its comments."""
    return _COMMENT_OR_STRING.sub(lambda match: match[0] if match["comment"] is None else b" ", content)


def without_strings(content: bytes) -> bytes:
    """The code without its comments and with empty strings; templates stay as they are, since code is in them."""

    def emptied(match: re.Match[bytes]) -> bytes:
        if match["comment"] is not None:
            return b" "
        return match[0] if match["word"] is not None else b'""'

    return _COMMENT_OR_STRING.sub(emptied, content)


class _Walk:
    """A walk over code that knows strings, comments, regular expressions, and expressions inserted into templates.

    Text between JSX tags is read as code. That does little harm: a stray quote in it ends with its line.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0
        self.braces: list[int] = []
        """Open braces of the code inside each template literal we are in."""
        self.patience = PATIENCE

    def token(self) -> re.Match[bytes] | None:
        """The next thing that matters."""
        return (_TOKEN_INSERTED if self.braces else _TOKEN).search(self.data, self.at)

    def step(self, found: re.Match[bytes]) -> str | None:
        """Go past it; its kind where it was whole."""
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
        """Past the text of a template literal, to its end or into the code inserted there."""
        begin = self.at
        match = _TEMPLATE.match(self.data, begin)
        self.at = match.end() if match else len(self.data)
        if self.data[self.at - 2 : self.at] == b"${":
            self.braces.append(0)
        elif self.at == len(self.data) and not self.data.endswith(b"`"):
            self._forgive(begin - 1)

    def _pass_slash(self) -> None:
        """Past a regular expression, or only past the slash where it divides or closes a tag."""
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
        """What has no end was no beginning (an apostrophe between JSX tags): go on behind it, but not for ever."""
        if self.patience:
            self.patience -= 1
            self.at = begin + 1


def _is_whole_word(data: bytes, at: int) -> bool:
    """Whether the word here is one by itself: not a longer name's end, and no property's name."""
    before = data[max(0, at - 3) : at]
    if before.endswith(b"."):
        return before == b"..."
    return not before or not (before[-1] in b"$_" or before[-1] >= 128 or before[-1:].isalnum())
