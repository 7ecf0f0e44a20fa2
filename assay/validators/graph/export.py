"""Export of an import graph: text, JSON (docs/graph.md, schemas/graph.schema.json), or DOT for Graphviz."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.escape import utf8
from assay.validators.changes.change import shown
from assay.validators.changes.language_table import language_of
from assay.validators.graph.import_graph import ImportGraph, Reached
from assay.validators.graph.ranked_tests import RankedTests
from assay.validators.report.answers import language_name
from assay.validators.report.unknown import Question, questions_of
from assay.validators.wording import plural

SCHEMA_VERSION = "1.1"
MOST_LISTED = 20
"""Maximum files and imports that the text lists of each."""


@dataclass(frozen=True, slots=True)
class Impact:
    """Dependents of some files: each file that reaches one of `changed`, nearest first.

    `unknown` are (path, language) of the changed files that the graph does not cover.
    """

    changed: tuple[str, ...]
    dependents: tuple[Reached, ...]
    unknown: tuple[tuple[str, str], ...] = ()


def impact_of(graph: ImportGraph, changed: Sequence[str]) -> Impact:
    """Return the impact of a change of these files (paths from the top of the repository, deduplicated)."""
    paths = tuple(sorted(set(changed)))
    asked = (path for path in paths if Question.dependents in questions_of(language_of(path)))
    unknown = tuple((path, language_name(path)) for path in asked if path not in graph.graph)
    return Impact(paths, tuple(graph.dependents(paths)), unknown)


def as_json(graph: ImportGraph, impact: Impact | None = None, tests: RankedTests | None = None) -> str:
    """Return one JSON object on one line, by its schema."""
    return json.dumps(json_object(graph, impact, tests), ensure_ascii=False, separators=(",", ":")) + "\n"


def json_object(graph: ImportGraph, impact: Impact | None = None, tests: RankedTests | None = None) -> dict[str, Any]:
    """Return the JSON object as Python data."""
    found: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "files": [_path(path) for path in graph.files],
        "edges": [
            {"from": _path(one), "to": _path(other), "kind": "member" if is_weak else "name"}
            for one, other, is_weak in sorted(graph.graph.edges(data="is_weak", default=False))
        ],
        "unresolved": [
            {"file": _path(one.file), "line": one.line, "import": utf8(one.target), "why": utf8(one.why)}
            for one in graph.unresolved
        ],
        "not_read": [_path(path) for path in graph.not_read],
    }
    if impact is not None:
        found["impact"] = {
            "changed": [_path(path) for path in impact.changed],
            "dependents": [
                {"path": _path(one.path), "distance": one.distance, "via": _path(one.via)} for one in impact.dependents
            ],
            "unknown": [{"path": _path(path), "language": language} for path, language in impact.unknown],
        }
    if tests is not None:
        found["tests"] = {
            "ranked": [
                {
                    "path": _path(one.path),
                    "affected": "run_first" if one.run_first else "may_be_affected",
                    "reason": one.reason,
                    "distance": one.distance,
                    "cost": None if one.cost is None else round(one.cost, 2),
                }
                for one in tests.tests
            ],
            "outside": [_path(path) for path in tests.outside],
            "not_read": [_path(path) for path in tests.not_read],
        }
    found["build_s"] = round(graph.build_s, 3)
    return found


def as_dot(graph: ImportGraph, impact: Impact | None = None) -> str:
    """Return a directed graph in DOT; with an impact, dependent files are filled."""
    fill = {}
    if impact is not None:
        fill = dict.fromkeys((one.path for one in impact.dependents), "#f6c85f") | dict.fromkeys(
            impact.changed, "#e4572e"
        )
    colors = {path: f' [style=filled, fillcolor="{color}"]' for path, color in fill.items()}
    lines = ["digraph imports {", "  rankdir=LR;", '  node [shape=box, fontname="sans-serif"];']
    lines += [f"  {_dot_quoted(path)}{colors.get(path, '')};" for path in graph.files]
    lines += [f"  {_dot_quoted(one)} -> {_dot_quoted(other)};" for one, other in sorted(graph.graph.edges)]
    return "\n".join([*lines, "}"]) + "\n"


def as_text(graph: ImportGraph, impact: Impact | None = None) -> str:
    """Return what comes first: the dependents of some files, else the size and the busiest files."""
    if impact is not None:
        unknown = [path for path, _ in impact.unknown]
        named = ", ".join(shown(path) for path in impact.changed if path not in unknown)
        width = max((len(str(one.distance)) for one in impact.dependents), default=1)
        lines = [f"{one.distance:>{width}}  {shown(one.path)}" for one in impact.dependents]
        if named:
            some = f"{plural(len(lines), 'file')} depend on {named}, by distance:"
            lines.insert(0, some if lines else f"nothing depends on {named}")
        return "\n".join([*lines, *(f"dependents unknown: {shown(path)}" for path in unknown)]) + "\n"
    busiest = sorted(((graph.fan_in(path), path) for path in graph.files), key=lambda one: (-one[0], one[1]))
    lines = [f"{plural(len(graph.files), 'file')}, {plural(graph.graph.number_of_edges(), 'edge')}"]
    lines += [f"{users:>6}  {shown(path)}" for users, path in busiest[:MOST_LISTED] if users]
    if graph.unresolved:
        lines.append(f"{plural(len(graph.unresolved), 'import')} not resolved:")
        lines += [
            f"        {shown(one.file)}:{one.line}  {shown(one.target)}: {one.why}"
            for one in graph.unresolved[:MOST_LISTED]
        ]
    return "\n".join(lines) + "\n"


GRAPH_FORMATS: Mapping[str, Callable[[ImportGraph, Impact | None], str]] = {
    "text": as_text,
    "json": as_json,
    "dot": as_dot,
}
"""Name -> exporter of a graph (and an impact) as text, which is valid UTF-8 for any file name."""


def _path(path: str) -> str:
    """Return a path as it is, or with git's escapes if its bytes are not UTF-8."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return shown(path)


def _dot_quoted(path: str) -> str:
    escaped = shown(path).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
