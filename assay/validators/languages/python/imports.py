"""Imports of a Python file, read from its bytes without parsing.

`ast.parse` of a large repository takes seconds, and refuses Python 2 and half-written files. An import statement is
recognizable without it: it contains the word `import`, begins a line (or follows `:` or `;`), and is outside strings
and comments. The tests compare this with `ast`, on real and generated files.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from assay.validators.languages.language import EVERYTHING, Import, Scan
from assay.validators.languages.python.strings import outside_strings, plain_lines_outside_strings

_NEWLINE = 10
_WIDEST_INDENT = 500
_START = rb"[ \t\f]*(?:from|import)(?![\w\x80-\xff])"
_CALL = rb"(?:import_module|__import__)[ \t]*\("
_PLUGINS = rb"pytest_plugins[ \t]*="
_ANYWHERE = re.compile(rb"[\n;:]" + _START + rb"|" + _CALL + rb"|\n" + _PLUGINS)
_FROM_WORD = re.compile(rb"from[ \t\f.\w\x80-\xff]*+\Z")
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
    _CALL + rb"\s*+(?:name\s*=\s*)?[rRuUbB]?(?:\"([.\w\x80-\xff]++)\"|'([.\w\x80-\xff]++)')\s*+"
    rb"(?:,\s*+(?:package\s*+=\s*+)?(__package__|__name__)|[,)])"
)
_PLUGIN_NAMES = re.compile(_PLUGINS + rb"[ \t]*[\[(]?((?:[\s,]|\#[^\n]*+|\"[.\w]*+\"|'[.\w]*+')*+)")
_QUOTED = re.compile(rb"\"([.\w]++)\"|'([.\w]++)'")
_SCRIPT = re.compile(rb"__name__[ \t]*==|==[ \t]*__name__")


def scan_imports(content: bytes) -> Scan:
    """Return every import of a Python file, in order; for a broken file, those that can be read."""
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
    is_script = data.startswith(b"\n#!") or (b"__name__" in data and _SCRIPT.search(data) is not None)
    return Scan(tuple(imports), is_script, b"sys.path" in data)


def _places(data: bytes) -> list[int]:
    """Return the positions of import statements and of calls that import."""
    places = _simple_places(data)
    if places is None:
        found = [(match.start(), _keyword(match)) for match in _ANYWHERE.finditer(data)]
        outside = outside_strings(data, [begin for begin, _ in found])
        return [keyword for begin, keyword in found if begin in outside]
    outside = plain_lines_outside_strings(data, places)
    return [place for place in places if place in outside]


def _simple_places(data: bytes) -> list[int] | None:
    """Return the positions if all are import statements that begin their line, as is usual; else None."""
    if b"pytest_plugins" in data:
        return None
    places: list[int] = []
    at = data.find(b"import")
    while at >= 0:
        line = data.rfind(b"\n", max(0, at - _WIDEST_INDENT), at) + 1
        before = data[line:at].lstrip(b" \t\f")
        if (
            line == 0
            or data[line - 2 : line - 1] == b"\\"
            or before.endswith(b"__")
            or data.startswith(b"_module", at + 6)
        ):
            return None
        if not before:
            places.append(at)
        elif before.startswith(b"from") and _FROM_WORD.match(before):
            places.append(at - len(before))
        elif b";" in before or b":" in before:
            return None
        at = data.find(b"import", at + 6)
    return places


def _keyword(match: re.Match[bytes]) -> int:
    """Return where the keyword begins in a match of `_ANYWHERE`."""
    text = match[0]
    return match.end() - len(text.lstrip(b"\n;: \t\f"))


def _statement(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """Return the imports of the statement or call at `at`, and its end."""
    is_top = data[at - 1] == _NEWLINE
    if match := _FROM.match(data, at):
        module = "." * match[1].count(b".") + (_decoded(match[2]) if match[2] else "")
        names, end = _names(data, match.end())
        found = [Import(line, module, tuple(names), kind="from", is_top=is_top)] if module and names else []
        return found, end
    if match := _IMPORT.match(data, at):
        names, end = _names(data, match.end(), may_be_grouped=False)
        return [Import(line, name, (), alias if alias != name else "", is_top=is_top) for name, alias in names], end
    if match := _PLUGIN_NAMES.match(data, at):
        plugins = [_decoded(one or other) for one, other in _QUOTED.findall(match[1])]
        return [Import(line, plugin, kind="call") for plugin in plugins], match.end()
    match = _LITERAL_CALL.match(data, at)
    target = _decoded(match[1] or match[2]) if match else ""
    # A relative name in a call has a known base only if it is the current package.
    if match and (match[3] or not target.startswith(".")):
        return [Import(line, target, kind="call", is_top=False)], match.end()
    return [], at


def _names(data: bytes, at: int, may_be_grouped: bool = True) -> tuple[list[tuple[str, str]], int]:
    """Return (name, local name) of each imported name in the list at `at`, and the end of the list."""
    match = (may_be_grouped and _IN_PARENTHESES.match(data, at)) or _TO_LINE_END.match(data, at)
    if not match:
        return [], at
    found = []
    for part in _parts(match[match.lastindex or 0]):
        if aliased := _ALIASED.match(part):
            name = _decoded(aliased[1])
            found.append((name, _decoded(aliased[2]) if aliased[2] else "" if name == EVERYTHING else name))
    return found, match.end()


def _parts(names: bytes) -> Iterator[bytes]:
    if b"#" in names or b"\n" in names:
        names = _NOISE.sub(b" ", names)
    yield from names.split(b",")


def _decoded(name: bytes) -> str:
    """Return an identifier or dotted name in Python's normal form, without blanks."""
    if name.isascii():
        text = name.decode("ascii")
        return text if text.isidentifier() else re.sub(r"[\s\\]+", "", text)
    return unicodedata.normalize("NFKC", re.sub(r"[\s\\]+", "", name.decode("utf-8", "replace")))
