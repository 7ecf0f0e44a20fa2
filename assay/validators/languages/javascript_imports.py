"""Which files a JavaScript or TypeScript file imports, read from its bytes without parsing it.

Strings, comments, template literals and regular expressions are walked over, and only as far as the last place that could be an
import; what is left is a statement or call of one of a few forms. The tests hold this against tree-sitter. Text between JSX tags
is read as code, which is harmless: an import must begin a statement, and a stray quote ends with its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.languages.javascript_clauses import names_of
from assay.validators.languages.language import Import, Scan

PATIENCE = 50
"""Quotes without an end that are read over in one file; in a larger number the file is not code, and time matters more."""

LONGEST_REGEX = 20_000
"""Bytes of a regular expression; Unicode tables written out as one reach a few thousand."""

_COMMENT = rb"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
_GAP = rb"(?:\s|" + _COMMENT + rb")*+"
_QUOTED = rb"\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'"
_STRING = rb"(?:" + _QUOTED + rb")"
_PLAIN_TEMPLATE = rb"`([^`$\\\n]*+)`"
_WORD = rb"[\w$\x80-\xff]++"
_BRACED = rb"\{(?:[\w$\s,*\x80-\xff]|" + _COMMENT + rb"|\"[^\"\n]*+\"|'[^'\n]*+')*+\}"
# At most a handful of words and one pair of braces: a file of nothing but `import import import` must not cost its square.
_CLAUSE = (
    rb"(" + _GAP + rb"(?:" + _WORD + _GAP + rb",?" + _GAP + rb"){0,3}+"
    rb"(?:(?:" + _BRACED + rb"|\*" + _GAP + rb"(?:as" + _GAP + _WORD + rb")?)" + _GAP + rb"from" + _GAP + rb")?)"
)  # fmt: skip

_MAYBE = re.compile(rb"(?:import|require|define)(?![\w$:])|from\s*+[\"'/]|<reference\s")
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

_STATIC = re.compile(rb"(?:import|export)(?![\w$])" + _CLAUSE + _STRING)
_CALL = re.compile(
    rb"(?:import|require(?:\s*\.\s*resolve)?)" + _GAP + rb"\(" + _GAP + rb"(?:" + _QUOTED + rb"|" + _PLAIN_TEMPLATE + rb")"
    + _GAP + rb"[,)]",
)  # fmt: skip
_EQUALS = re.compile(rb"import\s+(?:type\s+)?([\w$]+)\s*=\s*require\s*\(\s*" + _STRING)
_NEW_URL = re.compile(rb"new\s+URL\s*\(\s*" + _STRING + rb"\s*,\s*\Z")
_AMD = re.compile(rb"(?:define|require)\s*\(\s*(?:" + _STRING + rb"\s*,\s*)?\[([^][(){}]*+)\]")
_REFERENCE = re.compile(rb"///\s*<reference\s+(path|types)\s*=\s*" + _STRING)
_ANY_STRING = re.compile(_STRING)


def scan_imports(content: bytes, line: int = 1) -> Scan:
    """Every import of a JavaScript or TypeScript file, in order; the first line is numbered `line`."""
    data = content.removeprefix(b"\xef\xbb\xbf")
    found: list[Import] = []
    counted = 0
    for at, is_comment in _places(data):
        line += data.count(b"\n", counted, at)
        counted = at
        item = _reference(data, at, line) if is_comment else None
        if item is not None:
            found.append(item)
        elif not is_comment:
            found.extend(_import(data, at, line))
    return Scan(tuple(found))


def without_comments(content: bytes) -> bytes:
    """The code without its comments. Strings stay: they name files, and templates hold code."""
    return _COMMENT_OR_STRING.sub(lambda match: match[0] if match["comment"] is None else b" ", content)


def _places(data: bytes) -> Iterator[tuple[int, bool]]:
    """(where, is it a comment) of each word that may begin an import, outside strings and the like."""
    last = -1
    for match in _MAYBE.finditer(data):
        last = match.end()
    walk = _Walk(data)
    while (found := walk.token()) and found.start() < last:
        kind = walk.step(found)
        if kind == "word" and _begins_word(data, found.start()):
            yield found.start(), False
        elif kind == "comment" and data.startswith(b"///", found.start()):
            yield found.start(), True


class _Walk:
    """A walk over code that knows strings, comments, regular expressions, and expressions inserted into templates."""

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
        """What has no end was no beginning (an apostrophe between JSX tags): go on right behind it, but not for ever."""
        if self.patience:
            self.patience -= 1
            self.at = begin + 1


def _begins_word(data: bytes, at: int) -> bool:
    """Whether the word here is one by itself: no longer name's end, and no property's name."""
    before = data[max(0, at - 3) : at]
    if not before:
        return True
    last = before[-1]
    if last == 46:  # a dot: a property, unless it spreads
        return before == b"..."
    return not (last == 36 or last == 95 or last >= 128 or before[-1:].isalnum())


def _begins_statement(data: bytes, at: int) -> bool:
    """Whether what stands before on the line has ended."""
    begin = data.rfind(b"\n", max(0, at - 2000), at) + 1
    before = data[begin:at].rstrip()
    return not before or before[-1:] in b";{}>" or before.endswith(b"*/")


def _import(data: bytes, at: int, line: int) -> Iterator[Import]:
    if data.startswith(b"export", at):
        match = _STATIC.match(data, at)
        if match is not None and _begins_statement(data, at):
            names = names_of(match[1], is_export=True)
            if names is not None:
                yield Import(line, _text(match[2], match[3]), names, kind="export")
        return
    if data.startswith(b"define", at) or data.startswith(b"require", at):
        match = _AMD.match(data, at)
        if match is not None:
            for one, other in _ANY_STRING.findall(match[3]):
                if _text(one, other).startswith("."):
                    yield Import(line, _text(one, other), kind="call", is_top=False)
    if data.startswith(b"define", at):
        return
    match = _CALL.match(data, at)
    if match is not None:
        yield Import(line, _text(match[1], match[2] or match[3]), kind="call", is_top=False)
    elif data.startswith(b"import", at):
        yield from _import_statement(data, at, line)


def _import_statement(data: bytes, at: int, line: int) -> Iterator[Import]:
    match = _STATIC.match(data, at)
    if match is not None and _begins_statement(data, at):
        names = names_of(match[1]) if match[1].strip() else ()
        if names is not None:
            yield Import(line, _text(match[2], match[3]), names)
    elif match := _EQUALS.match(data, at):
        yield Import(line, _text(match[2], match[3]), (("*", match[1].decode()),))
    elif data.startswith(b".meta", at + 6):
        match = _NEW_URL.search(data, max(0, at - 400), at)
        if match is not None:
            yield Import(line, _text(match[1], match[2]), kind="call", is_top=False)


def _reference(data: bytes, at: int, line: int) -> Import | None:
    match = _REFERENCE.match(data, at)
    if match is None:
        return None
    target = _text(match[2], match[3])
    if match[1] == b"path" and not target.startswith(("./", "../", "/")):
        target = f"./{target}"
    return Import(line, target, kind="reference")


_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|\r?\n|(.))", re.DOTALL)


def _text(one: bytes | None, other: bytes | None) -> str:
    text = (one or other or b"").decode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\N{REPLACEMENT CHARACTER}"
    return match[4] or ""
