"""Access checks that the change removes or inverts."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from assay.validators.changes.change import ChangedFile, FileKind, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import LANGUAGE_TABLE, Kind, languages, suffixes
from assay.validators.report.answers import unanswered
from assay.validators.report.model import Statement
from assay.validators.report.unknown import Question
from assay.validators.risk.guards.python import Guard, Scope, scopes_of
from assay.validators.risk.guards.text import has_guards, text_scopes
from assay.validators.risk.signal import Measure, RiskContext

_HELPERS = re.compile(r"(^|/)(scripts?|tools?|examples?|benchmarks?|demos?|samples?|docs?|tutorials?)/")

_EMPTY = frozenset(ast.dump(one) for one in ast.parse("pass\nreturn\nreturn None").body)
"""Statements too common to identify a function."""


class GuardsSignal:
    """Signal `guards`: a removed check grants access."""

    name = "guards"
    answers = Question.guards
    covers = languages(*(row.key for row in LANGUAGE_TABLE if row.kind is Kind.code and row.comments is not None))

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every check that is removed, and not added elsewhere in the change, or inverted."""
        made = _GuardBalance()
        modules: list[_ScopePair] = []
        for number, file in enumerate(context.change.files):
            if file.kind is not FileKind.text or file.is_example or file.nature in (Nature.test, Nature.docs):
                continue
            # The old place counts: a change cannot move code to a place without checks to hide a removal.
            is_aside = _HELPERS.search(file.base_path or file.path) is not None
            if is_aside and file.base_path is not None:
                continue
            if context.deadline.passed:
                yield from unanswered(context.change.files[number:], self.answers, "the tier ran out of time")
                break
            module = _scope_pair(context, file, is_aside=is_aside)
            if module is not None:
                modules.append(module)
        _take_in(modules)
        for module in modules:
            _compare_scopes(module, made)
        lost = [*made.inverted, *made.really_lost()]
        for one in lost:
            yield Statement("guard_removed", one.text, one.path, one.line)


@dataclass(frozen=True, slots=True)
class _GuardChange:
    name: str
    text: str
    path: str
    line: int | None
    helpers: frozenset[str] = frozenset()


@dataclass
class _GuardBalance:
    """Checks lost and gained in all files of the change."""

    inverted: list[_GuardChange] = field(default_factory=list)
    lost: list[_GuardChange] = field(default_factory=list)
    gained: Counter[str] = field(default_factory=Counter)
    wide: set[str] = field(default_factory=set)
    """Guards gained by a module, class or router: they apply to everything below."""
    holders: dict[str, set[str]] = field(default_factory=dict)
    """Function -> its guards after the change."""

    def really_lost(self) -> Iterator[_GuardChange]:
        """Yield checks that are lost everywhere: not moved, not made by a newly called helper."""
        left = self.gained.copy()
        for place in self.lost:
            if place.name in self.wide or any(place.name in self.holders.get(one, ()) for one in place.helpers):
                continue
            if left[place.name] > 0:
                left[place.name] -= 1
                continue
            yield place


@dataclass
class _ScopePair:
    """Scopes of a file on both sides. `is_aside`: its new place needs no checks."""

    file: ChangedFile
    before: dict[str, Scope]
    after: dict[str, Scope]
    is_aside: bool


def _scope_pair(context: RiskContext, file: ChangedFile, *, is_aside: bool) -> _ScopePair | None:
    """Return the scopes of a file; None for one that can have no lost check."""
    change, old = context.change, file.base_path
    source, was = text_at(change.head, file.path), text_at(change.base, old)
    if file.typed_path.lower().endswith(suffixes("python", "cython")):
        before, after = scopes_of(was), scopes_of(source)
        if before is not None and after is not None:
            return _ScopePair(file, before if old is not None else {}, after if file.exists else {}, is_aside)
    code = context.changed_code(file)
    if is_aside or not has_guards("\n".join((*code.removed.values(), *code.added.values()))):
        return None
    before = text_scopes(was, old) if old is not None else {}
    return _ScopePair(file, before, text_scopes(source, file.path) if file.exists else {}, is_aside)


def _take_in(modules: Sequence[_ScopePair]) -> None:
    """Pair a function or class that appears in one file with the one of its name that another file lost.

    They are the same if they share a statement; a new file replaces a deleted one.
    """
    new: dict[tuple[str, str], list[_ScopePair]] = {}
    for module in modules:
        for key in _one_sided(module.after, module.before):
            new.setdefault(key, []).append(module)
    for left in modules:
        for key in _one_sided(left.before, left.after):
            for place in new.get(key, ()):
                place.before.setdefault(key[0], left.before[key[0]])
                place.before.setdefault("", Scope(1, is_wide=True) if left.file.exists else left.before[""])
    for module in modules:
        if module.is_aside:
            module.after = {name: scope for name, scope in module.after.items() if name in module.before}


def _one_sided(scopes: Mapping[str, Scope], others: Mapping[str, Scope]) -> set[tuple[str, str]]:
    """Return (name, statement) of functions and classes on one side only, including those inside classes."""
    found: set[tuple[str, str]] = set()
    for inner, scope in scopes.items():
        name = inner
        while name:
            if name not in others:
                found.update((name, statement) for statement in scope.statements - _EMPTY)
            name = name.rpartition(".")[0]
    return found


def _compare_scopes(module: _ScopePair, made: _GuardBalance) -> None:
    file, before, after = module.file, module.before, module.after
    for name, scope in after.items():
        made.holders.setdefault(name.rpartition(".")[2], set()).update(guard.name for guard in scope.guards)
        come = _names(scope) - _names(before.get(name, Scope(1)))
        made.gained.update(come)
        if scope.is_wide and name in before:
            made.wide.update(come)
    for name, was in before.items():
        if name not in after or not file.exists:
            continue  # removed code needs no checks
        scope = after[name]
        where = f" in {name}" if name else ""
        inverted = list(_inverted(was, scope))
        for guard in inverted:
            text = f"the check {guard.name} is inverted{where}"
            made.inverted.append(_GuardChange(guard.name, text, file.path, guard.line))
        gone = _names(was) - _names(scope)
        owner = name.rpartition(".")[0]
        holders = [one for one in (name, owner) if one and one in before and one in after]
        if not gone or any(_names(after[one]) - _names(before[one]) for one in holders):
            continue  # another check replaces it
        for guard in was.guards:
            if gone[guard.name] > 0 and _still_done(guard, scope) and guard.name not in {one.name for one in inverted}:
                gone[guard.name] -= 1
                helpers = frozenset(scope.calls - was.calls)
                text = f"the check {guard.name} is removed{where}"
                line = scope.line or file.replaced_at(guard.line, guard.line)
                made.lost.append(_GuardChange(guard.name, text, file.path, line, helpers))


def _names(scope: Scope) -> Counter[str]:
    return Counter(guard.name for guard in scope.guards if guard.what != "return")


def _still_done(guard: Guard, scope: Scope) -> bool:
    """Return whether the guarded statements still exist: a removed branch removes its condition too."""
    if guard.passes is None or not guard.what or guard.refuses:
        return True
    return any(done in scope.statements for done in guard.what.split("; "))


def _inverted(was: Scope, now: Scope) -> Iterator[Guard]:
    """Yield checks whose condition is inverted, with the same statements behind it."""
    before = {(guard.name, guard.what, guard.passes) for guard in was.guards if guard.passes is not None}
    for guard in now.guards:
        key = (guard.name, guard.what)
        if guard.passes is None or (*key, guard.passes) in before or (*key, not guard.passes) not in before:
            continue
        if not any((one.name, one.what, one.passes) == (*key, not guard.passes) for one in now.guards):
            yield guard
