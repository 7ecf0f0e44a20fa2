"""Test coverage of changed lines. Unknown coverage is reported, not a fact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass

from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import Tier3
from assay.validators.report.model import Coverage, Evidence, Statement
from assay.validators.report.risk_facts import LineCoverage
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

WHAT = "coverage of changed lines"
NO_DATA = "no coverage data was found or given"
NO_LINE_COVERED = "the coverage data covers no changed line"
MOST_RANGES = 8
"""Maximum runs of uncovered lines listed."""


class CoverageSignal:
    """Signal `coverage`: changed lines without tests run first for users."""

    name = "coverage"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield the coverage of added source lines, a statement if it is low, and the coverage of dependents."""
        added = {file.path: file.added.keys() for file in context.change.existing(Nature.source) if file.added}
        changed = ChangedLines(added, lambda paths: context.head_graph.importers(paths))  # noqa: PLW0108 - built on first use
        yield from measured_coverage(changed, context.line_coverage, context.coverage_source, context.limits)


@dataclass(frozen=True, slots=True)
class ChangedLines:
    """Changed source file -> its added lines; and a function that returns the files that import some of them."""

    added: Mapping[str, Container[int]]
    importers: Callable[[list[str]], Collection[str]]


def measured_coverage(
    changed: ChangedLines, lines: LineCoverage | None, source: str | None, tier3: Tier3
) -> Iterator[Measure]:
    """Yield the signal's measures for known coverage data."""
    if not lines:
        yield from _unknown(NO_DATA, bool(changed.added))
        return
    measured = [_of(path, added, lines[path]) for path, added in changed.added.items() if path in lines]
    missing = [path for path in changed.added if path not in lines and _is_like(path, lines)]
    if missing:
        yield NotChecked(WHAT, f"the coverage data does not mention {listed(missing, 3)}")
    num_lines = sum(one.num_lines for one in measured)
    if not num_lines:
        yield from _unknown(NO_LINE_COVERED, bool(changed.added) and not missing)
        return
    num_covered = num_lines - sum(len(one.uncovered) for one in measured)
    percent = round(100 * num_covered / num_lines, 1)
    yield Coverage(percent, num_lines, num_covered, source)
    limits = tier3.coverage
    if percent < limits.medium and num_lines >= limits.min_lines:
        uncovered = (Evidence(one.in_words(), one.path, one.uncovered[0]) for one in measured if one.uncovered)
        yield Statement(
            "uncovered_mostly" if percent < limits.high else "uncovered",
            f"tests run {percent:g} % of {num_lines} changed lines (threshold: {limits.medium:g} %)",
            advice=f"test the uncovered lines, up to {limits.medium:g} %",
            evidence=(*uncovered, *_dependents(changed, lines, [one.path for one in measured])),
        )


@dataclass(frozen=True, slots=True)
class _Covered:
    """Added code lines of one file."""

    path: str
    num_lines: int
    uncovered: tuple[int, ...]

    def in_words(self) -> str:
        return f"no test runs line{'s' if len(self.uncovered) > 1 else ''} {_ranges(self.uncovered)}"


def _of(path: str, added: Container[int], lines: Mapping[int, bool]) -> _Covered:
    with_code = sorted(line for line in lines if line in added)
    return _Covered(path, len(with_code), tuple(line for line in with_code if not lines[line]))


def _unknown(why: str, is_worth_a_line: bool) -> Iterator[Measure]:
    yield Coverage(None, why_unknown=why)
    if is_worth_a_line:
        yield NotChecked(WHAT, why)


def _is_like(path: str, lines: LineCoverage) -> bool:
    """Return whether the data covers this language: a stylesheet is not a gap in Python's coverage."""
    suffix = path.rpartition(".")[2]
    return any(known.rpartition(".")[2] == suffix for known in lines)


def _dependents(changed: ChangedLines, lines: LineCoverage, paths: list[str]) -> Iterator[Evidence]:
    """Yield one line on the coverage of the files that import the changed ones."""
    known = [lines[path] for path in changed.importers(paths) if path in lines]
    num_lines = sum(len(one) for one in known)
    if num_lines:
        percent = 100 * sum(sum(one.values()) for one in known) / num_lines
        files = f"the {len(known)} files that import these"
        yield Evidence(f"tests run {percent:.0f} % of the {num_lines} lines of {files}")


def _ranges(lines: Iterable[int]) -> str:
    """Return runs of line numbers: `3-5, 9`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    words = [str(first) if first == last else f"{first}-{last}" for first, last in runs]
    more = f" and {len(words) - MOST_RANGES} more places" if len(words) > MOST_RANGES else ""
    return ", ".join(words[:MOST_RANGES]) + more
