"""The report as Markdown: one screen that says what to do, and the rest folded.

It fits where GitHub takes it. What does not fit is left out by whole sections, the least needed first, and said so.
"""

from __future__ import annotations

from collections.abc import Iterable

from assay.escape import prose
from assay.validators.render.markdown_parts.details import SECTIONS
from assay.validators.render.markdown_parts.summary import about, first_screen, headline
from assay.validators.render.markdown_parts.tiers import quality_tier, risk_tier, tools_tier
from assay.validators.render.phrases import footer
from assay.validators.report.model import ValidationReport
from assay.validators.wording import plural

MOST_BYTES = 65_535
"""A check run's `output.summary`: "Maximum length: 65535 characters", and the service counts bytes ("summary exceeds a
maximum bytesize of 65535"). A comment's body: "Body is too long (maximum is 65536 characters)"."""

_FOLD = "<details>\n<summary>The whole report</summary>"


def render(report: ValidationReport) -> str:
    """Render GitHub Markdown without links, mentions or images, at most `MOST_BYTES` of UTF-8."""
    return _fitted(report, [headline(report), *first_screen(report)], MOST_BYTES)


def summary(report: ValidationReport) -> str:
    """Render the first screen alone, for a place that shows the title; far below `MOST_BYTES`."""
    return _join([about(report), *first_screen(report)])


def details(report: ValidationReport, most_bytes: int = MOST_BYTES) -> str:
    """Render the three tiers and the sections, folded, at most `most_bytes` of UTF-8."""
    return _fitted(report, [], most_bytes)


def _fitted(report: ValidationReport, first: Iterable[str], most_bytes: int) -> str:
    tiers = ["## Validation Report", tools_tier(report), quality_tier(report), risk_tier(report)]
    written = {section: section.write(report) for section in SECTIONS}
    dropped: list[str] = []
    while True:
        whole = _join([_FOLD, *tiers, *written.values(), _left_out(dropped), _footer(report), "</details>"])
        text = _join([*first, whole])
        droppable = [section for section in written if section.drop_first and written[section]]
        if len(text.encode()) <= most_bytes or not droppable:
            return text
        section = max(droppable, key=lambda one: one.drop_first)
        del written[section]
        dropped.append(section.title)


def _left_out(titles: Iterable[str]) -> str:
    names = list(titles)
    if not names:
        return ""
    return (
        f"_Too long for one comment: {plural(len(names), 'section')} left out here ({', '.join(names).lower()}). "
        "The JSON report has all of it._"
    )


def _footer(report: ValidationReport) -> str:
    text = footer(report)
    return f"_{prose(text, 300)}_" if text else ""


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
