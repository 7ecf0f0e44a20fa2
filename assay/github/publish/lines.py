"""Findings next to their lines: annotations of the Check Run and notes of the review."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from assay.github.authority import OTHERS
from assay.github.client import Annotation, Level, LineNote
from assay.github.publish.markers import FINDING, marker
from assay.validators import (
    STATEMENT_KINDS,
    Comments,
    Finding,
    Gravity,
    Severity,
    Statement,
    ValidationReport,
    as_code,
    as_prose,
    as_visible,
    shown,
    suggestion_block,
)

MOST_ANNOTATIONS = 100
"""Chosen limit: two requests. Readers do not scroll through more; the report has the rest and its number."""
MOST_NOTES = 25
"""Chosen limit: readers skip longer reviews."""
MOST_CANDIDATES = 500
"""Chosen limit: rendered notes to choose from; most findings of a flood are on lines outside the diff."""

_LEVELS = {Severity.error: Level.failure, Severity.warning: Level.warning, Severity.info: Level.notice}
_ICONS = {Severity.error: "❌", Severity.warning: "⚠️", Severity.info: "ℹ️"}  # noqa: RUF001 - the sign as specified


def annotations_of(report: ValidationReport) -> tuple[tuple[Annotation, ...], int]:
    """Return annotations, and the number of findings without one (too many, or no line).

    Findings come first, those that block before others, then statements of high or critical gravity on other lines.
    """
    introduced = [finding for finding in report.findings if finding.introduced]
    kept = _worst_first(report, filter(_has_place, introduced))[:MOST_ANNOTATIONS]
    waived = {one.finding_id for one in report.waivers}
    found = [_annotation(one, is_waived=one.id in waived) for one in kept]
    places = {(one.path, one.start_line) for one in found}
    found += [one for one in _stated(report) if (one.path, one.start_line) not in places]
    return tuple(found[:MOST_ANNOTATIONS]), len(introduced) - len(kept)


def _stated(report: ValidationReport) -> Iterator[Annotation]:
    for one in report.statements:
        if one.gravity.at_least(Gravity.high) and not one.finding and _has_place(one):
            place, line = one.file or "", one.line or 1
            label, message = STATEMENT_KINDS[one.kind].label, _message(one.text, one.advice)
            yield Annotation(place, line, line, Level.warning, label, message)


def notes_of(report: ValidationReport, comments: Comments, *, is_app: bool) -> tuple[tuple[LineNote, ...], int]:
    """Return notes for the findings the policy selects, blocking ones first, and the number of selected findings.

    `ReviewDraft.narrowed` drops notes on lines outside the diff.
    """
    if comments is Comments.none:
        return (), 0
    blocking, waived = frozenset(report.blocking), {one.finding_id for one in report.waivers}
    wanted = (
        finding
        for finding in report.findings
        if finding.introduced
        and _has_place(finding)
        and finding.id not in waived
        and (comments is Comments.all or finding.id in blocking)
    )
    ordered = _worst_first(report, wanted)
    return tuple(_note(finding, is_app=is_app) for finding in ordered[:MOST_CANDIDATES]), len(ordered)


def _worst_first(report: ValidationReport, findings: Iterable[Finding]) -> Sequence[Finding]:
    blocking = frozenset(report.blocking)
    return sorted(
        findings, key=lambda one: (one.id not in blocking, -one.severity.rank, one.file, one.line or 0, one.rule)
    )


def _has_place(one: Finding | Statement) -> bool:
    """Return whether GitHub can show the place: a line in a file with a plain name."""
    return bool(one.file) and (one.line or 0) > 0 and shown(one.file or "") == one.file


def _message(text: str, advice: str | None) -> str:
    fix = f"\n\nWhat to do: {as_visible(advice, 2_000)}" if advice else ""
    return (as_visible(text, 4_000) or "(no words)") + fix


def _annotation(finding: Finding, *, is_waived: bool) -> Annotation:
    line = finding.line or 1
    by = f" ({as_visible(finding.tool, 60)})" if finding.tool else ""
    return Annotation(
        path=finding.file,
        start_line=line,
        end_line=max(finding.end_line or line, line),
        level=Level.notice if is_waived else _LEVELS[finding.severity],
        title=as_visible(finding.rule, 150) + by,
        message=_message(finding.message, finding.suggestion),
    )


def _note(finding: Finding, *, is_app: bool) -> LineNote:
    line = finding.line or 1
    end = max(finding.end_line or line, line)
    return LineNote(
        path=finding.file,
        line=end,
        start_line=line if line < end else None,
        body="\n".join(_words(finding, is_app=is_app)),
        finding_id=finding.id,
        # A suggestion replaces the lines of its note, so a note on one of several lines must not have it.
        body_on_last_line="\n".join(_words(replace(finding, replacement=None), is_app=is_app)) if line < end else None,
    )


def _words(finding: Finding, *, is_app: bool) -> Iterator[str]:
    yield marker(FINDING, finding.id)
    by = f" ({as_prose(finding.tool, 60)})" if finding.tool else ""
    yield f"{_ICONS[finding.severity]} {as_code(finding.rule, 120)}{by}: {as_prose(finding.message, 2_000)}"
    if finding.suggestion:
        yield f"\n→ {as_prose(finding.suggestion, 2_000)}"
    if block := suggestion_block(finding):
        yield f"\n{block}"
    if is_app:
        yield f"\nDetails: `/assay explain {finding.id}`."
        yield f"If it is wrong, {OTHERS} comments `/assay fp {finding.id} REASON`."
