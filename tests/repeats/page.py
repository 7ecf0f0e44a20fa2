"""The figures as docs/learning/repeats.md shows them: written there between two marks, and read back from there."""

from __future__ import annotations

import re
from pathlib import Path

import altair as alt

from assay.charts import SERIES, svg
from tests.conftest import ROOT
from tests.repeats.figures import Figures, Share
from tests.repeats.labelled import SAME_KINDS, Split, pairs_of
from tests.repeats.measuring import Measured

PAGE = ROOT / "docs" / "learning" / "repeats.md"
CHART = PAGE.with_suffix(".svg")
BEGIN, END = "<!-- figures: begin -->", "<!-- figures: end -->"

# The chart stands in a page by itself, on GitHub's white or its black.
_INKS = """<style>
svg { --ink: #24292f; --faint: #8c959f; --grid: #d0d7de; --first: #0969da; --second: #bc4c00; --third: #8250df;
  --fourth: #1a7f37; --fifth: #bf3989; }
@media (prefers-color-scheme: dark) { svg { --ink: #e6edf3; --faint: #7d8590; --grid: #30363d; --first: #4493f8;
  --second: #f0883e; --third: #ab7df8; --fourth: #3fb950; --fifth: #db61a2; } }
</style>"""


def write(measured: Measured, took_s: float) -> None:
    """Put today's figures into the page, and the chart beside it."""
    text = PAGE.read_text(encoding="utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(f"{before}{BEGIN}\n\n{tables(measured, took_s)}\n{END}{after}", encoding="utf-8")
    CHART.write_text(chart(measured), encoding="utf-8")


def documented(split: Split, page: Path = PAGE) -> tuple[float, float]:
    """Precision and recall of what ships, as the page says them today."""
    row = re.search(
        rf"(?m)^\| \*\*shipped\*\* \| shipped \| {split} \| [\d.]+ \| ([\d.]+) \([^|]*\) \| ([\d.]+) \(",
        page.read_text(encoding="utf-8"),
    )
    assert row is not None, f"{page} has no figures of the {split} pairs"
    return float(row[1]), float(row[2])


def documented_misreadings(split: Split, page: Path = PAGE) -> float:
    """The share of comments without a rule in which one is read, as the page says it today."""
    row = re.search(
        r"(?m)^\| without a rule, but one is extracted" + r" \| ([\d.]+) [^|]*" * len(Split), page.read_text("utf-8")
    )
    assert row is not None, f"{page} has no figures of comments without a rule"
    return float(row[list(Split).index(split) + 1])


def tables(measured: Measured, took_s: float) -> str:
    """All tables as Markdown."""
    parts = (_compared(measured), _by_kind(measured), _empty(measured), _curve(measured.curves["shipped"]))
    sizes = ", ".join(f"{len(pairs_of(split))} pairs in {split}" for split in Split)
    told = f"{sizes}; 300 pairs by `assay rules compare` on two cores, start included: {took_s:.1f} s.\n"
    return "\n".join([told, *parts])


def chart(measured: Measured) -> str:
    """Precision over recall on the test pairs, a line for each way of comparing."""
    points = [
        {"way": peer, "recall": one.recall.value, "precision": one.precision.value}
        for peer, curve in measured.curves.items()
        for one in curve
    ]
    colours = alt.Scale(domain=list(measured.curves), range=list(SERIES))
    drawn = (
        alt.Chart(alt.Data(values=points))
        .mark_line(point=True)
        .encode(
            x=alt.X("recall:Q", title="recall", scale=alt.Scale(domain=[0, 1])),
            y=alt.Y("precision:Q", title="precision", scale=alt.Scale(domain=[0, 1])),
            color=alt.Color("way:N", title=None, scale=colours),
            order="recall:Q",
        )
        .properties(width=560, height=320)
    )
    picture = svg(drawn)
    return picture.replace(">", f">{_INKS}", 1) + "\n"


def _compared(measured: Measured) -> str:
    lines = ["| Way | Cut chosen as | Pairs | Cut | Precision | Recall | F1 |", "|---|---|---|---:|---|---|---:|"]
    for row in measured.rows:
        name, one = f"**{row.peer}**" if row.peer == "shipped" else row.peer, row.figures
        cut = f"{one.cut:.3f}" if one.cut <= 1 else "none"
        lines.append(f"| {name} | {row.chosen} | {row.split} | {cut} | {one.precision} | {one.recall} | {one.f1:.3f} |")
    return "\n".join(lines) + "\n"


def _by_kind(measured: Measured) -> str:
    named = " | ".join(f"Called the same, {split}" for split in Split)
    lines = [f"| Kind of pair | {named} |", "|---" * (1 + len(Split)) + "|"]
    kinds = {kind for shares in measured.by_kind.values() for kind in shares}
    for kind in sorted(kinds, key=lambda one: (one not in SAME_KINDS, one)):
        shown = " | ".join(str(measured.by_kind[split].get(kind, Share(0, 0))) for split in Split)
        lines.append(f"| {kind} ({'same' if kind in SAME_KINDS else 'not the same'}) | {shown} |")
    return "\n".join(lines) + "\n"


def _empty(measured: Measured) -> str:
    lines = [f"| Single comments | {' | '.join(Split)} |", "|---" * (1 + len(Split)) + "|"]
    for what, shares in (
        ("without a rule, but one is extracted", measured.read_of_empty),
        ("with a rule, and it is extracted", measured.read_of_ruled),
    ):
        lines.append(f"| {what} | {' | '.join(str(shares[split]) for split in Split)} |")
    for name in dict.fromkeys(name for name, _ in measured.alarms):
        shown = " | ".join(str(measured.alarms[name, split]) for split in Split)
        lines.append(f"| without a rule, but called a repeat ({name}) | {shown} |")
    for name in dict.fromkeys(name for name, _ in measured.strangers):
        shown = " | ".join(_of_many(measured.strangers[name, split]) for split in Split)
        lines.append(f"| two comments on two topics, called the same ({name}) | {shown} |")
    return "\n".join(lines) + "\n"


def _of_many(share: Share) -> str:
    return f"{share.num} of {share.of:,}"


def _curve(curve: tuple[Figures, ...]) -> str:
    lines = ["| Cut (shipped, test) | Precision | Recall |", "|---:|---|---|"]
    lines += [f"| {one.cut:.3f} | {one.precision} | {one.recall} |" for one in curve]
    return "\n".join(lines) + "\n"
