"""The report as Markdown: one screen that says what matters first, and the rest folded.

It fits where GitHub takes it. What does not fit is left out by whole sections, the least needed first, and said so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from textwrap import indent

from assay.escape import code, fenced, prose
from assay.validators.render.first_screen import Item, first_screen
from assay.validators.render.outline import Code, Line, Ours, Output, Section, Strong
from assay.validators.render.sections import details as detail_sections
from assay.validators.render.sections import tiers
from assay.validators.render.suggestion import suggestion_block
from assay.validators.render.words import MODES, commit_name, footer, icon
from assay.validators.report.model import Commit, ValidationReport
from assay.validators.wording import plural

MOST_BYTES = 65_535
"""A check run's `output.summary`: "Maximum length: 65535 characters", and the service counts bytes ("summary exceeds a
maximum bytesize of 65535"). A comment's body: "Body is too long (maximum is 65536 characters)"."""
SHARE_OF_A_TIER, SHARE_OF_A_SECTION = 7, 5
"""Parts of the whole that one tier, and one section that is never left out, may take."""
_FOLD = "<details>\n<summary>The whole report</summary>"


def render(report: ValidationReport) -> str:
    """Render GitHub Markdown without links, mentions or images, at most `MOST_BYTES` of UTF-8."""
    title = f"# {icon(report)} {prose(report.title, 300)}"
    return _fitted(report, [title, *_first(report)], MOST_BYTES)


def summary(report: ValidationReport) -> str:
    """Render the first screen alone, for a place that shows the title; far below `MOST_BYTES`."""
    return _join(_first(report))


def details(report: ValidationReport, most_bytes: int = MOST_BYTES) -> str:
    """Render the three tiers and the sections, folded, at most `most_bytes` of UTF-8."""
    return _fitted(report, [], most_bytes)


def _first(report: ValidationReport) -> Iterator[str]:
    screen = first_screen(report)
    agent = report.agent
    by = "agent unknown" if agent.name == "unknown" else f"by {code(agent.name, 40)} ({agent.confidence:.0%} sure)"
    yield " · ".join([f"{_commit(report.head)} against {_commit(report.base)}", by, MODES.get(report.mode, "")])
    if screen.items:
        lines = [f"{number}. {_item(one)}" for number, one in enumerate(screen.items, 1)]
        more = [f"\nand {screen.num_more} more, in the whole report"] if screen.num_more else []
        yield "\n".join([f"## {screen.heading}", "", *lines, *more])
    if screen.asked:
        yield "\n".join([f"## {screen.asked}", "", *(f"- {prose(one)}" for one in screen.reasons)])
    yield prose(screen.verified, 600) if screen.verified else ""
    yield prose(screen.likelihood, 300) if screen.likelihood else ""
    yield f"**Not checked:** {prose(screen.not_checked, 600)}" if screen.not_checked else ""


def _item(one: Item) -> str:
    label = f"**{prose(one.label, 60)}**: " if one.label else ""
    at = f" — {code(one.place)}" if one.place else ""
    rule = f" ({code(one.rule, 80)})" if one.rule else ""
    lines = [f"{label}{prose(one.text)}{at}{rule}"]
    lines += [f"   - {f'{code(where)} ' if where else ''}{prose(text, 300)}" for where, text in one.details]
    if one.advice:
        lines[0] += f"\\\n   → {prose(one.advice)}"
    if one.finding is not None and (block := suggestion_block(one.finding)):
        lines.append(f"\n{indent(block, '   ')}")
    return "\n".join(lines)


def _commit(commit: Commit) -> str:
    if commit.is_worktree:
        return "uncommitted work"
    name = commit_name(commit)
    return f"{code(commit.sha[:7])} ({code(name, 120)})" if name else code(commit.sha[:7])


def _fitted(report: ValidationReport, first: Iterable[str], most_bytes: int) -> str:
    top = list(first)
    whole = [f"### {one.title}\n\n{_written(one, most_bytes // SHARE_OF_A_TIER)}" for one in tiers(report)]
    sections = {one: _folded(one, most_bytes) for one in detail_sections(report)}
    dropped: list[str] = []
    while True:
        left = f"{plural(len(dropped), 'section')} left out here ({', '.join(dropped).lower()})"
        note = f"_Too long for one comment: {left}. The JSON report has all of it._" if dropped else ""
        end = footer(report)
        parts = [_FOLD, "## Validation Report", *whole, *sections.values(), note, f"_{prose(end, 300)}_" if end else ""]
        text = _join([*top, _join([*parts, "</details>"])])
        droppable = [one for one in sections if one.drop_first]
        if len(text.encode()) <= most_bytes or not droppable:
            return text
        section = max(droppable, key=lambda one: one.drop_first)
        del sections[section]
        dropped.append(section.title.partition(" (")[0])


def _folded(section: Section, most_bytes: int) -> str:
    body = _written(section, 0 if section.drop_first else most_bytes // SHARE_OF_A_SECTION)
    return f"<details>\n<summary>{section.title}</summary>\n\n{body}\n\n</details>"


def _written(section: Section, most_bytes: int) -> str:
    """Return the lines of a section, as many as fit in `most_bytes`, 0 for all."""
    lines: list[str] = []
    size = left = 0
    for one in section.content:
        text = f"{fenced(one.lines, one.language)}\n" if isinstance(one, Output) else _line(one)
        size += len(text.encode()) + 1
        if most_bytes and size > most_bytes:
            left += 1
        else:
            lines.append(text)
    return "\n".join([*lines, *([f"- and {left} more"] if left else [])]).strip("\n")


def _line(one: Line) -> str:
    text = _part(one.parts[0]) + "".join(_part(part, is_first=False) for part in one.parts[1:])
    # An empty list item turns the line above it into a heading.
    text = text if text.strip() else "(nothing)"
    return f"{'  ' * (one.depth - 1)}- {text}" if one.depth else f"\n{text}\n"


def _part(part: str, *, is_first: bool = True) -> str:
    if isinstance(part, Ours):
        return part
    if isinstance(part, Code):
        return code(part, 400)
    if isinstance(part, Strong):
        return f"**{prose(part, 200)}**"
    begin, end = len(part) - len(part.lstrip(" ")), len(part) - len(part.rstrip(" "))
    inner = part.strip(" ")
    # Only the first word of a line can begin a block.
    text = prose(inner, 400) if is_first else prose(f"x {inner}", 402)[2:]
    return f"{' ' * begin}{text}{' ' * end}" if inner else part


def _join(parts: Iterable[str]) -> str:
    return "\n\n".join(part.strip("\n") for part in parts if part.strip()) + "\n"
