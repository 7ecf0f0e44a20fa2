"""Annotations by workflow commands, for a job whose token may not write a Check Run.

A command is a line that begins with `::`. The text of a finding is escaped onto one line by the runner's rules, so it
can neither end its command nor start another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from assay.github.client import Annotation, Level
from assay.github.client.limits import MOST_WORKFLOW_WARNINGS
from assay.github.publish.lines import annotations_of
from assay.validators import ValidationReport, as_visible

MOST_MESSAGE = 4_000
MOST_TITLE = 200
MOST_LINE = 1_000
_WORDS = {Level.failure: "error", Level.warning: "warning", Level.notice: "notice"}


def workflow_commands(report: ValidationReport) -> list[str]:
    """Return the lines to print: the worst findings of each level, and the number of others."""
    annotations, num_without = annotations_of(report)
    num_said: Counter[Level] = Counter()
    lines: list[str] = []
    for one in annotations:
        if num_said[one.level] < MOST_WORKFLOW_WARNINGS:
            num_said[one.level] += 1
            lines.append(_command(one))
    left = num_without + len(annotations) - len(lines)
    return [*lines, *_rest(left)]


def log_line(text: str) -> str:
    """Return a log line with our prefix; untrusted text in it cannot be a command to the runner."""
    # The older form of a command is recognized anywhere in a line.
    return "assay: " + as_visible(text, MOST_LINE).replace("##[", "## [")


def trouble(text: str) -> str:
    """Return the command that shows on the run's page why it failed, if no finding is the reason."""
    return f"::error title=Assay::{escaped_data(as_visible(text, MOST_LINE))}"


def escaped_data(text: str) -> str:
    """Escape a command's message by the runner's rules."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def escaped_property(text: str) -> str:
    """Escape the value of a command's property by the runner's rules."""
    return escaped_data(text).replace(":", "%3A").replace(",", "%2C")


def _command(one: Annotation) -> str:
    values = {
        "file": one.path,
        "line": str(one.start_line),
        "endLine": str(one.end_line),
        "title": as_visible(one.title, MOST_TITLE),
    }
    told = ",".join(f"{name}={escaped_property(value)}" for name, value in values.items())
    # At most two lines: the problem and its fix.
    message = "\n".join(as_visible(part, MOST_MESSAGE) for part in one.message.split("\n\n", 1))
    return f"::{_WORDS[one.level]} {told}::{escaped_data(message)}"


def _rest(num_left: int) -> Iterator[str]:
    if num_left:
        more = "1 more finding is" if num_left == 1 else f"{num_left} more findings are"
        yield log_line(f"{more} in the report, without an annotation")
