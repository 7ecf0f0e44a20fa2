"""Pairs of a test's assertions before and after: weakened, removed and added ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.quality.test_integrity.test_code.assertion_readers.assertions import (
    Assertion,
    Strength,
    is_literal,
)
from assay.validators.quality.test_integrity.test_code.assertion_readers.read import assertions_of
from assay.validators.quality.test_integrity.test_code.both_sides import Kept

WIDER = 1.5
"""Factor from which a tolerance counts as widened."""

LEAST_TOLERANCE = 1e-4
"""Relative tolerance; a smaller one only allows for rounding."""

FIRST_TOLERANCE = 0.01
"""Relative tolerance up to which an equality may become an approximation, as linters ask for floats."""

_OF_EXCEPTION = re.compile(r"\b(?:\w*exc\w*|\w*err\w*|\w*info|e|ctx|cm)\b", re.IGNORECASE)
_NOTHING = frozenset(("nil", "None", "null", "undefined"))
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class AssertionChange:
    """Assertion of the base and its successor in the same test. `is_certain`: both have the same subject."""

    before: Assertion
    after: Assertion
    is_certain: bool = True

    @property
    def is_weaker(self) -> bool:
        """Whether the successor accepts more."""
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
        """Whether one value passed, and now another does: `NoError` became `Error`, `is x` became `is True`."""
        before, after = self.before, self.after
        if before.is_raise and after.is_raise:
            return (before.expected == "nothing") is not (after.expected == "nothing")
        if before.strength is not Strength.exact or after.strength is Strength.exact:
            return False
        if after.strength is Strength.truth and after.expected in ("true", "false"):
            return True
        if after.expected == "falsy" and not is_literal(before.expected):
            return True  # `a == b` became `not a`: no result that is there passes
        if before.expected in _NOTHING:
            return after.strength in (Strength.existence, Strength.type, Strength.structure)
        return after.expected in (f"!= {before.expected}", f"!={before.expected}", f"not {before.expected}")

    @property
    def is_other_value(self) -> bool:
        """Whether another literal value is expected of the same subject."""
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
        """Whether a wrong result would pass: more than a part in place of the whole."""
        if self.before.is_raise and self.after.strength is Strength.type:
            return False  # the same exception with any message
        return (
            self.is_certain
            and self.before.strength >= Strength.type
            and self.after.strength <= Strength.range
            and (self.after.strength < self.before.strength)
        )


@dataclass(frozen=True, slots=True)
class Compared:
    """Assertions of a test on both sides: changed, removed and added ones."""

    num_before: int
    num_after: int
    differences: list[AssertionChange]
    gone: list[Assertion]
    new: list[Assertion]


def compared(kept: Kept) -> Compared:
    """Pair the assertions of a test by their subjects, as written and with local names resolved, then by exclusion."""
    before = assertions_of(kept.before, kept.read.file.base_path or kept.read.file.path)
    after = assertions_of(kept.after, kept.read.file.path)
    same = Counter(each.key for each in before) & Counter(each.key for each in after)
    left, new = _without(before, same), _without(after, same)
    fresh = list(new)
    differences: list[AssertionChange] = []
    for how in (_by_subject, _by_resolved, _by_exclusion):
        for old in list(left):
            successor = how(old, left, new)
            if successor is not None:
                left.remove(old)
                new.remove(successor)
                differences.append(AssertionChange(old, successor, is_certain=how is not _by_exclusion))
    # A message that is checked with the expected exception need not be compared after it.
    told_more = any(each.before.is_raise and each.after.strength > each.before.strength for each in differences)
    left = [each for each in left if not (told_more and _OF_EXCEPTION.search(each.subject))]
    gone = [each for each in left if not any(_says_as_much(one, each) for one in fresh)]
    uncovered = [each for each in differences if not _is_covered(each, after, fresh)]
    return Compared(len(before), len(after), uncovered, gone, new)


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
    """Return the only remaining assertion if it has the same subject; a raised exception only for another one."""
    if old.is_raise:
        raises = [each for each in new if each.is_raise]
        return raises[0] if len(raises) == 1 and sum(each.is_raise for each in left) == 1 else None
    if len(left) != 1 or len(new) != 1 or not old.subject or not new[0].subject or new[0].is_raise:
        return None
    one, other = (set(_NAME.findall(each.resolved or each.subject)) for each in (old, new[0]))
    is_part = bool(old.expected) and old.expected in new[0].expected  # `toMatchObject({ a: 1 })` for `x.a` of 1
    return new[0] if len(one & other) >= 0.5 * max(len(one), len(other), 1) and not is_part else None


def _best(old: Assertion, candidates: list[Assertion]) -> Assertion | None:
    """Return the candidate most similar to the old one: as strong, else the strongest."""
    candidates = [each for each in candidates if each.is_raise == old.is_raise]
    return max(candidates, key=lambda each: (each.strength is old.strength, each.strength), default=None)


def _is_covered(difference: AssertionChange, after: Sequence[Assertion], fresh: Sequence[Assertion]) -> bool:
    """Return whether another assertion of the head covers the subject, or a new one a part of it."""
    before = difference.before
    if not difference.is_weaker:
        return False
    if any(_says_as_much(each, before) for each in fresh if each is not difference.after):
        return True
    return any(each.subject == before.subject and each.strength > before.strength for each in after)


def _says_as_much(now: Assertion, before: Assertion) -> bool:
    """Return whether an assertion of the head is as strong as one of the base, on the same subject.

    A part of it is enough (`x.status == 1` for `x == {...}`), and so is a whole that contains it; one that is not
    understood passes if it names the subject.
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
    if before.tolerance is None:
        return after.tolerance > FIRST_TOLERANCE
    return after.tolerance > max(LEAST_TOLERANCE, WIDER * before.tolerance)


def _kinds(expected: str) -> frozenset[str]:
    """Return the exceptions an assertion accepts."""
    return frozenset(expected.partition(" ")[0].split("|"))


def _is_value(expected: str) -> bool:
    bare = expected.removeprefix("len ").removesuffix(" in")
    return is_literal(bare) and len(bare) <= 400
