"""Committed listings of a public interface, compared by lines: of Kotlin, .NET and TypeScript packages."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, FileKind
from assay.validators.report.risk_facts import ApiChangeKind
from assay.validators.risk.api.difference import NameChange
from assay.validators.risk.signal import RiskContext

_KEYWORD = re.compile(r"\s*(?:public|protected|export|abstract|final|static|namespace|\[assembly)\b")
_LISTINGS = (
    (re.compile(r"(?:.*/)?[^/]+\.(?:api|api\.md|approved\.txt)"), _KEYWORD),
    (re.compile(r"(?:.*/)?PublicAPI(?:\.\w+)*\.txt"), re.compile(r"(?!#|\*REMOVED\*)[\w~]")),
)
"""Files of binary-compatibility-validator, API Extractor, approval tests, PublicApiAnalyzers; what declares a name."""
MOST_LINES = 200


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
        yield from _changed(file, removed - added, file.removed, ApiChangeKind.breaking, "removed")
        yield from _changed(file, added - removed, file.added, ApiChangeKind.non_breaking, "added")


def _declaring(path: str) -> re.Pattern[str] | None:
    return next((declares for name, declares in _LISTINGS if name.fullmatch(path)), None)


def _changed(
    file: ChangedFile, wanted: set[str], lines: dict[int, str], kind: ApiChangeKind, what: str
) -> Iterator[NameChange]:
    declares = _declaring(file.path)
    for number, text in list(lines.items())[:MOST_LINES]:
        name = _normal(text)
        if name in wanted and declares is not None and declares.match(text):
            line = number if kind is ApiChangeKind.non_breaking else None
            yield NameChange(kind, name, name, what, file.path, line, exported=True)


def _normal(text: str) -> str:
    return " ".join(text.split()).removesuffix("{").strip()[:160]
