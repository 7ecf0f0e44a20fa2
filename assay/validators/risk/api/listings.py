"""Committed listings of a public interface, compared by lines: of Kotlin, .NET and TypeScript packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import FileKind, text_at
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.signal import RiskContext

_KEYWORD = re.compile(r"\s*(?:public|protected|export|abstract|final|static|namespace|\[assembly)\b")
_MEMBER_LINE = re.compile(r"\s+(?!//|@)[\w$'\"(\[].*;\s*$")
_REMOVED = "*REMOVED*"
_LISTINGS = (
    (re.compile(r"(?:.*/)?[^/]+\.(?:api\.md|approved\.txt)"), re.compile(f"{_KEYWORD.pattern}|{_MEMBER_LINE.pattern}")),
    (re.compile(r"(?:.*/)?[^/]+\.api"), _KEYWORD),
    (re.compile(r"(?:.*/)?PublicAPI(?:\.\w+)*\.txt"), re.compile(r"(?!#)[\w~*]")),
    (
        re.compile(r"(?:.*/)?api/[\w.-]+\.txt"),
        re.compile(r"pkg |\s+(?:method|ctor|field|property|enum_constant|public)\b"),
    ),
)
"""Files of API Extractor, approval tests, binary-compatibility-validator, PublicApiAnalyzers, Metalava and Go; what
declares a name.
"""
MOST_LINES = 200
_ABSTRACT = re.compile(r"\babstract\b")
_OWED = (ApiChangeKind.breaking, "new abstract member")
_NEW = (ApiChangeKind.non_breaking, "added")
_OUTER = re.compile(r".*\b(?:class|interface|object|enum|record|struct)\s+(?:[\w.]+/)*([\w.$]+)")
_MEMBER = re.compile(r".*\b(?:fun|field|val|var)\s+([\w.$<>]+)")


def is_listing(path: str) -> bool:
    """Return whether a file lists a public interface by its name."""
    return _declaring(path) is not None


def of_listings(context: RiskContext) -> Iterator[NameChange]:
    """Yield the declarations that leave the listings of the change and appear in none of them, and new ones."""
    files = [
        file
        for file in context.change.files
        if is_listing(file.path) and file.kind is FileKind.text and file.base_path is not None
    ]
    removed = {_normal(text) for file in files for text in file.removed.values()}
    added = {_normal(text) for file in files for text in file.added.values()}
    for file in files:
        gone = _names(text_at(context.change.base, file.base_path), file.path, file.removed, removed - added)
        come = _names(text_at(context.change.head, file.path), file.path, file.added, added - removed)
        old, new = (dict.fromkeys(name for _, name, _ in lines) for lines in (gone, come))
        for name in [one for one in new if one.startswith(_REMOVED)]:
            del new[name]
            gone_name = name.removeprefix(_REMOVED)
            yield NameChange(ApiChangeKind.breaking, gone_name, gone_name, "removed", file.path, None, exported=True)
        for name in old:
            what = "signature changed" if name in new else "removed"
            yield NameChange(ApiChangeKind.breaking, name, name, what, file.path, None, exported=True)
        for line, name, text in come:
            if name not in old and name in new:
                # Who implements an interface must implement a new abstract member.
                outer, dot, _ = name.rpartition(".")
                is_owed = bool(dot) and outer not in new and _ABSTRACT.search(text) is not None
                is_owed |= file.path.endswith(".approved.txt") and _KEYWORD.match(text) is None
                kind, what = _OWED if is_owed else _NEW
                yield NameChange(kind, name, name, what, file.path, line, exported=True)


def _declaring(path: str) -> re.Pattern[str] | None:
    return next((declares for name, declares in _LISTINGS if name.fullmatch(path)), None)


def _names(source: str, path: str, lines: dict[int, str], wanted: set[str]) -> list[tuple[int, str, str]]:
    """Return (line, name, text) of wanted lines that declare something: `Outer.member`, or the line itself."""
    declares = _declaring(path)
    every = source.split("\n")
    found = []
    for number, text in list(lines.items())[:MOST_LINES]:
        if _normal(text) in wanted and declares is not None and declares.match(text):
            found.append((number, _name(every, number, text), text))
    return found


def _name(every: list[str], number: int, text: str) -> str:
    depth = len(text) - len(text.lstrip())
    if not depth:
        outer = _OUTER.match(text)
        # What PublicAPI.txt says after the arrow is the result: the name stays with another one.
        return outer[1] if outer is not None else _normal(text).partition(" -> ")[0]
    around = (one for one in reversed(every[: number - 1]) if one.strip() and len(one) - len(one.lstrip()) < depth)
    outer, member = _OUTER.match(next(around, "")), _MEMBER.match(text)
    if outer is None:
        return _normal(text)
    return f"{outer[1]}.{member[1]}" if member is not None else f"{outer[1]}: {_normal(text)}"


def _normal(text: str) -> str:
    return " ".join(text.split()).removesuffix("{").strip()[:160]
