"""Suppressions: every added word that tells a tool to look away, listed one by one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass

from assay.validators.classify import Nature
from assay.validators.language_table import ALL_LANGUAGES
from assay.validators.quality.changed_texts import ReadFile, read_files
from assay.validators.quality.rule import QualityContext
from assay.validators.quality.source_text import SourceText, has_dialect
from assay.validators.quality.suppression_words import ANY_WORD, FILE_WIDE, WORDS, Word
from assay.validators.report import Finding, NotChecked, Severity, Tier

_TYPE_TEST = re.compile(r"(?:^|/)(?:dts-tests?|type-?tests?|tsd|types/tests?)/|\.(?:test-d|tst)\.[cm]?tsx?$")


@dataclass(frozen=True, slots=True)
class _Found:
    """A suppression at a line. `text` is the directive itself, `on` the code it stands on."""

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
    """The rule."""

    name = "suppressions"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """One finding for each suppression the change adds.

        One that only moved, or stands on an edited line, is not added.
        """
        read = list(read_files(context.change, Nature.source, Nature.test, Nature.config))
        gone = Counter((*found.key, found.on) for each in read for found in _removed(each))
        added: list[tuple[ReadFile, _Found]] = []
        for each in read:
            for found in _added(each):
                place = (*found.key, found.on)
                if gone[place]:
                    gone[place] -= 1
                else:
                    added.append((each, found))
        counts = Counter(found.word.part for _, found in added)
        for each, found in added:
            yield self._finding(each, found, counts[found.word.part])

    def _finding(self, read: ReadFile, found: _Found, count: int) -> Finding:
        what = " ".join(found.text.split())
        scope = (
            "the whole file"
            if found.is_file_wide
            else "every finding on this line"
            if found.is_blanket
            else "this line"
        )
        message = f"`{what}` tells {found.word.tool} to look away from {scope}"
        if count > 1:
            message += f" (one of {count} of its kind in this change)"
        wide = found.is_file_wide or found.is_blanket
        return Finding(
            tier=Tier.quality,
            severity=Severity.warning if found.is_file_wide and read.file.nature is Nature.source else Severity.info,
            rule=f"{self.name}.{found.word.part}",
            file=read.file.path,
            line=found.line,
            end_line=found.line,
            message=message,
            suggestion="Name the one rule it silences, or fix what the tool found." if wide else None,
            context=f"{what} {found.on}",
        )


def _added(read: ReadFile) -> Iterator[_Found]:
    """The suppressions on added lines that the lines they replace did not have."""
    if read.head_text is None or not has_dialect(read.file.path):
        return
    head: dict[int, list[_Found]] = defaultdict(list)
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


def _is_expectation(found: _Found, path: str) -> bool:
    """Whether it asserts something: in a test of types, an expected error is what is tested."""
    return "expect-error" in found.text and bool(_TYPE_TEST.search(path))


def _removed(read: ReadFile) -> Iterator[_Found]:
    path = read.file.base_path or read.file.path
    if read.base_text is None or not has_dialect(path):
        return
    yield from _suppressions(read.base, path, read.file.removed)


def _suppressions(source: SourceText, path: str, lines: Container[int]) -> Iterator[_Found]:
    """Every suppression on these lines: in comments, or, where the word is code, in code."""
    words = [word for word in WORDS if not word.suffixes or path.endswith(word.suffixes)]
    for comment in source.comments:
        if comment.line in lines and ANY_WORD.search(comment.text):
            for word in words:
                if not word.in_code and (match := word.pattern.search(comment.text)):
                    yield _found(word, match, comment.line, comment.text, source.code_lines[comment.line - 1])
                    break
    for word in words:
        if word.in_code:
            for match in word.pattern.finditer(source.code):
                line = source.line_at(match.start())
                if line in lines:
                    text = source.text[match.start() : match.end()]
                    yield _found(word, match, line, text, source.code_lines[line - 1])


def _found(word: Word, match: re.Match[str], line: int, whole: str, on: str) -> _Found:
    has_codes = "codes" in word.pattern.groupindex
    return _Found(
        word=word,
        line=line,
        text=(whole if word.in_code else match.group()).strip()[:120],
        on=" ".join(on.split())[:200],
        is_blanket=has_codes and not (match.group("codes") or "").strip(),
        is_file_wide=bool(FILE_WIDE.search(whole)),
    )
