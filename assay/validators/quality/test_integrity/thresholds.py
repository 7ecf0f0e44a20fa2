"""Lowered thresholds: required coverage, tolerances of comparisons, time limits of tests."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import Hunk
from assay.validators.changes.classify import Nature
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.test_integrity.finding import finding
from assay.validators.report.model import Finding, Severity

_NUMBER = r"(?P<number>-?\d+(?:\.\d+)?(?:e-?\d+)?)"


@dataclass(frozen=True, slots=True)
class _Bar:
    """Numeric threshold. `loose_is_more`: a larger number is looser."""

    what: str
    pattern: re.Pattern[str]
    loose_is_more: bool
    severity: Severity


def _bar(what: str, pattern: str, severity: Severity = Severity.warning, *, is_least: bool = False) -> _Bar:
    """Return a threshold whose number is at NUMBER, or after the pattern. `is_least`: a larger number is stricter."""
    before, _, after = pattern.partition("NUMBER")
    return _Bar(what, re.compile(f"(?P<key>{before}){_NUMBER}{after}"), not is_least, severity)


def _coverage(pattern: str) -> _Bar:
    return _bar("the required coverage", pattern, Severity.error, is_least=True)


_IN_SETTINGS = (
    _coverage(r"\bfail[_-]under\s*[=:]\s*[\"']?|--(?:cov-)?fail-under[= ]\s*"),
    _coverage(r"[\"']?\b(?:statements|branches|functions|lines)[\"']?\s*:\s*"),
    _coverage(r"\b(?:target|minimum|min_coverage|minimum_coverage|coverage[_-]?threshold)\s*[=:]\s*[\"']?NUMBER\s*%?"),
    _bar("the allowed drop of coverage", r"\bthreshold\s*:\s*[\"']?NUMBER\s*%"),
    _bar("the allowed number of warnings", r"--max-warnings[= ]\s*", Severity.error),
    _bar("the allowed number of failures", r"\b(?:max[_-]?failures|maxfail|allowed[_-]failures)\s*[=:]\s*"),
    _bar("how often a failing test is retried", r"--(?:reruns|retries)[= ]\s*|\bretries\s*:\s*"),
)
_IN_TESTS = (
    _bar("a tolerance", r"\b(?:tolerance|epsilon|eps|maxDiffPixels|maxDiffPixelRatio|failureThreshold)\s*[=:]\s*"),
    _bar("a tolerance", r"\b(?:rel|abs|atol|rtol|delta|rel_tol|abs_tol)\s*=\s*"),
    _bar("a tolerance", r"\b(?:places|decimal)\s*=\s*|\btoBeCloseTo\([^,;]{1,200},\s*", is_least=True),
    _bar("a tolerance", r"\bassertEquals\([^,()]{1,100}(?:\([^()]{0,100}\))?,[^;]{1,200},\s*NUMBER[fFdD]?\)\s*;"),
    _bar("the time a test may take", r"\b(?:timeout|jest\.setTimeout|timeoutMs|timeout_s)\s*[=:(]\s*", Severity.info),
    _bar("how often a flaky test is retried", r"\b(?:reruns|retries|max_runs|retryTimes)\s*[=:(]\s*"),
)
_COVERAGE_FILES = re.compile(
    r"(?:^|/)(?:\.coveragerc|setup\.cfg|tox\.ini|pyproject\.toml|pytest\.ini|noxfile\.py|Makefile"
    r"|package\.json|\.?codecov\.ya?ml|\.nycrc(?:\.json)?"
    r"|(?:jest|vitest|vite|karma|playwright)[\w.]*\.[cm]?[jt]s(?:on)?|\.github/workflows/[^/]+"
    r"|\.gitlab-ci\.yml|sonar-project\.properties|pom\.xml|build\.gradle(?:\.kts)?)$"
)


def lowered(read: tuple[ReadFile, ...]) -> Iterator[Finding]:
    """Yield one finding for each number that a changed line loosens, compared with the line it replaces."""
    for each in read:
        bars: tuple[_Bar, ...]
        if each.file.nature is Nature.test:
            bars = _IN_TESTS
        elif _COVERAGE_FILES.search(each.file.path):
            bars = _IN_SETTINGS
        else:
            continue
        for hunk in each.file.hunks:
            for bar in bars:
                yield from _in_hunk(each, hunk, bar)


def _in_hunk(read: ReadFile, hunk: Hunk, bar: _Bar) -> Iterator[Finding]:
    before: dict[str, list[float]] = {}
    for line in hunk.base_lines:
        for match in bar.pattern.finditer(line[:2000]):
            before.setdefault(_key(line, match), []).append(float(match["number"]))
    for offset, line in enumerate(hunk.head_lines):
        for match in bar.pattern.finditer(line[:2000]):
            known = before.get(_key(line, match))
            if not known:
                continue
            old, new = known.pop(0), float(match["number"])
            if old != new and (new > old) is bar.loose_is_more:
                number = hunk.head_start + offset
                said = f"{bar.what[0].upper()}{bar.what[1:]} was loosened from {old:g} to {new:g}"
                yield finding(
                    "threshold",
                    bar.severity,
                    (read.file.path, number),
                    f"{said}: `{line.strip()[:100]}`",
                    "Reach the bar that was there, or say in the description why it was wrong.",
                    f"threshold {line.strip()}",
                )


def _key(line: str, match: re.Match[str]) -> str:
    """Return the words before a number on its line, without other numbers, as its key."""
    return re.sub(r"[\d\s.]+", "", line[: match.end("key")])[-60:]
