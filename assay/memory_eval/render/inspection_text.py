"""An inspection on a terminal and as JSON."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from assay import __version__
from assay.escape import visible
from assay.memory_eval.render.json import clean, written
from assay.memory_eval.render.terminal import printed
from assay.memory_eval.report.inspection import Inspection, Problem

PLAIN_WIDTH = 110
MOST_SHOWN = 3
"""Examples of each problem on a terminal; JSON and HTML have all."""


def inspection_json(inspection: Inspection) -> str:
    """Serialize an inspection to JSON."""
    cleaned = clean({**inspection.to_dict(), "assay_version": __version__})
    return written(cleaned)


def inspection_text(inspection: Inspection) -> str:
    """Return the terminal's form without colour, for a file."""
    return printed(lambda console: show_inspection(inspection, console), PLAIN_WIDTH)


def show_inspection(inspection: Inspection, console: Console) -> None:
    """Print contents, health and examples."""
    console.print(Text(inspection.path, "bold"), highlight=False, soft_wrap=True)
    for line in facts(inspection):
        console.print(Text(line), highlight=False)
    console.print(_table(inspection), highlight=False)
    for problem in inspection.problems:
        for example in problem.examples[:MOST_SHOWN]:
            state = "" if example.state == "live" else f" ({example.state})"
            head = ((f"{problem.name}  ", "bold"), (f"{example.id} ", "dim"))
            console.print(Text.assemble(*head, example.text, (state, "dim")), highlight=False)
    for note in inspection.notes:
        console.print(Text(f"note: {visible(note, 400)}"), highlight=False)
    for line in inspection.unread:
        console.print(Text(f"not read: {visible(line, 400)}"), highlight=False)
    if inspection.num_unread > len(inspection.unread):
        console.print(Text(f"not read: {inspection.num_unread - len(inspection.unread)} more"), highlight=False)


def facts(inspection: Inspection) -> list[str]:
    """Return format, size and ages as lines."""
    version = f", {inspection.version}" if inspection.version else ""
    states = ", ".join(f"{count:,} {state}" for state, count in inspection.states.items())
    lines = [
        f"{inspection.title}{version}; {inspection.num_bytes:,} bytes",
        f"Entries: {states}; {inspection.num_characters:,} characters live",
    ]
    if inspection.newest:
        lines.append(f"Last changed: {inspection.oldest} to {inspection.newest} ({inspection.num_dated:,} with a time)")
    if inspection.kinds:
        lines.append("Kinds: " + ", ".join(f"{count:,} {kind}" for kind, count in inspection.kinds.items()))
    if inspection.speakers:
        lines.append("Speakers: " + ", ".join(f"{count:,} {name}" for name, count in inspection.speakers.items()))
    return lines


def _table(inspection: Inspection) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("Health")
    table.add_column("Entries", justify="right")
    table.add_column("Meaning")
    for problem in inspection.problems:
        style = "red" if problem.is_severe and problem.count else "yellow" if problem.count else ""
        table.add_row(Text(problem.name, style), Text(counted(problem), style), problem.meaning)
    return table


def counted(problem: Problem) -> str:
    """Return a problem's count, or that it was not measured."""
    return "not measured" if problem.count is None else f"{problem.count:,}"
