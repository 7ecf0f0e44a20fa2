"""New and moved dependencies: third-party code that gets this repository's rights."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from assay.validators.changes.manifest_table import manifests
from assay.validators.dependencies.address_owners import own_owners, owner_of
from assay.validators.dependencies.changed import SHIPPED, Moved
from assay.validators.dependencies.manifests.manifest import Scope
from assay.validators.dependencies.version_moves import Move, source_of
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.unknown import Question
from assay.validators.risk.dependencies.importers import imported_by
from assay.validators.risk.dependencies.judged import Judging, Place
from assay.validators.risk.dependencies.locked import locked_changes
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

OFFLINE_IS = "registries are not asked (offline); check before merging"
_FAR = (Move.to_address, Move.major, Move.early)
"""Moves after which users may get a very different version."""


class NewDependenciesSignal:
    """Signal `new_dependencies`: a new package is third-party code with this repository's rights."""

    name = "new_dependencies"
    answers = Question.dependencies
    covers = manifests(
        *"pypi conda npm go-module cargo maven rubygems composer nuget image lock".split(),
    )

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every new or moved package with its facts, statements on them, and what could not be read."""
        dependencies = context.dependencies
        changes, judging = dependencies.changes, Judging(context)
        yield from changes.not_checked
        facts = dependencies.facts()
        for one in changes.moves:
            package = dependencies.of_move(one)
            known = facts.get(package) if package is not None else None
            yield one.as_measure(changes.locked(one), known)
            if package is not None:
                place = Place(one.file, one.line, one.was is None, one.now.scope in SHIPPED)
                yield from judging.statements(package, known, place)
            if known is None and dependencies.is_offline and one.was is None:
                judging.leave(one.now.name, OFFLINE_IS)
        shipped = changes.shipped - changes.declared if changes.declared else ()
        for lock in changes.locks:
            yield from locked_changes(context, lock, changes.declared, shipped, facts)
            for package in dependencies.of_lock(lock):
                is_new = package.name not in (lock.before.versions if lock.before is not None else ())
                place = Place(lock.file.path, None, is_new, is_direct=False)
                yield from judging.statements(package, facts.get(package), place)
        yield from judging.not_checked()
        new = [one for one in changes.moves if one.was is None]
        yield from _statements(context, new, [one for one in changes.moves if one.was is not None])


def _statements(context: RiskContext, new: list[Moved], moved: list[Moved]) -> Iterator[Statement]:
    elsewhere = [one for one in (*new, *moved) if one.is_from_elsewhere]
    own = own_owners(context.change.base) if elsewhere else frozenset()
    theirs = [one for one in elsewhere if owner_of(source_of(one.now.version)) not in own]
    new, moved = ([one for one in moves if not one.is_from_elsewhere] for moves in (new, moved))
    extras = [one for one in new if one.now.scope is Scope.optional]
    images = [one for one in new if one.now.scope is Scope.image]
    tools = [one for one in new if one.now.scope not in SHIPPED | {Scope.optional, Scope.image}]
    groups = [
        ("code_fetched", theirs, Move.to_address.value),
        ("from_own_address", [one for one in elsewhere if one not in theirs], Move.to_address.value),
        ("new_dependency", [one for one in new if one.now.scope in SHIPPED], "adds {} to the runtime dependencies"),
        ("new_extra", extras, "adds {} to the optional dependencies"),
        ("new_tool", tools, "adds {} to the development dependencies"),
        ("new_tool", images, "adds the container image {}"),
        ("dependency_back", _to_users(moved, Move.back), Move.back.value),
    ]
    groups += [("dependency_moved", _to_users(moved, kind), kind.value) for kind in _FAR]
    for name, moves, what in groups:
        if moves:
            names = list(dict.fromkeys(one.now.name for one in moves))
            more = [Evidence(one.in_words(), one.file, one.line) for one in moves] if len(moves) > 1 else []
            kept = [one.now for one in moves if one.was is not None]
            for ecosystem in dict.fromkeys(one.ecosystem for one in kept):
                more += imported_by(context.change, ecosystem, {one.name for one in kept if one.ecosystem == ecosystem})
            yield Statement(name, what.format(listed(names, 3)), moves[0].file, moves[0].line, evidence=tuple(more))


def _to_users(moved: Iterable[Moved], kind: Move) -> list[Moved]:
    return [one for one in moved if one.kind is kind and one.now.scope in SHIPPED]
