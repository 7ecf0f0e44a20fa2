"""Programs inside other files: scripts of components and pages, code cells of notebooks."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.language_table import bare_suffixes

_SCRIPT = re.compile(r"<script\b[^>]{0,1000}>(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"\s*---[ \t]*\n(.*?)\n---", re.DOTALL)
_COMMAND = re.compile(r"(\s*)(?:[\w, ]+=\s*)?[!%]{1,2}(.*)")
_PAGES = bare_suffixes("vue", "svelte", "astro", "html")
_NOTEBOOKS = bare_suffixes("notebook")
HOLDING = _PAGES | _NOTEBOOKS
"""Suffixes of files with embedded programs."""
MOST_CELLS = 2000


@dataclass(frozen=True, slots=True)
class Program:
    """Program with its suffix, and the file's line (1-based) of each of its lines."""

    suffix: str
    source: str
    lines: tuple[int, ...]


def embedded(source: str, suffix: str) -> Program:
    """Return all programs of a file as one."""
    return _notebook(source) if suffix in _NOTEBOOKS else _page(source, suffix)


def _page(source: str, suffix: str) -> Program:
    spans = [match.span(1) for match in _SCRIPT.finditer(source)]
    fence = _FENCE.match(source) if suffix in bare_suffixes("astro") else None
    if fence is not None:
        spans.insert(0, fence.span(1))
    lines: list[int] = []
    parts: list[str] = []
    for start, end in spans:
        first = source.count("\n", 0, start) + 1
        part = source[start:end].split("\n")
        parts += part
        lines += range(first, first + len(part))
    return Program("ts", "\n".join(parts), tuple(lines))


def _notebook(source: str) -> Program:
    raw = source.split("\n")
    lines: list[int] = []
    program: list[str] = []
    at = 0
    for text in _cells(source):
        for line in text.split("\n"):
            wanted = json.dumps(line)[1:-1]
            plain = json.dumps(line, ensure_ascii=False)[1:-1]
            found = next((n for n in range(at, len(raw)) if wanted in raw[n] or plain in raw[n]), at) if line else at
            at = found
            program.append(_plain(line))
            lines.append(found + 1)
    return Program("py", "\n".join(program), tuple(lines))


def _cells(source: str) -> Iterator[str]:
    """Yield the source of each code cell, with shell (`!…`) and magic lines unchanged."""
    try:
        document = json.loads(source)
    except (ValueError, RecursionError):
        return
    cells = document.get("cells") if isinstance(document, dict) else None
    for cell in (cells if isinstance(cells, list) else [])[:MOST_CELLS]:
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            text = cell.get("source", "")
            whole = "".join(map(str, text)) if isinstance(text, list) else str(text)
            if re.match(r"\s*%%(?:bash|sh|script|system)\b|\s*%%!", whole):
                yield "!" + whole.partition("\n")[2].replace("\n", " ; ")
            else:
                yield whole


def _plain(line: str) -> str:
    """Return a cell's line as Python, with a shell command as a call."""
    match = _COMMAND.fullmatch(line)
    if match is None or line.lstrip().startswith("%%"):
        return "" if match is not None else line
    return f'{match[1]}__import__("os").system({match[2]!r})'
