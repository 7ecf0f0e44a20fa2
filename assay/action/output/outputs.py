"""The step's outputs: `name=value` lines in the runner's file; no value can contain a line end.

The runner also accepts multiline values between delimiters; they are never written, so untrusted text cannot end one.
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
"""Maximum characters; the maximum length of a path on Linux."""
_NAME = re.compile(r"[a-z][a-z-]{0,40}")


def outputs_of(report: ValidationReport | None, outcome: Outcome, files: Mapping[str, Path]) -> dict[str, str]:
    """Return the outputs for later steps; `conclusion` is the verdict, whatever the mode, or `could_not_run`.

    `files` maps the outputs `report`, `markdown` and `sarif` to the report's files.
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
    """Append the outputs to the runner's file, if there is one. Raises `OSError`."""
    lines = "".join(f"{_named(name)}={one_line(value)}\n" for name, value in values.items())
    if path is not None:
        with path.open("ab") as file:
            file.write(lines.encode())


def one_line(value: str) -> str:
    """Return the text as one printable line, truncated; unchanged if it is one already."""
    return as_visible(value, MOST_VALUE)


def path_value(path: Path) -> str:
    """Return a path as an output. Raises `ActionMisused` if one printable line cannot represent it."""
    text = str(path)
    if one_line(text) != text:
        raise ActionMisused("the path of the report has unprintable characters or is too long for an output")
    return text


def _named(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"no output can be called {name!r}")
    return name
