"""Imports of a Python file, read from its bytes without parsing.

`ast.parse` of a large repository takes seconds, and refuses Python 2 and half-written files. An import statement is
recognizable without it: it contains the word `import`, begins a line (or follows `:` or `;`), and is outside strings
and comments. The tests compare this with `ast`, on real and generated files.
"""

from __future__ import annotations

import re
import unicodedata

from assay.validators.languages.language import EVERYTHING, Import, Scan

_NEWLINE = 10
_STRING = (
    rb'"""[^"\\]*+(?:(?:\\.|"(?!""))[^"\\]*+)*+"""'
    rb"|'''[^'\\]*+(?:(?:\\.|'(?!''))[^'\\]*+)*+'''"
    rb'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"?'
    rb"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
)
_CALL = rb"(?:import_module|__import__)[ \t]*\("
_PLUGINS = rb"pytest_plugins[ \t]*="
_TOKEN = re.compile(
    rb"\#[^\n]*+|" + _STRING + rb"|[\n;:][ \t\f]*(?P<statement>(?:from|import)(?![\w\x80-\xff]))"
    rb"|(?P<call>" + _CALL + rb")|\n(?P<plugins>" + _PLUGINS + rb")",
    re.DOTALL,
)
_GAP = rb"(?:[ \t\f]|\\\n)*+"
_NAME = rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*+"
_DOTTED = _NAME + rb"(?:" + _GAP + rb"\." + _GAP + _NAME + rb")*+"
_STATEMENT = re.compile(
    rb"(?P<from>from(?![\w\x80-\xff])(?P<dots>(?:[. \t\f]|\\\n)*+)(?P<module>" + _DOTTED + rb")??" + _GAP + rb")?"
    rb"import(?![\w\x80-\xff])" + _GAP
    + rb"(?P<names>\((?(from)|(?!))(?:[^()#]|\#[^\n]*+)*+|(?:[^\n;#\\]|\\\n?)*+)"
)  # fmt: skip
_NOISE = re.compile(rb"\#[^\n]*+|\\\n|\n")
_ALIASED = re.compile(rb"\s*(" + _DOTTED + rb"|\*)(?:\s+as\s+(" + _NAME + rb"))?\s*\Z")
_QUOTED = rb"(?:\"[.\w\x80-\xff]++\"|'[.\w\x80-\xff]++')"
_LITERAL_CALL = re.compile(
    _CALL + rb"\s*+(?:name\s*=\s*)?[rRuUbB]?(" + _QUOTED + rb")\s*+"
    rb"(?:,\s*+(?:package\s*+=\s*+)?(__package__|__name__)|[,)])"
)
_PLUGIN_NAMES = re.compile(_PLUGINS + rb"[ \t]*[\[(]?(?:[\s,]|\#[^\n]*+|" + _QUOTED + rb")*+")
_EACH_QUOTED = re.compile(_QUOTED)
_SCRIPT = re.compile(rb"__name__[ \t]*==|==[ \t]*__name__")


def scan_imports(content: bytes) -> Scan:
    """Return every import of a Python file, in order; for a broken file, those that can be read."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    data = b"\n" + (content.replace(b"\r\n", b"\n").replace(b"\r", b"\n") if b"\r" in content else content)
    last = max(data.rfind(b"import"), data.rfind(b"pytest_plugins"))
    imports: list[Import] = []
    line, counted, end = 0, 0, 0
    for match in _TOKEN.finditer(data) if last > 0 else ():
        if match.start() > last:
            break
        at = match.start(match.lastgroup or 0)
        if match.lastgroup is None or at < end:
            continue
        line += data.count(b"\n", counted, at)
        counted = at
        found, end = _READERS[match.lastgroup](data, at, line)
        imports += found
    is_script = data.startswith(b"\n#!") or (b"__name__" in data and _SCRIPT.search(data) is not None)
    return Scan(tuple(imports), is_script, b"sys.path" in data)


def _statement(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """Return the imports of the statement at `at`, and its end."""
    match = _STATEMENT.match(data, at)
    if match is None:
        return [], at
    is_top = data[at - 1] == _NEWLINE
    names = _names(match["names"])
    if match["from"] is None:
        found = [Import(line, name, (), alias if alias != name else "", is_top=is_top) for name, alias in names]
        return found, match.end()
    module = "." * match["dots"].count(b".") + _decoded(match["module"] or b"")
    return [Import(line, module, tuple(names), kind="from", is_top=is_top)] if module and names else [], match.end()


def _plugins(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    match = _PLUGIN_NAMES.match(data, at)
    names = _EACH_QUOTED.findall(match[0]) if match is not None else []
    return [Import(line, _decoded(name[1:-1]), kind="call") for name in names], at


def _call(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    match = _LITERAL_CALL.match(data, at)
    target = _decoded(match[1][1:-1]) if match is not None else ""
    # A relative name in a call has a known base only if it is the current package.
    is_known = match is not None and (match[2] or not target.startswith("."))
    return [Import(line, target, kind="call", is_top=False)] if is_known else [], at


_READERS = {"statement": _statement, "plugins": _plugins, "call": _call}


def _names(listed: bytes) -> list[tuple[str, str]]:
    """Return (name, local name) of each imported name in a list."""
    if b"#" in listed or b"\n" in listed:
        listed = _NOISE.sub(b" ", listed)
    found = []
    for part in listed.lstrip(b"(").split(b","):
        if aliased := _ALIASED.match(part):
            name = _decoded(aliased[1])
            found.append((name, _decoded(aliased[2]) if aliased[2] else "" if name == EVERYTHING else name))
    return found


def _decoded(name: bytes) -> str:
    """Return an identifier or dotted name in Python's normal form, without blanks."""
    text = name.decode("utf-8", "replace")
    if not text.isidentifier():
        text = re.sub(r"[\s\\]+", "", text)
    return text if text.isascii() else unicodedata.normalize("NFKC", text)
