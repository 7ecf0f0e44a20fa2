"""Which modules a Python file imports, read from its bytes without parsing it.

`ast.parse` of a large repository takes seconds, and refuses Python 2 and half-written files. An import statement can be told
without it: it starts a line (or follows `:` or `;`), and lies in no string and no comment. So strings and comments are walked
over, and only as far as the last place that looks like an import. The tests hold this against `ast` on real and on made-up files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from assay.validators.languages.language import EVERYTHING, Import, Scan

_NEWLINE = 10
_WIDEST_INDENT = 500
_START = rb"[ \t\f]*(?:from|import)\b"
_ANYWHERE = re.compile(rb"[\n;:]" + _START)
_CALL = rb"(?:import_module|__import__)[ \t]*\("
_CALL_ANYWHERE = re.compile(_CALL)
_TRIPLE = re.compile(rb'"""|' + rb"'''")
_STRING = (
    rb"\#[^\n]*+"
    rb'|"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+(?:"""|(?P<open>\Z))'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+(?:'''|(?P<open_too>\Z))"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
)
_ANY_STRING = re.compile(_STRING, re.DOTALL)
_STRING_OR_IMPORT = re.compile(
    _STRING + rb"|(?P<import>[\n;:]" + _START + rb")|(?P<call>import_module[ \t]*\(|__import__[ \t]*\()", re.DOTALL
)
_GAP = rb"(?:[ \t\f]|\\\n)*+"
_NAME = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
_DOTTED = _NAME + rb"(?:" + _GAP + rb"\." + _GAP + _NAME + rb")*+"
_FROM = re.compile(
    rb"from(?![\w\x80-\xff])"
    rb"((?:[. \t\f]|\\\n)*+)(" + _DOTTED + rb")??" + _GAP + rb"import(?![\w\x80-\xff])" + _GAP
)
_IMPORT = re.compile(rb"import(?![\w\x80-\xff])" + _GAP)
_IN_PARENTHESES = re.compile(rb"\(((?:[^()#]|\#[^\n]*+)*+)")
_TO_LINE_END = re.compile(rb"(?:[^\n;#\\]|\\\n?)*+")
_NOISE = re.compile(rb"\#[^\n]*+|\\\n|\n")
_ALIASED = re.compile(rb"\s*(" + _DOTTED + rb"|\*)(?:\s+as\s+(" + _NAME + rb"))?\s*\Z")
_LITERAL_CALL = re.compile(
    rb"(?:import_module|__import__)[ \t]*\(\s*+(?:name\s*=\s*)?[rRuUbB]?(?:\"([.\w\x80-\xff]+)\"|'([.\w\x80-\xff]+)')"
)
_FORMATTED = re.compile(rb"(?<!\w)(?:f|t|rf|fr|rt|tr)\Z", re.IGNORECASE)
_SCRIPT = re.compile(rb"__name__[ \t]*==|==[ \t]*__name__")


def scan_imports(content: bytes) -> Scan:
    """Every import of a Python file, in order, wherever it stands; broken files give what can be told."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    data = b"\n" + (content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content)
    imports: list[Import] = []
    line, counted, end = 0, 0, 0
    for at in _places(data):
        if at < end:
            continue
        line += data.count(b"\n", counted, at)
        counted = at
        found, end = _statement(data, at, line)
        imports += found
    is_script = data.startswith(b"\n#!") or _SCRIPT.search(data) is not None
    return Scan(tuple(imports), is_script, b"sys.path" in data)


def without_strings(content: bytes) -> bytes:
    """The code without comments and with empty strings; f-strings stay as they are, since code is in them."""

    def emptied(match: re.Match[bytes]) -> bytes:
        if match[0][:1] == b"#":
            return b""
        prefix = content[max(0, match.start() - 3) : match.start()]
        return match[0] if _FORMATTED.search(prefix) else b'""'

    return _ANY_STRING.sub(emptied, content)


def _places(data: bytes) -> Iterator[int]:
    """Where in `data` a true import statement (or a call that imports) begins."""
    found = [match.end() for match in _ANYWHERE.finditer(data)]
    calls = (
        [match.start() for match in _CALL_ANYWHERE.finditer(data)] if b"import_" in data or b"__import" in data else []
    )
    if not found and not calls:
        return iter(())
    if calls or not _is_plain(data, found):
        return _walk(data, max(found[-1:] + calls[-1:]))
    return (_keyword(data, end) for end in found)


def _is_plain(data: bytes, ends: list[int]) -> bool:
    """Whether no string can reach over a line end before the last place, and each place begins its line."""
    if _TRIPLE.search(data, 0, ends[-1]) is not None:
        return False
    for end in ends:
        begin = data.rfind(b"\n", max(0, end - _WIDEST_INDENT), end)
        is_first = begin >= 0 and data[begin + 1 : end].lstrip(b" \t\f") in (b"from", b"import")
        if not is_first or data[begin - 1 : begin] == b"\\":
            return False
    return True


def _walk(data: bytes, last: int) -> Iterator[int]:
    """The places outside strings and comments, up to `last`. After a string that never ends, every place counts."""
    begin = 0
    for match in _STRING_OR_IMPORT.finditer(data):
        if match.start() > last:
            return
        if match["import"] is not None:
            yield _keyword(data, match.end())
        elif match["call"] is not None:
            yield match.start()
        elif match["open"] is not None or match["open_too"] is not None:
            begin = match.start()
    if begin:
        yield from (
            _keyword(data, match.end()) for match in _ANYWHERE.finditer(data, begin) if data[match.start()] == 10
        )


def _keyword(data: bytes, end: int) -> int:
    return end - (4 if data[end - 4 : end] == b"from" else 6)


def _statement(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """The imports of the statement (or call) at `at`, and where it ends."""
    is_top = data[at - 1] == _NEWLINE
    if match := _FROM.match(data, at):
        module = "." * match[1].count(b".") + (_decoded(match[2]) if match[2] else "")
        names, end = _names(data, match.end())
        found = [Import(line, module, tuple(names), kind="from", is_top=is_top)] if module and names else []
        return found, end
    if match := _IMPORT.match(data, at):
        names, end = _names(data, match.end(), may_be_grouped=False)
        return [Import(line, name, (), alias if alias != name else "", is_top=is_top) for name, alias in names], end
    if match := _LITERAL_CALL.match(data, at):
        return [Import(line, _decoded(match[1] or match[2]), kind="call", is_top=False)], match.end()
    return [], at


def _names(data: bytes, at: int, may_be_grouped: bool = True) -> tuple[list[tuple[str, str]], int]:
    """(name, what it is called here) of each imported name from where the list of names begins, and where it ends."""
    match = (may_be_grouped and _IN_PARENTHESES.match(data, at)) or _TO_LINE_END.match(data, at)
    if not match:
        return [], at
    found = []
    for part in _NOISE.sub(b" ", match[match.lastindex or 0]).split(b","):
        if aliased := _ALIASED.match(part):
            name = _decoded(aliased[1])
            found.append((name, _decoded(aliased[2]) if aliased[2] else "" if name == EVERYTHING else name))
    return found, match.end()


def _decoded(name: bytes) -> str:
    """An identifier or dotted name as Python sees it: without blanks, in its normal form."""
    if name.isascii():
        text = name.decode("ascii")
        return text if text.isidentifier() else re.sub(r"[\s\\]+", "", text)
    return unicodedata.normalize("NFKC", re.sub(r"[\s\\]+", "", name.decode("utf-8", "replace")))
