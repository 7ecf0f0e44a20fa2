"""Environment variables that source no longer reads: setting one has no effect any more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from assay.validators.changes.change import ChangedFile, ChangeSet, decoded, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import is_in, languages
from assay.validators.languages.source_text import has_word, split_source
from assay.validators.report.model import Statement
from assay.validators.wording import listed

_CODE = languages(*"python javascript typescript go rust java kotlin csharp ruby php".split())
_READ = re.compile(
    r"(?:\benviron(?:\.get|\.setdefault)?\s?[\[(]|\bgetenv\s?\(|\b(?:Getenv|LookupEnv|GetEnvironmentVariable|env::var(?:_os)?)\s?\("
    r"|\bprocess\.env\[|\bENV(?:\.fetch|\.key\?)?\s?[\[(])\s?[\"']([A-Z][A-Z0-9_]{3,60})[\"']|\bprocess\.env\.([A-Z][A-Z0-9_]{3,60})\b"
)
_CASE = re.compile(r"\s*case\s+[\"']([A-Z][A-Z0-9_]{3,60})[\"']\s*:")
_READS_ALL = re.compile(r"\bos\.Environ\(\)|\bprocess\.env\b|\bos\.environ\b|\benv::vars\(\)")
MOST_FILES, MOST_LINES, MOST_NAMED, LONGEST = 3000, 2000, 5, 500


def no_longer_read(change: ChangeSet) -> Iterator[Statement]:
    """Yield the variables on removed lines that neither a changed file nor another one of source names."""
    for file in change.files:
        if file.nature is Nature.source and file.base_path and file.removed and is_in(file.path, _CODE):
            yield from _of_file(change, file, file.base_path)


def _of_file(change: ChangeSet, file: ChangedFile, base_path: str) -> Iterator[Statement]:
    before = text_at(change.base, base_path)
    lines = split_source(before, base_path).bare_lines
    patterns = [_READ, _CASE] if _READS_ALL.search(before) else [_READ]
    found: set[str] = set()
    for number in islice(file.removed, MOST_LINES):
        line = lines[number - 1][:LONGEST] if number <= len(lines) else ""
        found |= {name for one in patterns for match in one.finditer(line) for name in match.groups() if name}
    found -= _named(found, text_at(change.head, file.path) if file.exists else "")
    if not found:
        return
    others = [path for path in change.head.paths if is_in(path, _CODE) and change.nature_of(path) is Nature.source]
    for _, content in change.head.read_many(others[:MOST_FILES]):
        found -= _named(found, decoded(content or b""))
    if found and len(others) <= MOST_FILES:
        names = listed(sorted(found), MOST_NAMED)
        yield Statement("setting_removed", names, file.path, next(iter(file.added), None))


def _named(names: set[str], text: str) -> set[str]:
    return {name for name in names if has_word(text, name)}
