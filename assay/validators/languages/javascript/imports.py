"""Imports of a JavaScript or TypeScript file, read from its bytes without parsing, which would take five times as long.

Outside strings, comments, templates and regular expressions, an import is a statement or call in one of a few forms.
The tests compare this with tree-sitter.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.languages.language import EVERYTHING, Import, Scan

LONGEST_REGEX = 1_000
"""Maximum parts of a regular expression, and of a class in it."""
MOST_BEFORE = 400
"""Bytes before a call in which the names it is assigned to are searched."""
_MOST = rb"{0,%d}+" % LONGEST_REGEX
_COMMENT = rb"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)"
_QUOTED = rb"(?:\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+')"
_INSERTED = rb"\$\{(?:[^`{}]|`[^`]*+`|\{(?:[^`{}]|`[^`]*+`)*+\})*+\}"
_BEFORE_REGEX = (
    rb"(?<=[(,=:\[!&|?{;+\-*%~^>\n]/)|(?<=[(,=:\[!&|?{;+\-*%~^>\n][ \t]/)|(?<=[\t ]{2}/)|(?<=return /)|(?<=case /)"
)
_TOKEN = re.compile(
    rb"(?P<reference>///[^\n]*+)|" + _COMMENT
    + rb"|\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+\"?|'[^'\\\n]*+(?:\\.[^'\\\n]*+)*+'?"
    + rb"|`(?:[^`\\$]|\\.|\$(?!\{)|" + _INSERTED + rb")*+`"
    + rb"|/(?:" + _BEFORE_REGEX + rb")(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)" + _MOST + rb"\])" + _MOST + rb"/"
    + rb"|(?P<word>(?:import|export|require|define)(?![\w$]))",
    re.DOTALL,
)  # fmt: skip
_INSIDE_A_NAME = re.compile(rb"[\w$\x80-\xff]|(?<!\.\.)\.")
_MAYBE = (b"import", b"require", b"define", b"from", b"<reference")
_GAP = rb"(?:\s|" + _COMMENT + rb")*+"
_WORD = rb"[\w$\x80-\xff]++"
_STATIC = re.compile(
    rb"(?:import|export)(?P<clause>" + _GAP
    + rb"(?:(?P<how>type|typeof|defer|source)(?![\w$])" + _GAP + rb"(?!from(?![\w$])" + _GAP + rb"[\"']|,))?"
    + rb"(?:(?P<default>" + _WORD + rb")" + _GAP + rb"(?:," + _GAP + rb"|(?=from)))?"
    + rb"(?:(?P<all>\*)(?:" + _GAP + rb"as" + _GAP + rb"(?P<star>" + _WORD + rb"))?|(?P<braces>\{(?:[\w$\s,\x80-\xff]|"
    + _COMMENT + rb"|" + _QUOTED + rb")*+\}))?" + _GAP + rb"from)?" + _GAP + rb"(?P<target>" + _QUOTED + rb")"
)  # fmt: skip
_CALL = re.compile(
    rb"(?:import|require(?P<resolve>\s*\.\s*resolve)?)" + _GAP + rb"\(" + _GAP
    + rb"(?P<target>" + _QUOTED + rb"|`[^`$\\\n]*+`)" + _GAP + rb"[,)]"
)  # fmt: skip
_EQUALS = re.compile(rb"import\s++(?:type\s++)?([\w$]++)\s*+=\s*+require\s*+\(\s*+(?P<target>" + _QUOTED + rb")")
_NEW_URL = re.compile(rb"new\s+URL\s*\(\s*(?P<target>" + _QUOTED + rb")\s*,\s*\Z")
_AMD = re.compile(rb"(?:define|require)\s*+\(\s*+(?:" + _QUOTED + rb"\s*+,\s*+)?\[([^][(){}]*+)\]")
_REFERENCE = re.compile(rb"///\s*+<reference\s++(path|types)\s*+=\s*+(?P<target>" + _QUOTED + rb")")
_EACH_QUOTED = re.compile(_QUOTED)
_EACH_COMMENT = re.compile(_COMMENT)
_PART = re.compile(r"(?:(type|typeof)\s+(?!as\s+[\w$]+$))?([\w$]+|\"[^\"]*\"|'[^']*')(?:\s+as\s+([\w$]+))?")
_BOUND = re.compile(rb"(?:^|[;{}\n])\s*(?:(?:const|let|var)\s+)?([\w$\x80-\xff]+|\{[^{}]*\})\s*=\s*\(?(?:await\s+)?\Z")
_MEMBER = re.compile(rb"\)?\s*\??\.\s*(?!then\b)([\w$\x80-\xff]+)")
_TAKEN = re.compile(r"\s*([\w$]+)\s*(?::\s*([\w$]+)\s*)?")
"""Name in a pattern; one with a default may be missing."""


def scan_imports(content: bytes, line: int = 1) -> Scan:
    """Return every import of a JavaScript or TypeScript file, in order; `line` is the number of its first line."""
    data = b"\n" + content.removeprefix(b"\xef\xbb\xbf")
    line -= 1
    last = max(map(data.rfind, _MAYBE))
    imports: list[Import] = []
    counted, end = 0, 0
    for match in _TOKEN.finditer(data) if last >= 0 else ():
        at = match.start()
        if at > last:
            break
        if match.lastgroup is None or at < end or (match["word"] and _INSIDE_A_NAME.match(data, at - 1)):
            continue
        line += data.count(b"\n", counted, at)
        counted = at
        found = list(_reference(data, at, line) if match["reference"] else _import(data, at, line))
        imports += [one for one, _ in found]
        end = found[-1][1] if found else end
    return Scan(tuple(imports))


def _import(data: bytes, at: int, line: int) -> Iterator[tuple[Import, int]]:
    """Yield the imports of the statement or call at `at`, each with the end of what was read."""
    static = _STATIC.match(data, at)
    if static is not None and _begins_statement(data, at):
        is_export = data.startswith(b"export", at)
        kind = "export" if is_export else "import"
        names, is_type = _names_of(static, is_export)
        if names or not is_export:
            yield Import(line, _text(static), names, kind=kind, is_type=is_type), static.end()
    elif equals := _EQUALS.match(data, at):
        yield Import(line, _text(equals), ((EVERYTHING, equals[1].decode()),)), equals.end()
    elif data.startswith(b"import.meta", at):
        if url := _NEW_URL.search(data, max(0, at - MOST_BEFORE), at):
            yield Import(line, _text(url), kind="path", is_top=False), at
    elif call := _CALL.match(data, at):
        names = () if call["resolve"] else _names_taken(data, at, call.end())
        kind = "path" if call["resolve"] else "call"
        yield Import(line, _text(call), names, kind=kind, is_top=False), call.end()
    elif listed := _AMD.match(data, at):
        # Other than relative names depend on settings elsewhere.
        for target in _EACH_QUOTED.findall(listed[1]):
            if target[1:2] == b".":
                yield Import(line, _decoded(target[1:-1]), kind="call", is_top=False), listed.end()


def _reference(data: bytes, at: int, line: int) -> Iterator[tuple[Import, int]]:
    if match := _REFERENCE.match(data, at):
        target = _text(match)
        is_bare = match[1] == b"path" and not target.startswith(("./", "../", "/"))
        yield Import(line, f"./{target}" if is_bare else target, kind="reference"), match.end()


def _begins_statement(data: bytes, at: int) -> bool:
    """Return whether the text before on the line is complete: an import does not begin inside JSX text."""
    begin = data.rfind(b"\n", max(0, at - 2000), at) + 1
    before = data[begin:at].rstrip()
    return not before or before[-1] in b";{}>" or before.endswith(b"*/")


def _names_of(match: re.Match[bytes], is_export: bool) -> tuple[tuple[tuple[str, str], ...], bool]:
    """Return (exported name, local name) of each name of a statement, and whether it takes types alone.

    `default` is a default import, `*` everything (`* as x` has a local name).
    """
    found: list[tuple[str, str]] = []
    braces = match["braces"]
    parts = _decoded(_EACH_COMMENT.sub(b" ", braces))[1:-1].split(",") if braces is not None else []
    read = [part for each in parts if (part := _PART.fullmatch(each.strip()))]
    for part in read:
        name = part[2].strip("\"'")
        found.append((name, part[3] or name))
    if match["default"] is not None:
        found.append(("default", _decoded(match["default"])))
    if match["all"] is not None:
        found.append((EVERYTHING, _decoded(match["star"] or b"")))
    is_type = match["how"] in (b"type", b"typeof") or (
        bool(read) and match["default"] is None and all(part[1] for part in read)
    )
    return tuple(found) if not is_export or match["default"] is None else (), is_type


def _names_taken(data: bytes, begin: int, end: int) -> tuple[tuple[str, str], ...]:
    """Return (exported name, local name) of what the code around a call takes from its result, `*` for a variable."""
    bound = _BOUND.search(data, max(0, begin - MOST_BEFORE), begin)
    member = _MEMBER.match(data, end) if not data.startswith(b",", end - 1) else None
    name = _decoded(member[1]) if member is not None else ""
    local = _decoded(bound[1]) if bound is not None else ""
    if not local or (local.startswith("{") and name):
        return ((name, ""),) if name else ()
    if not local.startswith("{"):
        return ((name or EVERYTHING, local),)
    taken = map(_TAKEN.fullmatch, _EACH_COMMENT.sub(b" ", local[1:-1].encode()).decode().split(","))
    return tuple((one[1], one[2] or one[1]) for one in taken if one is not None)


def _text(match: re.Match[bytes]) -> str:
    return _decoded(match["target"][1:-1])


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")
