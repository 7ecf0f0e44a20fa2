"""Words that suppress tools, and the scope of each."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.validators.changes.language_table import suffixes


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


def _word(part: str, tool: str, languages: str, pattern: str, *, in_code: bool = False) -> Word:
    return Word(part, tool, re.compile(pattern), in_code, suffixes(*languages.split()))


_PY = "python cython"
_JS = "javascript jsx typescript tsx vue svelte astro"
_JVM = "java kotlin groovy scala"
_ANY = ""
_NOQA = r"#\s*(?:ruff:\s*|flake8[:=]\s*)?(?i:noqa)\b(?P<codes>:\s*[A-Za-z]+[0-9]+(?:[,\s]+[A-Za-z]+[0-9]+)*)?"
_PYRIGHT = r"#\s*pyright:\s*(?:ignore\b(?P<codes>\[[^\]]*\])?|basic\b|report\w+\s*=\s*(?:false|none)\b)"
_FORMATTER = r"#\s*(?:fmt:\s*off|yapf:\s*disable)\b|//\s*(?:clang-format off|@formatter:off)|\bprettier-ignore\b"
_ESLINT = (
    r"\b(?:es|ts|ox)lint[-:]disable(?:-next-line|-line"
    r"|:next-line)?\b(?P<codes>[ \t]+@?[\w][\w@/\-]*(?:\s*,\s*[@\w/\-]+)*)?"
)
_STYLELINT = r"\bstylelint-disable(?:-next-line|-line)?\b(?P<codes>\s+[\w/\-]+(?:\s*,\s*[\w/\-]+)*)?"
_RUST = r"#!?\[\s*(?:allow|expect)\s*\((?P<codes>[^)]*)\)"
_SUPPRESS = r"@Suppress(?:Warnings|Lint)?\b(?P<codes>\s*\([^)\n]*\)?)?"
_RUBOCOP = r"#\s*rubocop:(?:disable|todo)\b(?P<codes>\s+[\w/]+(?:\s*,\s*[\w/]+)*)?"
_PHPSTAN = r"@(?:phpstan-ignore(?:-line|-next-line)?|psalm-suppress)\b(?P<codes>\s+[\w.]+)?"
_SECRETS = r"\b(?:gitleaks:allow|trufflehog:ignore|pragma:\s*allowlist secret)\b"
WORDS = (
    _word("noqa", "the linter", _PY, _NOQA),
    _word("type-ignore", "the type checker", _PY, r"#\s*type:\s*ignore\b(?P<codes>\[[^\]]*\])?"),
    _word("pyright", "pyright", _PY, _PYRIGHT),
    _word("mypy", "mypy", _PY, r"#\s*mypy:\s*(?P<codes>ignore-errors|disable-error-code\b.*|allow-\S+)"),
    _word("pylint", "pylint", _PY, r"#\s*pylint:\s*(?:disable(?:-next)?\s*=\s*(?P<codes>[\w\-, ]+)|skip-file)"),
    _word("no-cover", "the coverage measurement", _PY, r"#\s*pragma:\s*no\s*(?:cover|branch)\b"),
    _word("nosec", "bandit", _ANY, r"#\s*nosec\b(?P<codes>:?\s*B\d+(?:[,\s]+B\d+)*)?"),
    _word("nosemgrep", "semgrep", _ANY, r"\bnosem(?:grep)?\b(?P<codes>:\s*[\w.\-, ]+)?"),
    _word("nosonar", "SonarQube", _ANY, r"\bNOSONAR\b"),
    _word("fmt-off", "the formatter", _ANY, _FORMATTER),
    _word("eslint-disable", "ESLint", _JS, _ESLINT),
    _word("biome-ignore", "Biome", _JS, r"\bbiome-ignore\b(?P<codes>\s+[\w/]+)?"),
    _word("ts-ignore", "TypeScript", _JS, r"@ts-(?:ignore|expect-error|nocheck)\b(?P<codes>.*)"),
    _word("no-cover", "the coverage measurement", _JS, r"\b(?:istanbul|c8|v8)\s+ignore\b"),
    _word("no-cover", "the coverage measurement", "ruby", r"#\s*:nocov:"),
    _word("no-cover", "the coverage measurement", "php", r"@codeCoverageIgnore\w*"),
    _word("no-cover", "the coverage measurement", "csharp", r"\[ExcludeFromCodeCoverage\b", in_code=True),
    _word("stylelint-disable", "stylelint", _ANY, _STYLELINT),
    _word("nolint", "golangci-lint", "go", r"//\s*nolint\b(?P<codes>:[\w,\-]+)?"),
    _word("nosec", "gosec", "go", r"#nosec\b(?P<codes>\s+G\d+)?"),
    _word("nolint", "clang-tidy", _ANY, r"\bNOLINT(?:NEXTLINE|BEGIN)?\b(?P<codes>\([^)]*\))?"),
    _word("allow", "the Rust compiler and clippy", "rust", _RUST, in_code=True),
    _word("suppress-warnings", "the compiler", _JVM, _SUPPRESS, in_code=True),
    _word("checkstyle-off", "checkstyle", "java", r"\bCHECKSTYLE[.: ]OFF\b"),
    _word("pragma-warning", "the compiler", "csharp", r"#pragma\s+warning\s+disable\b(?P<codes>.*)", in_code=True),
    _word("rubocop-disable", "RuboCop", "ruby", _RUBOCOP),
    _word("phpstan-ignore", "PHPStan or Psalm", "php", _PHPSTAN),
    _word("phpcs-ignore", "PHP_CodeSniffer", "php", r"\bphpcs:(?:ignore(?:File)?|disable)\b(?P<codes>\s+[\w.]+)?"),
    _word("shellcheck-disable", "ShellCheck", _ANY, r"#\s*shellcheck\s+disable=(?P<codes>[\w,]+)"),
    _word("swiftlint-disable", "SwiftLint", "swift", r"\bswiftlint:disable(?::\w+)?\b(?P<codes>\s+\w+)?"),
    _word("hadolint-ignore", "hadolint", _ANY, r"#\s*hadolint\s+ignore=(?P<codes>[\w,]+)"),
    _word("zizmor-ignore", "zizmor", _ANY, r"#\s*zizmor:\s*ignore\b(?P<codes>\[[^\]]*\])?"),
    _word("gitleaks-allow", "the secret scanner", _ANY, _SECRETS),
)
ANY_WORD = re.compile(r"no|ignore|disable|allow|suppress|skip|cover|expect-error|fmt|format|pyright|OFF", re.IGNORECASE)
FILE_WIDE = re.compile(
    r"#\s*(?:ruff|flake8)[:=]\s*noqa|#\s*mypy:\s*ignore-errors|@ts-nocheck|/\*\s*eslint-disable(?!-)"
    r"|pylint:\s*skip-file|#!\[|\bignoreFile\b|#\s*pyright:\s*basic"
)
