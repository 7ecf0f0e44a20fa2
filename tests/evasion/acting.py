"""Whether a wrapped payload can still act, found out by the parser of its language."""

from __future__ import annotations

import json
import re
import warnings
from functools import cache
from pathlib import PurePosixPath

import sqlglot
import tree_sitter
import tree_sitter_typescript
import yaml

from tests.evasion.changes import Change

_NEWER = re.compile(rb"^type .*$", re.MULTILINE)
"""Statements of Python 3.12, which the Python of this test may not know."""


def acts(change: Change) -> bool:
    """Whether the language's own parser takes the carrier; True for languages without one here.

    A program without a suffix runs by its first line: one that a wrapper put something before is no program.
    """
    is_script = change.language in ("python", "typescript", "tsx") and not PurePosixPath(change.carrier).suffix
    if is_script and not change.entry.data.startswith((b"#!", b"\xef\xbb\xbf#!")):
        return False
    return _READS.get(change.language, _any)(change)


def _python(change: Change) -> bool:
    """Whether Python compiles it, as a module or as a script."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(_NEWER.sub(b"", change.entry.data), "carrier", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            return False
    return True


def _script(change: Change) -> bool:
    """Whether it parses as TypeScript, decoded as its compiler does: by the mark of byte order."""
    data = change.entry.data
    for mark, encoding in ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"), (b"\xef\xbb\xbf", "utf-8")):
        if data.startswith(mark):
            text = data.removeprefix(mark).decode(encoding, "replace")
            break
    else:
        text = data.decode("utf-8", "replace")
    if "\0" in text.split("//")[0]:
        return False
    is_markup = change.language == "tsx" or PurePosixPath(change.carrier).suffix.lower() == ".tsx"
    tree = _parser(is_markup=is_markup).parse(text.replace("\0", " ").encode())
    return not tree.root_node.has_error


@cache
def _parser(*, is_markup: bool) -> tree_sitter.Parser:
    language = tree_sitter_typescript.language_tsx() if is_markup else tree_sitter_typescript.language_typescript()
    return tree_sitter.Parser(tree_sitter.Language(language))


def _yaml(change: Change) -> bool:
    try:
        return bool(yaml.safe_load(change.entry.data))
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def _json(change: Change) -> bool:
    """npm drops a byte order mark, and reads UTF-8 alone."""
    try:
        json.loads(change.entry.data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return False
    return True


def _sql(change: Change) -> bool:
    data = change.entry.data
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
    try:
        return any(sqlglot.parse(data.decode(encoding, "replace"), dialect="postgres"))
    except (sqlglot.errors.SqlglotError, RecursionError):
        return False


def _any(change: Change) -> bool:
    return bool(change.entry.data)


_READS = {"python": _python, "typescript": _script, "tsx": _script, "yaml": _yaml, "json": _json, "sql": _sql}
