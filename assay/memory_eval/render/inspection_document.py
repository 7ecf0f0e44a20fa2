"""An inspection of a memory store as a document."""

from __future__ import annotations

from assay.memory_eval.render.document import Document, Line, Table, Tone
from assay.memory_eval.report.inspection import Inspection, Problem


def inspection_document(inspection: Inspection) -> Document:
    """Return contents, health and examples."""
    found = [one for one in inspection.problems if one.count]
    tone: Tone = "bad" if any(one.is_severe for one in found) else "doubtful" if found else "good"
    examples = tuple(
        (problem.name, example.id, example.state, example.text)
        for problem in inspection.problems
        for example in problem.examples
    )
    left = inspection.num_unread - len(inspection.unread)
    return Document(
        f"Memory inspection: {inspection.path}",
        inspection.path,
        tone,
        (
            *map(Line, _facts(inspection)),
            Table(("Health", "Entries", "Meaning"), tuple(map(_row, inspection.problems))),
            *([Table(("Problem", "Entry", "State", "Text"), examples, "Examples")] if examples else []),
            *(Line(f"Note: {note}") for note in inspection.notes),
            *(Line(f"Not read: {line}") for line in inspection.unread),
            *([Line(f"Not read: {left} more")] if left else []),
        ),
    )


def _row(problem: Problem) -> tuple[str, str, str]:
    return problem.name, "-" if problem.count is None else f"{problem.count:,}", problem.meaning


def _facts(inspection: Inspection) -> list[str]:
    version = f", {inspection.version}" if inspection.version else ""
    states = ", ".join(f"{count:,} {state}" for state, count in inspection.states.items())
    lines = [
        f"{inspection.title}{version}; {inspection.num_bytes:,} bytes",
        f"Entries: {states}; {inspection.num_characters:,} characters live",
    ]
    if inspection.newest:
        lines.append(f"Last changed: {inspection.oldest} to {inspection.newest} ({inspection.num_dated:,} with a time)")
    for name, counts in (("Kinds", inspection.kinds), ("Speakers", inspection.speakers)):
        if counts:
            lines.append(f"{name}: " + ", ".join(f"{count:,} {what}" for what, count in counts.items()))
    return lines
