"""Lower part of the terminal report: risk factors, waivers, what was not checked, durations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from assay.validators.render import phrases
from assay.validators.render.evidence import shown_of
from assay.validators.render.first_screen import all_not_checked
from assay.validators.render.phrases import left_out, number, place
from assay.validators.render.review_words import review_lines
from assay.validators.render.risk_words import facts, floors, is_compared, likelihood_lines, places, raised
from assay.validators.render.terminal_parts.blocks import LEVEL_STYLES, grid, heading, indented
from assay.validators.render.terminal_parts.words import Words
from assay.validators.report.model import RiskFactor, ValidationReport

MOST_FACTORS = 15
MOST_EVIDENCE = 3
MOST_NOT_CHECKED = 30


def why(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return the likelihood, and each policy floor with its value, threshold, evidence and what would lower it."""
    risk = report.risk
    if risk is None:
        return None
    compared = list(likelihood_lines(risk.likelihood)) if risk.likelihood and is_compared(risk.likelihood) else []
    if not compared and not floors(risk) and not raised(risk):
        return None
    parts: list[RenderableType] = [heading(f"Why {risk.level}")]
    if compared:
        lines = [words.styled(line) for line in compared]
        parts.append(indented([Text("likelihood", style="bold"), indented(lines)]))
    return Group(*parts, *_table([*floors(risk), *raised(risk)], words))


def impact(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return the facts of the impact."""
    found = facts(report.risk) if report.risk is not None else []
    return Group(heading("Impact"), *_table(found, words)) if found else None


def _table(factors: Sequence[RiskFactor], words: Words) -> Iterator[RenderableType]:
    if not factors:
        return
    table = grid("", "bold")
    for factor in factors[:MOST_FACTORS]:
        level = Text(str(factor.level), style=LEVEL_STYLES[factor.level]) if factor.level is not None else Text("-")
        table.add_row(level, words.styled(factor.signal, most=40), _factor(factor, words))
    yield indented([table])
    yield from map(Text, left_out(len(factors), MOST_FACTORS, "  "))


def review(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return what the model's review cost, and what became of its claims."""
    lines = [indented([words.styled(line)]) for line in review_lines(report)]
    return Group(heading("Model review"), *lines) if lines else None


def waived(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return the waived findings, with who waived them and why."""
    found = phrases.waived(report)
    if not found:
        return None
    rows = (
        (f"{finding.rule} {place(finding.file, finding.line)}".strip(), phrases.waiver_in_words(waiver))
        for finding, waiver in found[:MOST_NOT_CHECKED]
    )
    return Group(heading("Waived"), *_notes(rows, len(found), words))


def not_checked(report: ValidationReport, words: Words) -> RenderableType:
    """Return what was not checked and what is unknown; never empty."""
    notes = all_not_checked(report)
    parts = list(_notes(notes[:MOST_NOT_CHECKED], len(notes), words))
    return Group(heading("Not checked"), *(parts or [Text("  all requested checks ran")]))


def _notes(rows: Iterable[tuple[str, str]], count: int, words: Words) -> Iterator[RenderableType]:
    """Yield a line for each (what, why), and how many more there are."""
    for what, why in rows:
        line = Text("- ")
        line.append(words.text(what, 200), style="bold")
        line.append(f": {words.text(why, 300)}")
        yield indented([line])
    yield from map(Text, left_out(count, MOST_NOT_CHECKED, "  "))


def footer(report: ValidationReport, words: Words) -> RenderableType | None:
    """Return the seconds each tier took, and the sandbox."""
    said = words.text(phrases.footer(report), 300)
    return Text(said, style="dim") if said else None


def _factor(factor: RiskFactor, words: Words) -> RenderableType:
    reason = words.styled(factor.reason)
    value, threshold = words.text(number(factor.value), 80), words.text(number(factor.threshold), 80)
    if factor.level is not None and (value or threshold):
        reason.append(f" ({value or '?'}" + (f", threshold {threshold}" if threshold else "") + ")", style="dim")
    parts: list[RenderableType] = [reason]
    kept, num_left = shown_of(places(factor), MOST_EVIDENCE)
    for one in kept:
        where = f"{words.text(place(one.file, one.line))}  " if one.file else ""
        parts.append(Text(f"- {where}{words.text(one.text, 200)}", style="dim"))
    if num_left:
        parts.append(Text(f"- and {num_left} more", style="dim"))
    if factor.would_lower:
        parts.append(Text(words.ours("→ ") + words.text(factor.would_lower), style="dim"))
    return Group(*parts)
