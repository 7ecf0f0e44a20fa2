"""Test coverage of changed lines. Unknown coverage is reported, not a fact."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping

from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import CoverageLimits
from assay.validators.report.model import Coverage, Evidence, Statement
from assay.validators.report.risk_facts import LineCoverage
from assay.validators.report.unknown import NotChecked
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

MIN_LINES = 20
"""Changed lines below which a share says nothing."""
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
        limits, lines, source = context.limits.coverage, context.tools.line_coverage, context.tools.coverage_source

        def importers(paths: Collection[str]) -> Collection[str]:
            return context.head_graph.importers(paths)

        yield from measured_coverage(added, lines or {}, source, limits, importers)


def measured_coverage(
    added: Mapping[str, Container[int]],
    lines: LineCoverage,
    source: str | None,
    limits: CoverageLimits,
    importers: Callable[[Collection[str]], Collection[str]],
) -> Iterator[Measure]:
    """Yield the signal's measures of changed source files and their added lines.

    `lines` is the coverage data, from `source`; `importers` returns the files that import some of these.
    """
    measured = {path: [line for line in lines[path] if line in own] for path, own in added.items() if path in lines}
    # A stylesheet is not a gap in Python's coverage.
    suffixes = {path.rpartition(".")[2] for path in lines}
    missing = [path for path in added if path not in lines and path.rpartition(".")[2] in suffixes]
    if missing:
        yield NotChecked(WHAT, f"the coverage data does not mention {listed(missing, 3)}")
    num_lines = sum(map(len, measured.values()))
    if not num_lines:
        why = NO_LINE_COVERED if lines else NO_DATA
        yield Coverage(None, why_unknown=why)
        if added and not missing:
            yield NotChecked(WHAT, why)
        return
    uncovered = {path: sorted(line for line in own if not lines[path][line]) for path, own in measured.items()}
    num_covered = num_lines - sum(map(len, uncovered.values()))
    percent = round(100 * num_covered / num_lines, 1)
    yield Coverage(percent, num_lines, num_covered, source)
    if percent < limits.medium and num_lines >= MIN_LINES:
        evidence = [
            Evidence(f"no test runs line{'s' if len(own) > 1 else ''} {_ranges(own)}", path, own[0])
            for path, own in uncovered.items()
            if own
        ]
        near = [lines[path] for path in importers(measured) if path in lines]
        if num_near := sum(map(len, near)):
            share = 100 * sum(sum(one.values()) for one in near) / num_near
            files = f"the {len(near)} files that import these"
            evidence.append(Evidence(f"tests run {share:.0f} % of the {num_near} lines of {files}"))
        yield Statement(
            "uncovered_mostly" if percent < limits.high else "uncovered",
            f"tests run {percent:g} % of {num_lines} changed lines (threshold: {limits.medium:g} %)",
            advice=f"test the uncovered lines, up to {limits.medium:g} %",
            evidence=tuple(evidence),
        )


def _ranges(lines: Iterable[int]) -> str:
    """Return runs of line numbers: `3-5, 9`."""
    runs: list[list[int]] = []
    for line in lines:
        if runs and line == runs[-1][1] + 1:
            runs[-1][1] = line
        else:
            runs.append([line, line])
    return listed([str(first) if first == last else f"{first}-{last}" for first, last in runs], MOST_RANGES)
