"""Gather the facts about each part of a change, from the graphs, the tiers and the base's instruction files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet, shown
from assay.validators.graph.import_graph import Graphs, ImportGraph
from assay.validators.graph.symbols import changed_symbols
from assay.validators.io.globs import matcher
from assay.validators.progress import Deadline, OutOfTime
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.report.model import FAILED_TESTS, Finding, ToolsResult
from assay.validators.report.review import Side
from assay.validators.report.unknown import NotChecked
from assay.validators.review.facts.fact import Excerpt, Fact, FactKind, Neighbourhood
from assay.validators.review.facts.grouping import groups_of
from assay.validators.review.facts.symbols import SymbolFacts
from assay.validators.review.trees import Trees
from assay.validators.wording import shortened

INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:AGENTS|CLAUDE|CONTRIBUTING|GEMINI)\.md$|^\.github/copilot-instructions\.md$|^\.cursor/rules/[^/]+\.mdc?$"
    r"|^\.cursorrules$",
    re.IGNORECASE,
)
MOST_INSTRUCTION_LINES = 120
MOST_INSTRUCTION_FILES = 4
MOST_REPORTED = 20
MOST_RULES = 20


@dataclass(frozen=True)
class Gathered:
    """Parts of the change with their facts, and what the review leaves out."""

    parts: tuple[Neighbourhood, ...]
    not_checked: tuple[NotChecked, ...] = ()


def gather_facts(
    change: ChangeSet,
    graphs: Graphs,
    trees: Trees,
    deadline: Deadline,
    *,
    tools: ToolsResult | None = None,
    findings: Sequence[Finding] = (),
    rules: Sequence[LearnedRule] = (),
) -> Gathered:
    """Return the facts; without time for the graphs, the parts have hunks and findings alone."""
    graph: ImportGraph | None = None
    changed: dict[str, frozenset[str]] = {}
    why = ""
    try:
        graph = graphs.head(deadline)
        changed = changed_symbols(change)
    except OutOfTime as error:
        why = str(error)
    groups, skipped = groups_of(change, graph)
    parts = [Neighbourhood(group) for group in groups]
    for part in parts:
        if graph is None:
            part.left_out.append(f"callers, definitions and tests ({why})")
        else:
            _add_symbols(part, SymbolFacts(graph, trees, deadline), changed)
        part.facts += _reported(part, findings)
        part.facts += _results(part, tools)
        part.facts += _rules(part, rules)
        part.facts += _conventions(part, change)
        part.facts.sort(key=lambda fact: list(FactKind).index(fact.kind))
    return Gathered(tuple(parts), tuple(skipped))


def _add_symbols(part: Neighbourhood, finder: SymbolFacts, changed: dict[str, frozenset[str]]) -> None:
    try:
        part.facts.extend(finder.of(part.files, changed))
    except OutOfTime as error:
        part.left_out.append(f"further callers, definitions and tests ({error})")


def _reported(part: Neighbourhood, findings: Sequence[Finding]) -> Iterator[Fact]:
    """Yield what other analyzers report in these files: the model must not repeat it."""
    mine = [one for one in findings if one.file in part.paths and one.rule not in FAILED_TESTS]
    for one in mine[:MOST_REPORTED]:
        where = f"{shown(one.file)}:{one.line}" if one.line is not None else shown(one.file)
        yield Fact(FactKind.reported, f"{one.rule} at {where}", text=(shortened(one.message, 200),))
    if len(mine) > MOST_REPORTED:
        yield Fact(FactKind.reported, f"{len(mine) - MOST_REPORTED} further findings are not listed")


def _results(part: Neighbourhood, tools: ToolsResult | None) -> Iterator[Fact]:
    """Yield how the tests ended: failures with their messages, and the test files without any."""
    if tools is None:
        yield Fact(FactKind.test, "results: no test was run")
        return
    for one in [one for one in tools.findings if one.rule in FAILED_TESTS][:MOST_REPORTED]:
        yield Fact(FactKind.test, f"failed: {shown(one.file)}", text=(shortened(one.message, 300),))
    tests = {fact.about for fact in part.facts if fact.kind is FactKind.test}
    passed = [path for path in tools.passed_files if path in tests or path in part.paths]
    if passed:
        yield Fact(FactKind.test, "passed", text=tuple(passed[:MOST_REPORTED]))


def _rules(part: Neighbourhood, rules: Sequence[LearnedRule]) -> Iterator[Fact]:
    mine = [rule for rule in rules if any(map(matcher(rule.paths), part.paths))]
    for rule in mine[:MOST_RULES]:
        yield Fact(FactKind.rule, f"rule {rule.rule_id}", text=(shortened(rule.text, 300),))
    if len(mine) > MOST_RULES:
        yield Fact(FactKind.rule, f"{len(mine) - MOST_RULES} further rules are not listed")


def _conventions(part: Neighbourhood, change: ChangeSet) -> Iterator[Fact]:
    """Yield the instruction files of the tree in force whose folder holds a file of the part, the nearest first."""
    tree = change.in_force
    found = [path for path in tree.paths if INSTRUCTIONS.search(path)]
    near = [path for path in found if _is_above(path, part.paths)]
    near.sort(key=lambda path: (-path.count("/"), path))
    for path in near[:MOST_INSTRUCTION_FILES]:
        content = tree.read(path)
        if content is not None:
            lines = content.decode("utf-8", "replace").split("\n")
            excerpt = Excerpt(Side.base, path, 1, tuple(lines[:MOST_INSTRUCTION_LINES]))
            yield Fact(FactKind.convention, f"conventions in {shown(path)}", excerpt)


def _is_above(path: str, paths: Sequence[str]) -> bool:
    folder = path.rpartition("/")[0]
    if not folder or folder.startswith("."):
        return True
    return any(one.startswith(f"{folder}/") for one in paths)
