"""Failing tests in the output of runners, which write no report that names them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice

from assay.validators.report.model import Finding
from assay.validators.tools.readers.formats import Failures, formats
from assay.validators.tools.readers.output import MOST_FINDINGS, Output, finding, first_line

LONGEST_BLOCK = 10_000
_SEPARATOR = re.compile(r" [>\N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK}] ")


def failed_tests(output: Output, tools: Collection[str]) -> dict[str, tuple[Finding, ...]]:
    """Return the failing tests that each of the given runners printed."""
    text = "\n".join(output.lines)
    rows = {one.name: one.failures for one in formats(tools) if one.failures and one.failures.needs in text}
    return {
        name: tuple(dict.fromkeys(islice(_failures(name, row, text, output), MOST_FINDINGS)))
        for name, row in rows.items()
    }


def _failures(tool: str, row: Failures, text: str, output: Output) -> Iterator[Finding]:
    frames = lru_cache(lambda block: list(output.places.frames(block)))
    blocks = _blocks(row, text)
    if row.listed is None:
        for title, block in blocks:
            yield _failure(tool, row, title, block, frames(block), output)
        return
    by_name: dict[str, tuple[Mapping[str, str | None], str]] = {}
    for title, block in blocks:
        by_name.setdefault(title["name"] or "", (title, block))
    for match in row.listed.finditer(text, text.find(row.needs) if tool == "pytest" else 0):
        named = match.groupdict()
        name = named["name"] or named.get("nextest") or ""
        title, block = by_name.get(name.replace("::", ".") or named.get("file") or "", by_name.get(name, ({}, "")))
        said = {key: value for key, value in named.items() if value}
        whole = {**title, **said, "name": name or named.get("file")}
        yield _failure(tool, row, whole, block, frames(block), output)


def _blocks(row: Failures, text: str) -> list[tuple[Mapping[str, str | None], str]]:
    """Return the titles that report a failure, each with its block."""
    titles = list(row.title.finditer(text))
    starts = [*(match.start() for match in titles), len(text)]
    files = [(match.start(), match["file"]) for match in row.files.finditer(text)] if row.files else []
    found: list[tuple[Mapping[str, str | None], str]] = []
    block = ""
    for index, match in reversed(list(enumerate(titles))):
        start, end = match.span()
        title = match.groupdict()
        at = bisect_right(files, start, key=lambda one: one[0])
        if files:
            title["file"] = files[at - 1][1] if at else None
        if row.above:
            # A time-out is printed below its test.
            late = text[end + 1 : text.find("\n", end + 1)]
            begin = max(titles[index - 1].end() if index else 0, start - LONGEST_BLOCK, files[at - 1][0] if at else 0)
            block = text[begin:start] + (late if late.startswith("  ^ ") else "")
        elif starts[index + 1] - end > 2:
            # Else it shares the block of the next title: runners print equal failures as several titles above one.
            ended = row.end.search(text, end, end + LONGEST_BLOCK)
            block = text[end + 1 : min(starts[index + 1], ended.start() if ended else end + LONGEST_BLOCK)]
        if not title.get("good") and (row.above or not files or title["file"]):
            found.append((title, block))
    return found[::-1]


def _failure(
    tool: str,
    row: Failures,
    title: Mapping[str, str | None],
    block: str,
    frames: Sequence[tuple[str, int]],
    output: Output,
) -> Finding:
    file = output.places.file(title.get("file") or "") if title.get("file") else None
    own = next((line for path, line in frames if path == file), None)
    line = title.get("line")
    place: tuple[str, int | None] = (file or "", own or (int(line) if line and file else None))
    if file is None and frames:
        place = frames[row.frame]
    said = [match["said"] for match in row.said.finditer(block)]
    message = " ".join((said[-1 if row.last else 0] if said else title.get("said") or "failed").split())
    is_error = title.get("error") is not None
    name = " ".join(_SEPARATOR.sub(" ", title.get("name") or "").split())
    if not name and is_error:
        return finding(tool, "test_error", f"could not be loaded: {message}", place, context=file or "")
    context = f"{title['group']} {name}" if title.get("group") else name
    rule = "test_error" if is_error else "test_failed"
    return finding(tool, rule, f"{name}: {first_line(message)}", place, context=context)
