"""Tests that stayed and accept more than they did: each assertion of the base compared with its successor."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.validators.change import shown
from assay.validators.quality.changed_texts import ReadFile
from assay.validators.quality.integrity.assertions import Assertion, Strength, is_literal
from assay.validators.quality.integrity.both_sides import Kept, TestsOfChange
from assay.validators.quality.integrity.found_tests import FoundTest, after_signature
from assay.validators.quality.integrity.hollow import hollow
from assay.validators.quality.integrity.read_assertions import assertions_of
from assay.validators.quality.integrity.subjects import Subjects, SubjectState
from assay.validators.report import Finding, Severity, Tier

WIDER = 1.5
"""Times its old value a tolerance must be to count as widened."""

LEAST_TOLERANCE = 1e-4
"""Relative; a smaller one only allows for rounding."""

MOST_SHOWN = 3

# What such a test says, it says by running to its end.
_PASSES_BY_NOT_FAILING = re.compile(
    r"(?:not|no|never|without|n't)[ _-](?:\w+[ _-]){0,2}?(?:throw|rais|fail|crash|error|warn|exception|leak|hang)",
    re.IGNORECASE,
)
_CHECKER = re.compile(
    r"(?<![\w.@])(?:self\.|this\.)?_*(?:(?:run|check|verify|validate)(?:_\w+|[A-Z]\w*)?|(?:test|do)(?:_\w+|[A-Z]\w*))\s*\("
)
_TABLE = re.compile(r"\bparametrize\b|\.each\b|\bsubTest\b|\bt\.Run\b|\bfor\b")
_NOTHING = frozenset(("nil", "None", "null", "undefined"))
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Difference:
    """An assertion of the base and what became of it in the same test. `is_certain`: both speak of the same subject."""

    before: Assertion
    after: Assertion
    is_certain: bool = True

    @property
    def is_weaker(self) -> bool:
        """Whether what is asserted now accepts more."""
        before, after = self.before, self.after
        if self.is_opposite:
            return False
        if after.strength is not before.strength:
            return after.strength < before.strength
        if before.is_raise:
            return _kinds(before.expected) < _kinds(after.expected)
        return _is_wider(before, after)

    @property
    def is_opposite(self) -> bool:
        """Whether the only value that passed is the one that no longer does: `NoError` became `Error`."""
        before, after = self.before, self.after
        if before.strength is not Strength.exact or after.strength is Strength.exact:
            return False
        if before.expected in _NOTHING:
            return after.strength in (Strength.existence, Strength.type, Strength.structure)
        return after.expected in (f"!= {before.expected}", f"!={before.expected}", f"not {before.expected}")

    @property
    def is_other_value(self) -> bool:
        """Whether another value, written out on both sides, is expected of the same subject."""
        before, after = self.before, self.after
        return (
            self.is_certain
            and not before.is_raise
            and before.strength is after.strength
            and before.strength in (Strength.exact, Strength.structure, Strength.truth)
            and before.expected != after.expected
            and _is_value(before.expected)
            and _is_value(after.expected)
        )

    @property
    def is_grave(self) -> bool:
        """Whether so much more is accepted that a wrong result would pass: not merely a part in place of the whole."""
        if self.before.is_raise and self.after.strength is Strength.type:
            return False  # the same exception with any message
        return (
            self.is_certain
            and self.before.strength >= Strength.type
            and self.after.strength <= Strength.range
            and (self.after.strength < self.before.strength)
        )


def weakened(tests: TestsOfChange, subjects: Subjects) -> Iterator[Finding]:
    """Findings about tests that stand on both sides, and about hollow asserts in any test."""
    values: dict[str, list[tuple[Kept, Difference]]] = defaultdict(list)
    for kept in tests.kept:
        hollows = list(hollow(kept.read, kept.after, kept.before, subjects))
        yield from hollows
        if hollows or kept.before.text == kept.after.text:
            continue
        found = compared(kept)
        yield from _less(kept, found, subjects)
        values[kept.read.file.path] += [(kept, each) for each in found.differences if each.is_other_value]
    for new in tests.new:
        yield from hollow(new.read, new.test, None, subjects)
    for changed in values.values():
        yield from _other_values(changed, subjects)


# ------------------------------------------------------------------ comparing


@dataclass(frozen=True, slots=True)
class Compared:
    """The assertions of a test on both sides: what changed, what is gone, what is new."""

    num_before: int
    num_after: int
    differences: list[Difference]
    gone: list[Assertion]
    new: list[Assertion]


def compared(kept: Kept) -> Compared:
    """Pair the assertions of a test by their subjects, as written and with local names resolved, then by exclusion."""
    before = assertions_of(kept.before, kept.read.file.base_path or kept.read.file.path)
    after = assertions_of(kept.after, kept.read.file.path)
    same = Counter(each.key for each in before) & Counter(each.key for each in after)
    left, new = _without(before, same), _without(after, same)
    fresh = list(new)
    differences: list[Difference] = []
    for how in (_by_subject, _by_resolved, _by_exclusion):
        for old in list(left):
            successor = how(old, left, new)
            if successor is not None:
                left.remove(old)
                new.remove(successor)
                differences.append(Difference(old, successor, is_certain=how is not _by_exclusion))
    return Compared(
        len(before),
        len(after),
        [each for each in differences if not _is_covered(each, after, fresh)],
        [each for each in left if not any(_says_as_much(one, each) for one in fresh)],
        new,
    )


def _without(
    assertions: Sequence[Assertion], same: Counter[tuple[str, Strength, str, float | None]]
) -> list[Assertion]:
    left, kept = same.copy(), []
    for each in assertions:
        if left[each.key]:
            left[each.key] -= 1
        else:
            kept.append(each)
    return kept


def _by_subject(old: Assertion, _left: Sequence[Assertion], new: Sequence[Assertion]) -> Assertion | None:
    return _best(old, [each for each in new if old.subject and each.subject == old.subject])


def _by_resolved(old: Assertion, _left: Sequence[Assertion], new: Sequence[Assertion]) -> Assertion | None:
    return _best(old, [each for each in new if old.resolved and each.resolved == old.resolved])


def _by_exclusion(old: Assertion, left: Sequence[Assertion], new: Sequence[Assertion]) -> Assertion | None:
    """The only assertion left on the other side, if it speaks of the same things; a raised exception by itself."""
    if old.is_raise:
        raises = [each for each in new if each.is_raise]
        return raises[0] if len(raises) == 1 and sum(each.is_raise for each in left) == 1 else None
    if len(left) != 1 or len(new) != 1 or not old.subject or not new[0].subject or new[0].is_raise:
        return None
    one, other = (set(_NAME.findall(each.resolved or each.subject)) for each in (old, new[0]))
    return new[0] if len(one & other) >= 0.5 * max(len(one), len(other), 1) else None


def _best(old: Assertion, candidates: list[Assertion]) -> Assertion | None:
    """The candidate that is most like the old one: as strong, else the strongest."""
    candidates = [each for each in candidates if each.is_raise == old.is_raise]
    return max(candidates, key=lambda each: (each.strength is old.strength, each.strength), default=None)


def _is_covered(difference: Difference, after: Sequence[Assertion], fresh: Sequence[Assertion]) -> bool:
    """Whether another assertion of the head says as much of the subject, or a new one of a part of it."""
    before = difference.before
    if not difference.is_weaker:
        return False
    if any(_says_as_much(each, before) for each in fresh if each is not difference.after):
        return True
    return any(each.subject == before.subject and each.strength > before.strength for each in after)


def _says_as_much(now: Assertion, before: Assertion) -> bool:
    """Whether an assertion of the head is as strong as one of the base, and speaks of what that spoke of.

    A part of it is enough (`x.status == 1` for `x == {...}`), as is a whole it is part of; one that is not understood
    is given the benefit of the doubt where it names the subject.
    """
    if now.strength < before.strength or now.is_raise is not before.is_raise:
        return False
    if not now.subject or not before.subject:
        return _speaks_of(now.subject or now.expected, before.subject or before.expected)
    return _speaks_of(now.subject, before.subject) or _speaks_of(now.resolved, before.resolved)


def _speaks_of(now: str, before: str) -> bool:
    if not now or not before:
        return False
    if before in now or (now in before and len(now) > 3):
        return True
    names = _NAME.findall(before)
    return bool(names) and names[0] in _NAME.findall(now)[:1]


def _is_wider(before: Assertion, after: Assertion) -> bool:
    if after.tolerance is None or (before.tolerance is None and before.expected != after.expected):
        return False
    return after.tolerance > max(LEAST_TOLERANCE, WIDER * (before.tolerance or 0.0))


def _kinds(expected: str) -> frozenset[str]:
    """The exceptions an assertion accepts."""
    return frozenset(expected.partition(" ")[0].split("|"))


def _is_value(expected: str) -> bool:
    bare = expected.removeprefix("len ").removesuffix(" in")
    return is_literal(bare) and len(bare) <= 400


# ------------------------------------------------------------------ findings


def _less(kept: Kept, found: Compared, subjects: Subjects) -> Iterator[Finding]:
    """What a test no longer demands: nothing at all any more, something weaker, or one thing less."""
    state = subjects.state_of(kept.before)
    if found.num_before and not found.num_after:
        yield from _emptied(kept, found, state)
        return
    weaker = [each for each in found.differences if each.is_weaker]
    if weaker and state is not SubjectState.gone:
        yield _weaker(kept, weaker, state)
    elif (gone := [each for each in found.gone if _says_something(each)]) and not (
        _is_rewritten(kept, found) or state is SubjectState.gone
    ):
        yield _fewer(kept, gone)


def _says_something(assertion: Assertion) -> bool:
    """Whether an assertion is more than a name that must be there, as type checkers want it said."""
    return assertion.strength >= Strength.type or "(" in assertion.subject


def _emptied(kept: Kept, found: Compared, state: SubjectState) -> Iterator[Finding]:
    if _is_table(kept.after) and not _is_table(kept.before):
        return
    if _calls_out(kept.after) or _says_enough_by_ending(kept):
        return
    many = "s" if found.num_before > 1 else ""
    yield _finding(
        kept.read,
        kept.after,
        Severity.error if state is SubjectState.changed else Severity.warning,
        kept.after.start,
        kept.after.end,
        f"`{kept.after.name}` asserts nothing any more (it had {found.num_before} assertion{many})",
    )


def _weaker(kept: Kept, weaker: list[Difference], state: SubjectState) -> Finding:
    worst = max(weaker, key=lambda each: (each.is_grave, each.is_certain, each.before.strength - each.after.strength))
    is_error = state is SubjectState.changed and worst.is_grave
    more = f" (and {len(weaker) - 1} more)" if len(weaker) > 1 else ""
    return _finding(
        kept.read,
        kept.after,
        Severity.error if is_error else Severity.warning,
        worst.after.line,
        worst.after.line,
        f"`{kept.after.name}` accepts more than it did: `{worst.before.shown}` became `{worst.after.shown}`{more}",
    )


def _fewer(kept: Kept, gone: list[Assertion]) -> Finding:
    first = gone[0].shown
    more = f" and {len(gone) - 1} more" if len(gone) > 1 else ""
    return _finding(
        kept.read,
        kept.after,
        Severity.info,
        kept.after.start,
        kept.after.end,
        f"`{kept.after.name}` asserts less: `{first}`{more} went",
    )


def _finding(read: ReadFile, test: FoundTest, severity: Severity, line: int, end_line: int, message: str) -> Finding:
    return Finding(
        tier=Tier.quality,
        severity=severity,
        rule="test_integrity.weakened",
        file=read.file.path,
        line=line,
        end_line=end_line,
        message=message,
        suggestion="Keep what was asserted, or say in the description why it no longer holds.",
        context=f"weakened {test.name}",
    )


def _other_values(changed: list[tuple[Kept, Difference]], subjects: Subjects) -> Iterator[Finding]:
    """One finding for the expected values of a file that were edited together with the code they are about."""
    told = [
        (kept, each, path)
        for kept, each in changed
        if (path := subjects.edited_file(kept.before, kept.read.file.path)) is not None
    ]
    if not told:
        return
    kept, first, path = told[0]
    values = f"from {_value(first.before)} to {_value(first.after)}"
    others = "" if len(told) == 1 else f"; {len(told) - 1} more in this file"
    yield Finding(
        tier=Tier.quality,
        severity=Severity.info,
        rule="test_integrity.expectation",
        file=kept.read.file.path,
        line=first.after.line,
        end_line=first.after.line,
        message=f"`{kept.after.name}`: expected value changed {values} together with {shown(path)}{others}",
        suggestion="Say in the description why the new value is right.",
        context="expectation " + " ".join(sorted({each.after.name for each, _, _ in told})),
    )


def _value(assertion: Assertion) -> str:
    value = assertion.expected.removeprefix("len ").removesuffix(" in")
    return f"`{value}`" if len(value) <= 60 else f"`{value[:57]}…`"


def _is_table(test: FoundTest) -> bool:
    return bool(_TABLE.search(test.code))


def _is_rewritten(kept: Kept, found: Compared) -> bool:
    """Whether so much else changed that an assertion that went says nothing: others came, or the test is another."""
    if _is_table(kept.after) and not _is_table(kept.before):
        return True
    old, new = kept.before.telling_lines, kept.after.telling_lines
    return bool(found.new) or (len(new - old) >= 2 and len(new - old) >= 0.5 * len(old - new))


def _says_enough_by_ending(kept: Kept) -> bool:
    """Whether the test is about not failing, or all it lost were expected warnings."""
    lines = kept.before.source.code_lines
    only_warnings = all(re.search(r"\bwarns\s*\(", lines[number - 1]) for number in kept.before.asserts)
    return only_warnings or bool(_PASSES_BY_NOT_FAILING.search(kept.after.name))


def _calls_out(test: FoundTest) -> bool:
    """Whether what it checks may be checked by a function of the tests it calls."""
    return any(_CHECKER.search(after_signature(line)) for line in test.code.split("\n"))
