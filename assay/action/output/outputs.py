"""The step's outputs: one line each in the runner's file, `name=value`, and no value can make two of it.

The runner also takes values of many lines, between marks; those are never written, so no stranger's text can end one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from assay.action.output.publishing import Outcome
from assay.github.errors import ActionMisused
from assay.validators import Severity, ValidationReport, as_visible

MOST_TITLE = 500
MOST_VALUE = 4_096
"""Ours: characters; the longest a path can be on Linux."""
_NAME = re.compile(r"[a-z][a-z-]{0,40}")


def outputs_of(report: ValidationReport | None, outcome: Outcome, files: Mapping[str, Path]) -> dict[str, str]:
    """What later steps may ask for. `conclusion` is the verdict's own word, whatever the mode makes of it, or
    `could_not_run`.

    Args:
        report: the settled report; None where there is none.
        outcome: what became of publishing it.
        files: the report's files by the names of their outputs (`report`, `markdown`, `sarif`).
    """
    counts = dict.fromkeys(Severity, 0)
    for finding in report.findings if report is not None else ():
        counts[finding.severity] += finding.introduced
    return {
        "conclusion": str(report.conclusion) if report is not None else "could_not_run",
        "title": as_visible(outcome.publication.check.title, MOST_TITLE),
        "risk-level": str(report.risk.level) if report is not None and report.risk is not None else "unknown",
        "blocking": str(len(report.blocking) if report is not None else 0),
        "findings": str(sum(counts.values())),
        "errors": str(counts[Severity.error]),
        "warnings": str(counts[Severity.warning]),
        "infos": str(counts[Severity.info]),
        "check-run-id": str(outcome.check_run_id or ""),
        "check-url": (outcome.check_url or "") if outcome.check_run_id else "",
        "incident": outcome.incident or "",
        **{name: path_value(path) for name, path in files.items()},
    }


def write_outputs(path: Path | None, values: Mapping[str, str]) -> None:
    """Append the outputs to the runner's file, where there is one. Raises `OSError`."""
    lines = "".join(f"{_named(name)}={one_line(value)}\n" for name, value in values.items())
    if path is not None:
        with path.open("ab") as file:
            file.write(lines.encode())


def one_line(value: str) -> str:
    """A text as one printable line, cut where it is long; the same text again where it is one already."""
    return as_visible(value, MOST_VALUE)


def path_value(path: Path) -> str:
    """A path as an output; raises `ActionMisused` where one line cannot hold it as it is."""
    text = str(path)
    if one_line(text) != text:
        raise ActionMisused("input report-path: it holds characters that an output cannot hold; choose plainer ones")
    return text


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no output can be called {name!r}")
    return name
