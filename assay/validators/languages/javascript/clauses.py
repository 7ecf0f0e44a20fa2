"""Names of an import or export clause: `React, { useState as state, type FC }`."""

from __future__ import annotations

import re

from assay.validators.languages.language import EVERYTHING

_COMMENTS = re.compile(rb"//[^\n]*+|/\*[^*]*+(?:\*(?!/)[^*]*+)*+(?:\*/|\Z)")
_HOW = ("type", "typeof", "defer", "source")
_BRACES = re.compile(rb"\{([^{}]*+)\}")


_CLAUSE = re.compile(
    rb"\s*(?:(?:type|typeof|defer|source)(?![\w$])\s*)?(?:[\w$\x80-\xff]+\s*,\s*)?"
    rb"(?:[\w$\x80-\xff]+|\*(?:\s*as\s+[^\s{}*,]+)?|\{[^{}]*+\})?\s*from\Z"
)


def names_of(clause: bytes, is_export: bool = False) -> tuple[tuple[str, str], ...] | None:
    """Return (exported name, local name) of each name in a clause; None for an invalid one.

    `default` is a default import, `*` everything (`* as x` has a local name). `clause` is the text between the word
    `import` or `export` and the string, `from` included.
    """
    if b"/" in clause:
        clause = _COMMENTS.sub(b" ", clause)
    clause = clause.rstrip()
    if _CLAUSE.match(clause) is None:
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


def _words(part: bytes) -> list[str]:
    """Return the words of one part, without `type`, `defer` or `source`."""
    words = [word.strip("\"'") for word in part.replace(b"*", b" * ").decode("utf-8", "surrogateescape").split()]
    return words[1:] if len(words) > 1 and words[0] in _HOW and words[1] != "as" else words
