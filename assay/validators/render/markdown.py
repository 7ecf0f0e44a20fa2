"""The report as Markdown: one screen that says what matters first, and the rest folded.

It fits where GitHub takes it: rows and sections that do not fit are left out, the least needed first, and said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent

from assay.escape import code, fenced, fitting, prose
from assay.validators.render.first_screen import first_screen
from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.render.sections import details as detail_sections
from assay.validators.render.sections import tiers
from assay.validators.render.view import Ours, Row, Section, suggestion_block
from assay.validators.render.words import footer, header, icon
from assay.validators.report.model import ValidationReport
from assay.validators.wording import plural

MOST_BYTES = 65_535
"""A check run's `output.summary`: "Maximum length: 65535 characters", and the service counts bytes ("summary exceeds a
maximum bytesize of 65535"). A comment's body: "Body is too long (maximum is 65536 characters)"."""
KEPT_FREE_BYTES = 4_000
"""Reserve for headings, for the line that says what was left out, and for the footer."""
SHARE = 3
"""A section takes a third of the space that those before it leave, at most."""


def render(report: ValidationReport) -> str:
    """Render GitHub Markdown without links, mentions or images, at most `MOST_BYTES` of UTF-8."""
    title = f"# {icon(report)} {prose(report.title, 300)}"
    return _fitted(report, _join([title, *_first(report)]), MOST_BYTES)


def summary(report: ValidationReport) -> str:
    """Render the first screen alone, for a place that shows the title; far below `MOST_BYTES`."""
    return _join(_first(report))


def details(report: ValidationReport, most_bytes: int = MOST_BYTES) -> str:
    """Render the three tiers and the sections, folded, at most `most_bytes` of UTF-8."""
    return _fitted(report, "", most_bytes)


def _first(report: ValidationReport) -> Iterator[str]:
    yield prose(header(report), 400)
    for section in first_screen(report):
        yield f"## {section.title}" if section.title else ""
        yield ("\n" if section.title else "\n\n").join(_row(bullet, row) for bullet, row in section.bulleted())


def _fitted(report: ValidationReport, first: str, most_bytes: int) -> str:
    room = most_bytes - KEPT_FREE_BYTES - len(first.encode())
    prompt = Row("Copy it whole:", output=tuple(fix_prompt(report).splitlines()))
    found = [*tiers(report), *([Section("Fix prompt for the agent", (prompt,))] if report.blocking else [])]
    parts: list[str] = []
    left_out: list[str] = []
    for section in (*found, *detail_sections(report)):
        num = len(section.rows)
        rows, num_left = fitting((_row("- ", row) for row in section.rows), num, num, room // SHARE)
        body = "\n".join([*rows, *([f"- and {num_left} more"] if num_left else [])]).strip("\n")
        is_tier = section.title.startswith("Tier")
        if rows:
            parts.append(f"### {section.title}\n\n{body}" if is_tier else _folded(section.title, body))
            room -= len(parts[-1].encode())
        else:
            left_out.append(section.title.partition(" (")[0])
    said = f"{plural(len(left_out), 'section')} left out here ({', '.join(left_out).lower()})"
    note = f"_Too long for one comment: {said}. The JSON report has all of it._" if left_out else ""
    end = footer(report)
    whole = _join(["## Validation Report", *parts, note, f"_{prose(end, 300)}_" if end else ""])
    return _join([first, _folded("The whole report", whole.strip("\n"))])


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def _row(bullet: str, row: Row) -> str:
    pad = " " * len(bullet)
    text = row.text if isinstance(row.text, Ours) else prose(row.text) if row.text or not row.label else ""
    label = f"**{prose(row.label, 200)}**{': ' if text else ''}" if row.label else ""
    at = f" — {code(row.place, 400)}" if row.place else ""
    rule = f" ({code(row.rule, 80)})" if row.rule else ""
    advice = f"\\\n{pad}→ {prose(row.advice)}" if row.advice else ""
    lines = [f"{bullet}{label}{text}{at}{rule}{advice}"]
    for one in row.details:
        where = f"{code(one.place)} " if one.place else ""
        lines.append(f"{pad}- {where}{prose(one.text, 300) if one.text or not where else ''}".rstrip())
    if row.output:
        lines.append(f"\n{fenced(row.output)}\n")
    if block := suggestion_block(row.finding):
        lines.append(f"\n{indent(block, pad)}")
    return "\n".join(lines)


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
