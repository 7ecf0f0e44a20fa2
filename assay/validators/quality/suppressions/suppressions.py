"""Suppressions: every added word that suppresses a tool, one finding per kind."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import ValidationConfig
from assay.validators.languages.source_text import SourceText, has_dialect
from assay.validators.quality.inputs.changed_texts import ReadFile, read_files
from assay.validators.quality.inputs.severities import severity_of
from assay.validators.quality.rule import QualityContext
from assay.validators.quality.suppressions.suppression_words import ANY_WORD, FILE_WIDE, WORDS, Word
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

MOST_PLACES = 10
"""Maximum places named in one finding; the others are counted."""

_TYPE_TEST = re.compile(r"(?:^|/)(?:dts-tests?|type-?tests?|tsd|types/tests?)/|\.(?:test-d|tst)\.[cm]?tsx?$")

_NEXT = re.compile(r"next-line|@ts-")


@dataclass(frozen=True, slots=True)
class _Suppression:
    """Suppression at a line. `text` is the directive itself, `on` the code it applies to."""

    word: Word
    line: int
    text: str
    on: str
    is_blanket: bool
    is_file_wide: bool

    @property
    def key(self) -> tuple[str, str]:
        return self.word.part, " ".join(self.text.split())


class Suppressions:
    """Rule `suppressions`."""

    name = "suppressions"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding for each kind of suppression the change adds, with its places.

        A moved suppression, or one on an edited line, is not added.
        """
        read = list(read_files(context.change, Nature.source, Nature.test, Nature.config))
        gone = Counter((*found.key, found.on) for each in read for found in _removed(each))
        added: list[tuple[ReadFile, _Suppression]] = []
        for each in read:
            for found in _added(each):
                place = (*found.key, found.on)
                if gone[place]:
                    gone[place] -= 1
                else:
                    added.append((each, found))
        yield from self._by_kind(added, context.config)

    def _by_kind(self, added: Sequence[tuple[ReadFile, _Suppression]], config: ValidationConfig) -> Iterator[Finding]:
        """Yield one finding for each kind, scope and configured severity of its places."""
        groups: dict[tuple[str, bool, bool, Severity], list[tuple[ReadFile, _Suppression]]] = defaultdict(list)
        for read, found in added:
            is_grave = found.is_file_wide and read.file.nature is Nature.source
            default = Severity.warning if is_grave else Severity.info
            severity = severity_of(config, f"{self.name}.{found.word.part}", default)
            if severity is not None:
                groups[found.word.part, found.is_file_wide, found.is_blanket, severity].append((read, found))
        for (_, _, _, severity), group in groups.items():
            yield self._finding(group, severity)

    def _finding(self, group: Sequence[tuple[ReadFile, _Suppression]], severity: Severity) -> Finding:
        read, found = group[0]
        what = " ".join(found.text.split())
        line = "the next line" if _NEXT.search(what) else "this line" if len(group) == 1 else "its line"
        line = "the code it marks" if found.word.in_code else line
        scope = "in the whole file" if found.is_file_wide else f"on {line}"
        every = "every finding of " if found.is_blanket else ""
        message = f"`{what}` silences {every}{found.word.tool} {scope}"
        if len(group) > 1:
            message += f"; {len(group)} of this kind are added: {_places(group)}"
        wide = found.is_file_wide or found.is_blanket
        return Finding(
            tier=Tier.quality,
            severity=severity,
            rule=f"{self.name}.{found.word.part}",
            file=read.file.path,
            line=found.line,
            end_line=found.line,
            message=message,
            suggestion="Name the one rule it silences, or fix what the tool found." if wide else None,
            context="\n".join(sorted(f"{' '.join(one.text.split())} {one.on}" for _, one in group)),
        )


def _places(group: Sequence[tuple[ReadFile, _Suppression]]) -> str:
    """Return the first places of a kind, grouped by file."""
    lines: dict[str, list[int]] = defaultdict(list)
    for read, found in group[:MOST_PLACES]:
        lines[read.file.path].append(found.line)
    named = "; ".join(f"{shown(path)}:{', '.join(map(str, numbers))}" for path, numbers in lines.items())
    return named + (f" and {len(group) - MOST_PLACES} more" if len(group) > MOST_PLACES else "")


def _added(read: ReadFile) -> Iterator[_Suppression]:
    """Yield the suppressions on added lines that the replaced lines lack."""
    if read.head_text is None or not has_dialect(read.file.path):
        return
    head: dict[int, list[_Suppression]] = defaultdict(list)
    for each in _suppressions(read.head, read.file.path, read.file.added):
        head[each.line].append(each)
    base = {found.line: found for found in _removed(read)} if head else {}
    for hunk in read.file.hunks:
        replaced = Counter(
            base[number].key
            for number in range(hunk.base_start, hunk.base_start + len(hunk.base_lines))
            if number in base
        )
        for line in range(hunk.head_start, hunk.head_start + len(hunk.head_lines)):
            for found in head[line]:
                if replaced[found.key]:
                    replaced[found.key] -= 1
                elif not _is_expectation(found, read.file.path):
                    yield found


def _is_expectation(found: _Suppression, path: str) -> bool:
    """Return whether it asserts something: a test of types expects an error."""
    return "expect-error" in found.text and bool(_TYPE_TEST.search(path))


def _removed(read: ReadFile) -> Iterator[_Suppression]:
    path = read.file.base_path or read.file.path
    if read.base_text is None or not has_dialect(path):
        return
    yield from _suppressions(read.base, path, read.file.removed)


def _suppressions(source: SourceText, path: str, lines: Container[int]) -> Iterator[_Suppression]:
    """Yield every suppression on these lines: in comments, or in code for words of code."""
    words = [word for word in WORDS if not word.suffixes or path.endswith(word.suffixes)]
    for comment in source.comments:
        if comment.line in lines and ANY_WORD.search(comment.text):
            for word in words:
                if not word.in_code and (match := word.pattern.search(comment.text)):
                    yield _suppression(word, match, comment.line, comment.text, source.code_lines[comment.line - 1])
                    break
    for word in words:
        if word.in_code:
            for match in word.pattern.finditer(source.code):
                line = source.line_at(match.start())
                if line in lines:
                    text = source.text[match.start() : match.end()]
                    yield _suppression(word, match, line, text, source.code_lines[line - 1])


def _suppression(word: Word, match: re.Match[str], line: int, whole: str, on: str) -> _Suppression:
    has_codes = "codes" in word.pattern.groupindex
    return _Suppression(
        word=word,
        line=line,
        text=(whole if word.in_code else match.group()).strip()[:120],
        on=" ".join(on.split())[:200],
        is_blanket=has_codes and not (match.group("codes") or "").strip(),
        is_file_wide=bool(FILE_WIDE.search(whole)),
    )
