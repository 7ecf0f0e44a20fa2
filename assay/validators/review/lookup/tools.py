"""Tools that read both trees: lines, literal search, definitions, users, tests, blame and history.

They read git objects: no working tree, no network, no regular expression, no link is followed. Results are escaped like
the facts; `converse_with_tools` bounds their bytes. A path that is not a file of the tree is an error.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Any

from assay.llm import Tool
from assay.validators.changes.change import READ_LIMIT, SourceTree, decoded, lines_of, shown
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.graph.symbol_graph import SymbolGraph
from assay.validators.graph.symbols import definitions
from assay.validators.io.globs import matcher
from assay.validators.progress import Deadline, OutOfTime
from assay.validators.report.review import Side
from assay.validators.review.facts.rendering import safe_line
from assay.validators.review.trees import Trees

RunTool = Callable[[Mapping[str, Any]], str]

MOST_LINES = 200
"""Lines of one result."""
MOST_MATCHES = 60
SEARCH_WITHIN_S = 5.0
"""Seconds of one search; what was not searched is said."""
GRAPH_WITHIN_S = 20.0
MOST_COMMITS = 15
SHORTEST_LITERAL = 2

_SIDE = {"type": "string", "enum": [str(side) for side in Side], "description": "base: before the change; head: after."}
_PATH = {"type": "string", "description": "Path from the root of the repository, with /.", "maxLength": 1000}
_LINE = {"type": "integer", "minimum": 1}


def _schema(**properties: Any) -> dict[str, Any]:
    required = [name for name, one in properties.items() if not one.get("optional")]
    plain = {name: {key: value for key, value in one.items() if key != "optional"} for name, one in properties.items()}
    return {"type": "object", "additionalProperties": False, "required": required, "properties": plain}


def lookup_tools(trees: Trees, graphs: Graphs) -> dict[str, tuple[Tool, RunTool]]:
    """Return the tools by name, each with the function that runs it; one runs at a time."""
    lookup = _Lookup(trees, graphs)
    rows: tuple[tuple[str, str, dict[str, Any], RunTool], ...] = (
        (
            "read_lines",
            f"Read lines of a file, at most {MOST_LINES}.",
            _schema(side=_SIDE, path=_PATH, start=_LINE, end=_LINE),
            lookup.read_lines,
        ),
        (
            "search",
            "Find lines that contain a text, literally; `glob` limits the files.",
            _schema(
                side=_SIDE,
                text={"type": "string", "minLength": SHORTEST_LITERAL, "maxLength": 200},
                glob={"type": "string", "maxLength": 200, "optional": True},
            ),
            lookup.search,
        ),
        (
            "definition",
            "Find where a function, class, method (`Class.method`) or constant is defined.",
            _schema(side=_SIDE, name={"type": "string", "minLength": 1, "maxLength": 200}),
            lookup.definition,
        ),
        (
            "who_uses",
            "List the files of the head that use a symbol of a file; without `symbol`, those that import the file.",
            _schema(path=_PATH, symbol={"type": "string", "maxLength": 200, "optional": True}),
            lookup.who_uses,
        ),
        ("tests_of", "List the test files of the head that depend on a file.", _schema(path=_PATH), lookup.tests_of),
        (
            "blame",
            "Show which commit before the change last changed each line.",
            _schema(path=_PATH, start=_LINE, end=_LINE),
            lookup.blame,
        ),
        (
            "history",
            "List the newest commits before the change that changed a file.",
            _schema(path=_PATH),
            lookup.history,
        ),
    )
    lock = Lock()  # the trees, graphs and git's processes are read by one at a time

    def one_at_a_time(run: RunTool) -> RunTool:
        def locked(given: Mapping[str, Any]) -> str:
            with lock:
                return run(given)

        return locked

    return {name: (Tool(name, said, schema), one_at_a_time(run)) for name, said, schema, run in rows}


class _Lookup:
    """Functions of the tools; each raises `ValueError` with one line for the model."""

    def __init__(self, trees: Trees, graphs: Graphs) -> None:
        self._trees = trees
        self._graphs = graphs

    def read_lines(self, given: Mapping[str, Any]) -> str:
        side, path = Side(given["side"]), given["path"]
        lines = self._lines(side, path)
        start, end = given["start"], min(given["end"], given["start"] + MOST_LINES - 1, len(lines))
        if start > len(lines) or end < start:
            raise ValueError(f"{shown(path)} has {len(lines)} lines in the {side}")
        shown_lines = [f"{number:>6} | {safe_line(lines[number - 1])}" for number in range(start, end + 1)]
        return "\n".join([f"{side} {shown(path)}, lines {start} to {end} of {len(lines)}", *shown_lines])

    def search(self, given: Mapping[str, Any]) -> str:
        tree = self._tree(Side(given["side"]))
        text, holds = given["text"], matcher((given.get("glob") or "**",))
        paths = [path for path in tree.paths if holds(path)]
        deadline = time.monotonic() + SEARCH_WITHIN_S
        found: list[str] = []
        for path, line, content in self._matches(tree, paths, text, deadline):
            found.append(f"{shown(path)}:{line} | {safe_line(content.strip())}")
            if len(found) >= MOST_MATCHES:
                found.append(f"[{MOST_MATCHES} matches are shown; there may be more: use a longer text or a glob]")
                break
        if time.monotonic() > deadline:
            found.append(f"[the search was stopped after {SEARCH_WITHIN_S:g} s; not all {len(paths)} files were read]")
        return "\n".join(found) or f"no line of {len(paths)} files contains it"

    def definition(self, given: Mapping[str, Any]) -> str:
        side, name = Side(given["side"]), given["name"]
        graph = self._graph(side)
        last = name.rpartition(".")[2]
        found: list[str] = []
        deadline = time.monotonic() + SEARCH_WITHIN_S
        for path, content in self._tree(side).read_many(sorted(graph.sources.languages)):
            if time.monotonic() > deadline:
                found.append(f"[stopped after {SEARCH_WITHIN_S:g} s]")
                break
            if content is None or last.encode("utf-8", "replace") not in content:
                continue
            found += [
                f"{shown(path)}:{one.line} to {one.end_line} | {one.kind} {safe_line(one.name)}"
                for one in definitions(path, decoded(content))
                if one.name in (name, last) or one.name.endswith(f".{name}")
            ]
        return "\n".join(found[:MOST_MATCHES]) or f"no definition of {safe_line(name)} in the covered languages"

    def who_uses(self, given: Mapping[str, Any]) -> str:
        path, symbol = given["path"], given.get("symbol")
        graph = self._graph_with(path)
        if not symbol:
            return "\n".join(map(shown, sorted(graph.importers([path]))[:MOST_LINES])) or "no file imports it"
        users = SymbolGraph(graph, [path], Deadline(GRAPH_WITHIN_S)).users({path: [symbol]})
        rows = [
            f"{shown(user)}: {'' if any(known.values()) else 'may use '}{', '.join(known)}"
            for user, known in sorted(users.items())
        ]
        return "\n".join(rows[:MOST_LINES]) or f"no other file uses {safe_line(symbol)}"

    def tests_of(self, given: Mapping[str, Any]) -> str:
        path = given["path"]
        graph = self._graph_with(path)
        change = self._trees.change
        found = [one for one in graph.dependents([path]) if change.nature_of(one.path).value == "test"]
        rows = [f"{shown(one.path)} (distance {one.distance})" for one in found]
        return "\n".join(rows[:MOST_LINES]) or "no test file depends on it"

    def blame(self, given: Mapping[str, Any]) -> str:
        path, start = given["path"], given["start"]
        lines = self._lines(Side.base, path)
        end = min(given["end"], start + MOST_LINES - 1, len(lines))
        history = self._trees.change.history
        found = history.blame(path, start, end) if history is not None and start <= end else []
        rows = [
            f"{number:>6} {one.sha[:10]} {_day(one.time)} {safe_line(one.title[:80])} | {safe_line(lines[number - 1])}"
            for number, one in found
            if number <= len(lines)
        ]
        return "\n".join(rows) or "these lines have no history"

    def history(self, given: Mapping[str, Any]) -> str:
        path = given["path"]
        self._lines(Side.base, path)
        history = self._trees.change.history
        found = history.log(path, MOST_COMMITS) if history is not None else []
        rows = [
            f"{one.sha[:10]} {_day(one.time)} {safe_line(one.author[:60])} | {safe_line(one.title)}" for one in found
        ]
        return "\n".join(rows) or "the file has no history"

    def _lines(self, side: Side, path: str) -> list[str]:
        if path not in self._tree(side):
            raise ValueError(f"{safe_line(path[:200])} is not a file of the {side}")
        lines = self._trees.lines(side, path)
        if lines is None:
            raise ValueError(f"{shown(path)} is binary or too large to be read")
        return lines

    def _tree(self, side: Side) -> SourceTree:
        return self._trees.change.base if side is Side.base else self._trees.change.head

    def _graph(self, side: Side) -> ImportGraph:
        deadline = Deadline(GRAPH_WITHIN_S)
        try:
            return self._graphs.head(deadline) if side is Side.head else self._graphs.base(deadline)
        except OutOfTime as error:
            raise ValueError(str(error)) from None

    def _graph_with(self, path: str) -> ImportGraph:
        if path not in self._tree(Side.head):
            raise ValueError(f"{safe_line(path[:200])} is not a file of the head")
        graph = self._graph(Side.head)
        if path not in graph.graph:
            raise ValueError(f"the import graph does not cover the language of {shown(path)}: use search")
        return graph

    def _matches(
        self, tree: SourceTree, paths: list[str], text: str, deadline: float
    ) -> Iterator[tuple[str, int, str]]:
        wanted = text.encode("utf-8", "surrogateescape")
        for path, content in tree.read_many(paths, READ_LIMIT):
            if time.monotonic() > deadline:
                return
            if content is None or wanted not in content or b"\0" in content:
                continue
            for number, line in enumerate(lines_of(decoded(content)), 1):
                if text in line:
                    yield path, number, line


def _day(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d}"
