"""Words that suppress tools, and the scope of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.validators.language_table import suffixes


@dataclass(frozen=True, slots=True)
class Word:
    """Word that suppresses a tool. `codes` matches the suppressed rules; without a match it suppresses all.

    `in_code`: the word is code (an attribute, an annotation), not a comment.
    """

    part: str
    tool: str
    pattern: re.Pattern[str]
    in_code: bool = False
    suffixes: tuple[str, ...] = ()


def _word(part: str, tool: str, pattern: str, *, in_code: bool = False, languages: str = "") -> Word:
    return Word(part, tool, re.compile(pattern), in_code, suffixes(*languages.split()))


_PY = "python cython"
_JS = "javascript jsx typescript tsx vue svelte astro"
WORDS = (
    _word(
        "noqa",
        "the linter",
        r"#\s*(?:ruff:\s*|flake8[:=]\s*)?(?i:noqa)\b(?P<codes>:\s*[A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+)*)?",
        languages=_PY,
    ),
    _word("type-ignore", "the type checker", r"#\s*type:\s*ignore\b(?P<codes>\[[^\]]*\])?", languages=_PY),
    _word(
        "pyright",
        "pyright",
        r"#\s*pyright:\s*(?:ignore\b(?P<codes>\[[^\]]*\])?|basic\b|report\w+\s*=\s*(?:false|none)\b)",
        languages=_PY,
    ),
    _word("mypy", "mypy", r"#\s*mypy:\s*(?P<codes>ignore-errors|disable-error-code\b.*|allow-\S+)", languages=_PY),
    _word(
        "pylint", "pylint", r"#\s*pylint:\s*(?:disable(?:-next)?\s*=\s*(?P<codes>[\w\-, ]+)|skip-file)", languages=_PY
    ),
    _word("no-cover", "the coverage measurement", r"#\s*pragma:\s*no\s*(?:cover|branch)\b", languages=_PY),
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
        languages=_JS,
    ),
    _word("biome-ignore", "Biome", r"\bbiome-ignore\b(?P<codes>\s+[\w/]+)?", languages=_JS),
    _word("ts-ignore", "TypeScript", r"@ts-(?:ignore|expect-error|nocheck)\b(?P<codes>.*)", languages=_JS),
    _word("no-cover", "the coverage measurement", r"\b(?:istanbul|c8|v8)\s+ignore\b", languages=_JS),
    _word(
        "stylelint-disable",
        "stylelint",
        r"\bstylelint-disable(?:-next-line|-line)?\b(?P<codes>\s+[\w/\-]+(?:\s*,\s*[\w/\-]+)*)?",
    ),
    _word("nolint", "golangci-lint", r"//\s*nolint\b(?P<codes>:[\w,\-]+)?", languages="go"),
    _word("nosec", "gosec", r"#nosec\b(?P<codes>\s+G\d+)?", languages="go"),
    _word("nolint", "clang-tidy", r"\bNOLINT(?:NEXTLINE|BEGIN)?\b(?P<codes>\([^)]*\))?"),
    _word(
        "allow",
        "the Rust compiler and clippy",
        r"#!?\[\s*(?:allow|expect)\s*\((?P<codes>[^)]*)\)",
        in_code=True,
        languages="rust",
    ),
    _word(
        "suppress-warnings",
        "the compiler",
        r"@Suppress(?:Warnings|Lint)?\b(?P<codes>\s*\([^)\n]*\)?)?",
        in_code=True,
        languages="java kotlin groovy scala",
    ),
    _word("checkstyle-off", "checkstyle", r"\bCHECKSTYLE[.: ]OFF\b", languages="java"),
    _word(
        "pragma-warning",
        "the compiler",
        r"#pragma\s+warning\s+disable\b(?P<codes>.*)",
        in_code=True,
        languages="csharp",
    ),
    _word(
        "rubocop-disable",
        "RuboCop",
        r"#\s*rubocop:(?:disable|todo)\b(?P<codes>\s+[\w/]+(?:\s*,\s*[\w/]+)*)?",
        languages="ruby",
    ),
    _word(
        "phpstan-ignore",
        "PHPStan or Psalm",
        r"@(?:phpstan-ignore(?:-line|-next-line)?|psalm-suppress)\b(?P<codes>\s+[\w.]+)?",
        languages="php",
    ),
    _word(
        "phpcs-ignore",
        "PHP_CodeSniffer",
        r"\bphpcs:(?:ignore(?:File)?|disable)\b(?P<codes>\s+[\w.]+)?",
        languages="php",
    ),
    _word("shellcheck-disable", "ShellCheck", r"#\s*shellcheck\s+disable=(?P<codes>[\w,]+)"),
    _word("swiftlint-disable", "SwiftLint", r"\bswiftlint:disable(?::\w+)?\b(?P<codes>\s+\w+)?", languages="swift"),
    _word("hadolint-ignore", "hadolint", r"#\s*hadolint\s+ignore=(?P<codes>[\w,]+)"),
    _word("zizmor-ignore", "zizmor", r"#\s*zizmor:\s*ignore\b(?P<codes>\[[^\]]*\])?"),
    _word(
        "gitleaks-allow", "the secret scanner", r"\b(?:gitleaks:allow|trufflehog:ignore|pragma:\s*allowlist secret)\b"
    ),
)
ANY_WORD = re.compile(r"no|ignore|disable|allow|suppress|skip|cover|expect-error|fmt|format|pyright|OFF", re.IGNORECASE)
FILE_WIDE = re.compile(
    r"#\s*(?:ruff|flake8)[:=]\s*noqa|#\s*mypy:\s*ignore-errors|@ts-nocheck|/\*\s*eslint-disable(?!-)"
    r"|pylint:\s*skip-file|#!\[|\bignoreFile\b|#\s*pyright:\s*basic"
)
