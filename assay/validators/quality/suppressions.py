"""Suppressions: every added word that tells a tool to look away, listed one by one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterator
from dataclasses import dataclass

from assay.validators.classify import Nature
from assay.validators.quality.changed_texts import ReadFile, read_files
from assay.validators.quality.rule import QualityContext
from assay.validators.quality.source_text import SourceText, has_dialect
from assay.validators.report import Finding, NotChecked, Severity, Tier


@dataclass(frozen=True, slots=True)
class _Word:
    """A word that silences a tool. `codes` finds what exactly is silenced; without it everything is.

    `in_code`: the word is code (an attribute, an annotation), not a comment.
    """

    part: str
    tool: str
    pattern: re.Pattern[str]
    in_code: bool = False
    suffixes: tuple[str, ...] = ()


def _word(part: str, tool: str, pattern: str, *, in_code: bool = False, suffixes: str = "") -> _Word:
    return _Word(part, tool, re.compile(pattern), in_code, tuple(suffixes.split()))


_PY = ".py .pyi .pyx"
_JS = ".js .jsx .mjs .cjs .ts .tsx .mts .cts .vue .svelte"
_WORDS = (
    _word(
        "noqa",
        "the linter",
        r"#\s*(?:ruff:\s*|flake8[:=]\s*)?(?i:noqa)\b(?P<codes>:\s*[A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+)*)?",
        suffixes=_PY,
    ),
    _word("type-ignore", "the type checker", r"#\s*type:\s*ignore\b(?P<codes>\[[^\]]*\])?", suffixes=_PY),
    _word(
        "pyright",
        "pyright",
        r"#\s*pyright:\s*(?:ignore\b(?P<codes>\[[^\]]*\])?|basic\b|report\w+\s*=\s*(?:false|none)\b)",
        suffixes=_PY,
    ),
    _word("mypy", "mypy", r"#\s*mypy:\s*(?P<codes>ignore-errors|disable-error-code\b.*|allow-\S+)", suffixes=_PY),
    _word(
        "pylint", "pylint", r"#\s*pylint:\s*(?:disable(?:-next)?\s*=\s*(?P<codes>[\w\-, ]+)|skip-file)", suffixes=_PY
    ),
    _word("no-cover", "the coverage measurement", r"#\s*pragma:\s*no\s*(?:cover|branch)\b", suffixes=_PY),
    _word("nosec", "bandit", r"#\s*nosec\b(?P<codes>:?\s*B\d+(?:[,\s]+B\d+)*)?"),
    _word("nosemgrep", "semgrep", r"\bnosem(?:grep)?\b(?P<codes>:\s*[\w.\-, ]+)?"),
    _word("nosonar", "SonarQube", r"\bNOSONAR\b"),
    _word(
        "fmt-off",
        "the formatter",
        r"#\s*(?:fmt:\s*off|yapf:\s*disable)\b|//\s*(?:clang-format off|@formatter:off)|\bprettier-ignore\b",
    ),
    _word(
        "eslint-disable",
        "ESLint",
        r"\b(?:es|ts|ox)lint[-:]disable(?:-next-line|-line"
        r"|:next-line)?\b(?P<codes>[ \t]+@?[\w][\w@/\-]*(?:\s*,\s*[@\w/\-]+)*)?",
        suffixes=_JS,
    ),
    _word("biome-ignore", "Biome", r"\bbiome-ignore\b(?P<codes>\s+[\w/]+)?", suffixes=_JS),
    _word("ts-ignore", "TypeScript", r"@ts-(?:ignore|expect-error|nocheck)\b(?P<codes>.*)", suffixes=_JS),
    _word("no-cover", "the coverage measurement", r"\b(?:istanbul|c8|v8)\s+ignore\b", suffixes=_JS),
    _word(
        "stylelint-disable",
        "stylelint",
        r"\bstylelint-disable(?:-next-line|-line)?\b(?P<codes>\s+[\w/\-]+(?:\s*,\s*[\w/\-]+)*)?",
    ),
    _word("nolint", "golangci-lint", r"//\s*nolint\b(?P<codes>:[\w,\-]+)?", suffixes=".go"),
    _word("nosec", "gosec", r"#nosec\b(?P<codes>\s+G\d+)?", suffixes=".go"),
    _word("nolint", "clang-tidy", r"\bNOLINT(?:NEXTLINE|BEGIN)?\b(?P<codes>\([^)]*\))?"),
    _word(
        "allow",
        "the Rust compiler and clippy",
        r"#!?\[\s*(?:allow|expect)\s*\((?P<codes>[^)]*)\)",
        in_code=True,
        suffixes=".rs",
    ),
    _word(
        "suppress-warnings",
        "the compiler",
        r"@Suppress(?:Warnings|Lint)?\b(?P<codes>\s*\([^)\n]*\)?)?",
        in_code=True,
        suffixes=".java .kt .kts .groovy .scala",
    ),
    _word("checkstyle-off", "checkstyle", r"\bCHECKSTYLE[.: ]OFF\b", suffixes=".java"),
    _word(
        "pragma-warning", "the compiler", r"#pragma\s+warning\s+disable\b(?P<codes>.*)", in_code=True, suffixes=".cs"
    ),
    _word(
        "rubocop-disable",
        "RuboCop",
        r"#\s*rubocop:(?:disable|todo)\b(?P<codes>\s+[\w/]+(?:\s*,\s*[\w/]+)*)?",
        suffixes=".rb",
    ),
    _word(
        "phpstan-ignore",
        "PHPStan or Psalm",
        r"@(?:phpstan-ignore(?:-line|-next-line)?|psalm-suppress)\b(?P<codes>\s+[\w.]+)?",
        suffixes=".php",
    ),
    _word(
        "phpcs-ignore",
        "PHP_CodeSniffer",
        r"\bphpcs:(?:ignore(?:File)?|disable)\b(?P<codes>\s+[\w.]+)?",
        suffixes=".php",
    ),
    _word("shellcheck-disable", "ShellCheck", r"#\s*shellcheck\s+disable=(?P<codes>[\w,]+)"),
    _word("swiftlint-disable", "SwiftLint", r"\bswiftlint:disable(?::\w+)?\b(?P<codes>\s+\w+)?", suffixes=".swift"),
    _word("hadolint-ignore", "hadolint", r"#\s*hadolint\s+ignore=(?P<codes>[\w,]+)"),
    _word("zizmor-ignore", "zizmor", r"#\s*zizmor:\s*ignore\b(?P<codes>\[[^\]]*\])?"),
    _word(
        "gitleaks-allow", "the secret scanner", r"\b(?:gitleaks:allow|trufflehog:ignore|pragma:\s*allowlist secret)\b"
    ),
)
_ANY = re.compile(r"no|ignore|disable|allow|suppress|skip|cover|expect-error|fmt|format|pyright|OFF", re.IGNORECASE)
_FILE_WIDE = re.compile(
    r"#\s*(?:ruff|flake8)[:=]\s*noqa|#\s*mypy:\s*ignore-errors|@ts-nocheck|/\*\s*eslint-disable(?!-)"
    r"|pylint:\s*skip-file|#!\[|\bignoreFile\b|#\s*pyright:\s*basic"
)

_TYPE_TEST = re.compile(r"(?:^|/)(?:dts-tests?|type-?tests?|tsd|types/tests?)/|\.(?:test-d|tst)\.[cm]?tsx?$")


@dataclass(frozen=True, slots=True)
class _Found:
    """A suppression at a line. `text` is the directive itself, `on` the code it stands on."""

    word: _Word
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
            severity=Severity.warning if wide and read.file.nature is Nature.source else Severity.info,
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
    words = [word for word in _WORDS if not word.suffixes or path.endswith(word.suffixes)]
    for comment in source.comments:
        if comment.line in lines and _ANY.search(comment.text):
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


def _found(word: _Word, match: re.Match[str], line: int, whole: str, on: str) -> _Found:
    has_codes = "codes" in word.pattern.groupindex
    return _Found(
        word=word,
        line=line,
        text=(whole if word.in_code else match.group()).strip()[:120],
        on=" ".join(on.split())[:200],
        is_blanket=has_codes and not (match.group("codes") or "").strip(),
        is_file_wide=bool(_FILE_WIDE.search(whole)),
    )
