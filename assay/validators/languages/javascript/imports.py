"""Imports of a JavaScript or TypeScript file, read from its bytes without parsing.

Outside strings and comments, an import is a statement or call in one of a few forms. The tests compare this with
tree-sitter.
"""

from __future__ import annotations

import re

from assay.validators.languages.javascript.tokens import COMMENT, places
from assay.validators.languages.language import EVERYTHING, Import, Scan

_GAP = rb"(?:\s|" + COMMENT + rb")*+"
_QUOTED = rb"\"([^\"\\\n]*+(?:\\.[^\"\\\n]*+)*+)\"|'([^'\\\n]*+(?:\\.[^'\\\n]*+)*+)'"
_STRING = rb"(?:" + _QUOTED + rb")"
_PLAIN_TEMPLATE = rb"`([^`$\\\n]*+)`"
_WORD = rb"[\w$\x80-\xff]++"
_BRACED = rb"\{(?:[\w$\s,*\x80-\xff]|" + COMMENT + rb"|\"[^\"\n]*+\"|'[^'\n]*+')*+\}"
# At most a few words and one pair of braces, so that `import import import …` takes linear time.
_CLAUSE = (
    rb"(" + _GAP + rb"(?:" + _WORD + _GAP + rb",?" + _GAP + rb"){0,3}+"
    rb"(?:(?:" + _BRACED + rb"|\*" + _GAP + rb"(?:as" + _GAP + _WORD + rb")?)" + _GAP + rb"from" + _GAP + rb")?)"
)  # fmt: skip

_STATIC = re.compile(rb"(?:import|export)(?![\w$])" + _CLAUSE + _STRING)
_CALL = re.compile(
    rb"(?:import|require(?:\s*\.\s*resolve)?)" + _GAP + rb"\(" + _GAP
    + rb"(?:" + _QUOTED + rb"|" + _PLAIN_TEMPLATE + rb")" + _GAP + rb"[,)]"
)  # fmt: skip
_BOUND = re.compile(rb"(?:^|[;{}\n])\s*(?:(?:const|let|var)\s+)?([\w$\x80-\xff]+|\{[^{}]*\})\s*=\s*\(?(?:await\s+)?\Z")
_MEMBER = re.compile(rb"\)?\s*\??\.\s*([\w$\x80-\xff]+)")
_NAME = re.compile(r"[\w$]+")
MOST_BEFORE = 400
"""Bytes before a call in which the names it is assigned to are searched."""
_EQUALS = re.compile(rb"import\s++(?:type\s++)?([\w$]++)\s*+=\s*+require\s*+\(\s*+" + _STRING)
_NEW_URL = re.compile(rb"new\s+URL\s*\(\s*" + _STRING + rb"\s*,\s*\Z")
_AMD = re.compile(rb"(?:define|require)\s*+\(\s*+(?:" + _STRING + rb"\s*+,\s*+)?\[([^][(){}]*+)\]")
_REFERENCE = re.compile(rb"///\s*+<reference\s++(path|types)\s*+=\s*+" + _STRING)
_ANY_STRING = re.compile(_STRING)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{([0-9a-fA-F]{1,6})\}|\r?\n|(.))", re.DOTALL)
_COMMENTS = re.compile(rb"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
_HOW = ("type", "typeof", "defer", "source")
_TYPE_CLAUSE = re.compile(rb"\s*type\s+(?!from\b|,)")
_BRACES = re.compile(rb"\{([^{}]*+)\}")
_WHOLE_CLAUSE = re.compile(
    rb"\s*(?:(?:type|typeof|defer|source)(?![\w$])\s*)?(?:[\w$\x80-\xff]+\s*,\s*)?"
    rb"(?:[\w$\x80-\xff]+|\*(?:\s*as\s+[^\s{}*,]+)?|\{[^{}]*+\})?\s*from\Z"
)


def scan_imports(content: bytes, line: int = 1) -> Scan:
    """Return every import of a JavaScript or TypeScript file, in order; `line` is the number of its first line."""
    data = content.removeprefix(b"\xef\xbb\xbf")
    imports: list[Import] = []
    counted, end = 0, 0
    for at, is_comment in places(data):
        if at < end:
            continue
        line += data.count(b"\n", counted, at)
        counted = at
        found, end = _reference(data, at, line) if is_comment else _import(data, at, line)
        imports += found
    return Scan(tuple(imports))


def _import(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """Return the imports of the statement or call at `at`, and its end."""
    if data.startswith(b"export", at):
        return _static(data, at, line)
    if data.startswith(b"import", at):
        found, end = _static(data, at, line)
        return (found, end) if found else _other_import(data, at, line)
    return _amd(data, at, line) or _call(data, at, line)


def _static(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """Read `import … from "x"`, `import "x"`, `export … from "x"`."""
    match = _STATIC.match(data, at)
    if match is None or not _begins_statement(data, at):
        return [], at
    is_export = data.startswith(b"export", at)
    is_bare = not is_export and not match[1].strip()
    names = () if is_bare else _names_of(match[1], is_export)
    if names is None:
        return [], at
    kind = "export" if is_export else "import"
    return [Import(line, _text(match[2], match[3]), names, kind=kind, is_type=_takes_types(match[1]))], match.end()


def _takes_types(clause: bytes) -> bool:
    """Return whether a clause takes types alone: `type { A }`, `type A from`, `{ type A, type B }`."""
    if _TYPE_CLAUSE.match(clause):
        return True
    group = _BRACES.search(clause)
    parts = [part.split() for part in _uncommented(group[1]).split(b",") if part.strip()] if group is not None else []
    is_alone = group is not None and not clause[: group.start()].strip()
    return is_alone and bool(parts) and all(len(part) > 1 and part[0] == b"type" for part in parts)


def _other_import(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    """Read `import x = require("x")`, `new URL("x", import.meta.url)`, `import("x")`."""
    if match := _EQUALS.match(data, at):
        return [Import(line, _text(match[2], match[3]), ((EVERYTHING, match[1].decode()),))], match.end()
    if data.startswith(b".meta", at + 6):
        match = _NEW_URL.search(data, max(0, at - 400), at)
        return ([Import(line, _text(match[1], match[2]), kind="path", is_top=False)] if match else []), at
    return _call(data, at, line)


def _call(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    match = _CALL.match(data, at)
    if match is None:
        return [], at
    target = _text(match[1], match[2] or match[3])
    if b"resolve" in match[0].partition(b"(")[0]:
        return [Import(line, target, kind="path", is_top=False)], match.end()
    names = _names_taken(data, at, match.end())
    return [Import(line, target, names, kind="call", is_top=False)], match.end()


def _names_taken(data: bytes, begin: int, end: int) -> tuple[tuple[str, str], ...]:
    """Return (exported name, local name) of what the code around a call takes from its result, `*` for a variable."""
    bound = _BOUND.search(data, max(0, begin - MOST_BEFORE), begin)
    member = _MEMBER.match(data, end) if not data.startswith(b",", end - 1) else None
    name = member[1].decode("utf-8", "surrogateescape") if member is not None and member[1] != b"then" else ""
    if bound is None or (bound[1].startswith(b"{") and name):
        return ((name, ""),) if name else ()
    if not bound[1].startswith(b"{"):
        return ((name or EVERYTHING, bound[1].decode("utf-8", "surrogateescape")),)
    taken = _uncommented(bound[1])[1:-1].decode("utf-8", "surrogateescape").split(",")
    # A name with a default may be missing.
    parts = [part.split(":") for part in taken if "=" not in part]
    pairs = [(part[0].strip(), part[-1].strip()) for part in parts]
    return tuple(pair for pair in pairs if all(map(_NAME.fullmatch, pair)))


def _amd(data: bytes, at: int, line: int) -> tuple[list[Import], int] | None:
    """Read the relative names of `define(["./x"], …)`; other names depend on settings elsewhere."""
    match = _AMD.match(data, at)
    if match is None:
        return None
    targets = [_text(one, other) for one, other in _ANY_STRING.findall(match[3])]
    return [Import(line, one, kind="call", is_top=False) for one in targets if one.startswith(".")], match.end()


def _reference(data: bytes, at: int, line: int) -> tuple[list[Import], int]:
    match = _REFERENCE.match(data, at)
    if match is None:
        return [], at
    target = _text(match[2], match[3])
    if match[1] == b"path" and not target.startswith(("./", "../", "/")):
        target = f"./{target}"
    return [Import(line, target, kind="reference")], match.end()


def _begins_statement(data: bytes, at: int) -> bool:
    """Return whether the text before on the line is complete: an import does not begin inside JSX text."""
    begin = data.rfind(b"\n", max(0, at - 2000), at) + 1
    before = data[begin:at].rstrip()
    return not before or before[-1] in b";{}>" or before.endswith(b"*/")


def _text(one: bytes | None, other: bytes | None) -> str:
    text = (one or other or b"").decode("utf-8", "surrogateescape")
    return _ESCAPE.sub(_unescaped, text) if "\\" in text else text


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2] or match[3]
    if code:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\N{REPLACEMENT CHARACTER}"
    return match[4] or ""


def _names_of(clause: bytes, is_export: bool = False) -> tuple[tuple[str, str], ...] | None:
    """Return (exported name, local name) of each name in a clause; None for an invalid one.

    `default` is a default import, `*` everything (`* as x` has a local name). `clause` is the text between the word
    `import` or `export` and the string, `from` included.
    """
    clause = _uncommented(clause).rstrip()
    if _WHOLE_CLAUSE.match(clause) is None:
        return None
    clause = clause[:-4]
    found: list[tuple[str, str]] = []
    for group in _BRACES.findall(clause):
        for part in group.split(b","):
            words = _words(part)
            if len(words) == 1:
                found.append((words[0], words[0]))
            elif len(words) == 3 and words[1] == "as":
                found.append((words[0], words[2]))
    rest = _BRACES.sub(b"", clause).split(b",")
    for part in rest:
        words = _words(part)
        if words[:1] == [EVERYTHING]:
            found.append((EVERYTHING, words[2] if len(words) == 3 else ""))
        elif len(words) == 1 and not (words == ["type"] and len(rest) == 1 and b"{" in clause):
            found.append(("default", "default" if is_export else words[0]))
    return tuple(found)


def _uncommented(clause: bytes) -> bytes:
    return _COMMENTS.sub(b" ", clause) if b"/" in clause else clause


def _words(part: bytes) -> list[str]:
    """Return the words of one part, without `type`, `defer` or `source`."""
    words = [word.strip("\"'") for word in part.replace(b"*", b" * ").decode("utf-8", "surrogateescape").split()]
    return words[1:] if len(words) > 1 and words[0] in _HOW and words[1] != "as" else words
