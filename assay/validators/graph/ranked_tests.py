"""Test files that a change may break, the likeliest to fail first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.classify import Nature
from assay.validators.graph.blast_radius import blast_radius
from assay.validators.graph.contexts import contexts_of
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.symbols import changed_symbols
from assay.validators.progress import Deadline
from assay.validators.report.risk_facts import LineContexts


@dataclass(frozen=True, slots=True)
class RankedTest:
    """Test file, and why it may fail: `changed`, `covered`, `uses`, `may use`, `not covered`, `imports`, `lost`.

    `lost`: it depended on a file that is gone. `cost` is that of `Affected`.
    """

    path: str
    run_first: bool
    reason: str
    distance: int
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class RankedTests:
    """Tests of a change by rank.

    `outside`: changed files that no graph covers, whose users are unknown; `not_read`: files whose uses are unknown.
    """

    tests: tuple[RankedTest, ...]
    outside: tuple[str, ...] = ()
    not_read: tuple[str, ...] = ()


def ranked_tests(
    change: ChangeSet, graphs: Graphs, deadline: Deadline, coverage: LineContexts | None = None
) -> RankedTests:
    """Return the test files that a change may break; `coverage` was measured on its base. Raises `OutOfTime`."""
    graph = graphs.head(deadline)
    changed = sorted(file.path for file in change.files if file.exists)
    symbols = {path: names for path, names in changed_symbols(change).items() if path in changed}
    contexts = contexts_of(coverage, change.base, symbols) if coverage is not None else None
    radius = blast_radius(graph, symbols, changed, deadline, contexts)
    found = [RankedTest(path, True, "changed", 0, 0.0) for path in radius.changed_tests if path in symbols]
    found += [
        RankedTest(one.path, one.runs_first, one.reason, one.distance, one.cost)
        for one in radius.affected
        if one.has_tests and change.nature_of(one.path) is Nature.test
    ]
    found += _of_gone(change, graphs, deadline, {one.path for one in found})
    found.sort(key=lambda one: not one.run_first)
    told = {file.path for file in change.files if file.nature is not Nature.docs}
    outside = sorted(told - set(graph.files) - set(graphs.base(deadline).files if told - set(changed) else ()))
    return RankedTests(tuple(found), tuple(outside), radius.not_read)


def _of_gone(change: ChangeSet, graphs: Graphs, deadline: Deadline, known: set[str]) -> Iterator[RankedTest]:
    """Yield the tests that depended on files which the change deletes or renames."""
    gone = {file.base_path or file.path for file in change.files} - set(change.head.paths)
    if not gone & set(change.base.paths):
        return
    radius = blast_radius(graphs.base(deadline), dict.fromkeys(gone, ("*",)), sorted(gone), deadline)
    for one in radius.affected:
        is_test = one.has_tests and change.nature_of(one.path) is Nature.test
        if is_test and one.path in change.head and one.path not in known:
            yield RankedTest(one.path, one.distance == 1, "lost", one.distance)
