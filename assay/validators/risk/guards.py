"""Checks that let only some through, and that the change removes or turns around."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from assay.validators.change import ChangedFile, FileKind, decoded
from assay.validators.classify import Nature
from assay.validators.language_table import ALL_LANGUAGES, suffixes
from assay.validators.report import Evidence, NotChecked, RiskFactor, RiskLevel
from assay.validators.risk.python_guards import Guard, Scope, scopes_of
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.risk.text_guards import text_guards

_HELPERS = re.compile(r"(^|/)(scripts?|tools?|examples?|benchmarks?|demos?|samples?|docs?|tutorials?)/")


class GuardsSignal:
    """A check that is gone lets in whoever it kept out."""

    name = "guards"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """One factor where a check is removed, and not made elsewhere in the change, or turned around."""
        made = _Made()
        for file in context.change.files:
            if file.kind is not FileKind.text or file.is_example or file.nature in (Nature.test, Nature.docs):
                continue
            # Where it was counts: a change cannot move code to where nobody asks for checks.
            if _HELPERS.search(file.base_path or file.path):
                continue
            if context.deadline.passed:
                yield NotChecked("guards removed by the change", "the tier's time was up")
                break
            _compare(context, file, made)
        found = [*made.inverted, *made.really_lost()]
        if found:
            first = found[0]
            yield RiskFactor(
                signal=self.name,
                level=RiskLevel.critical,
                reason=f"critical because {first.text}",
                value=len(found),
                threshold=1,
                evidence=tuple(Evidence(one.text, one.path, one.line) for one in found),
                would_lower="keep the check, or have a reviewer who knows who is kept out confirm that it may go",
            )


@dataclass(frozen=True, slots=True)
class _Place:
    name: str
    text: str
    path: str
    line: int | None
    helpers: frozenset[str] = frozenset()


@dataclass
class _Made:
    """What all files of the change lose and gain."""

    inverted: list[_Place] = field(default_factory=list)
    lost: list[_Place] = field(default_factory=list)
    gained: Counter[str] = field(default_factory=Counter)
    wide: set[str] = field(default_factory=set)
    """Guards that a module, class or router gained: they hold for all below."""
    holders: dict[str, set[str]] = field(default_factory=dict)
    """Function -> the guards it makes after the change."""

    def really_lost(self) -> Iterator[_Place]:
        """Yield what is made nowhere else: not moved, not made by a helper that is called instead."""
        left = self.gained.copy()
        for place in self.lost:
            if place.name in self.wide or any(place.name in self.holders.get(one, ()) for one in place.helpers):
                continue
            if left[place.name] > 0:
                left[place.name] -= 1
                continue
            yield place


def _compare(context: RiskContext, file: ChangedFile, made: _Made) -> None:
    is_python = file.typed_path.lower().endswith(suffixes("python"))
    after = scopes_of(_text(context.change.head.read(file.path))) if is_python and file.exists else None
    before = scopes_of(_text(context.change.base.read(file.base_path))) if is_python and file.base_path else None
    for name, scope in (after or {}).items():
        made.holders.setdefault(name.rpartition(".")[2], set()).update(guard.name for guard in scope.guards)
    if is_python and (after is not None or not file.exists) and (before is not None or file.base_path is None):
        _compare_scopes(file, before or {}, after or {}, made)
    else:
        changed = text_guards(context.change, file)
        made.gained.update(changed.gained)
        made.lost += [_Place(name, f"the check {name} is removed", file.path, line) for name, line in changed.lost]
        made.inverted += [
            _Place(name, f"the check {name} is turned around", file.path, line) for name, line in changed.inverted
        ]


def _compare_scopes(file: ChangedFile, before: Mapping[str, Scope], after: Mapping[str, Scope], made: _Made) -> None:
    for name, scope in after.items():
        come = _names(scope) - _names(before.get(name, Scope(1)))
        made.gained.update(come)
        if scope.is_wide and name in before:
            made.wide.update(come)
    for name, was in before.items():
        if name not in after or not file.exists:
            continue  # code that goes takes its checks with it
        scope = after[name]
        where = f" in {name}" if name else ""
        inverted = list(_inverted(was, scope))
        for guard in inverted:
            text = f"the check {guard.name} is turned around{where}"
            made.inverted.append(_Place(guard.name, text, file.path, guard.line))
        gone = _names(was) - _names(scope)
        owner = name.rpartition(".")[0]
        holders = [one for one in (name, owner) if one and one in before and one in after]
        if not gone or any(_names(after[one]) - _names(before[one]) for one in holders):
            continue  # another check stands in its place
        for guard in was.guards:
            if gone[guard.name] > 0 and _still_done(guard, scope) and guard.name not in {one.name for one in inverted}:
                gone[guard.name] -= 1
                helpers = frozenset(scope.calls - was.calls)
                text = f"the check {guard.name} is removed{where}"
                made.lost.append(_Place(guard.name, text, file.path, scope.line, helpers))


def _names(scope: Scope) -> Counter[str]:
    return Counter(guard.name for guard in scope.guards if guard.what != "return")


def _still_done(guard: Guard, scope: Scope) -> bool:
    """Whether what a condition let through is still there: a branch that goes takes its condition with it."""
    if guard.passes is None or not guard.what or guard.refuses:
        return True
    return any(done in scope.statements for done in guard.what.split("; "))


def _inverted(was: Scope, now: Scope) -> Iterator[Guard]:
    """Yield the checks that let through whom they kept out, with the same deed behind the condition."""
    before = {(guard.name, guard.what, guard.passes) for guard in was.guards if guard.passes is not None}
    for guard in now.guards:
        key = (guard.name, guard.what)
        if guard.passes is None or (*key, guard.passes) in before or (*key, not guard.passes) not in before:
            continue
        if not any((one.name, one.what, one.passes) == (*key, not guard.passes) for one in now.guards):
            yield guard


def _text(content: bytes | None) -> str:
    return decoded(content or b"")
