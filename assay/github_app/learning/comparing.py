"""Which rule a comment says, and which of a repository's rules say the same or the opposite."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.github_app.advice import CanonicalRule, CommentText, Likeness, Polarity, canonical_rule, nearest
from assay.github_app.store import CommentRow, RuleRow, RuleState

if TYPE_CHECKING:
    from assay.embedding import Embedder

MOST_NEAREST = 5
_AGAINST = frozenset({Polarity.dont})


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the rule out of a comment and compares rules; `extract` is the way of a model, where there is one."""

    embedder: Embedder
    extract: Callable[[CommentText], CanonicalRule | None] = canonical_rule

    def rule_in(self, comment: CommentRow) -> CanonicalRule | None:
        """The rule a comment says; None where it says none."""
        return self.extract(CommentText(comment.body, comment.path, comment.diff_hunk))

    def same_as(
        self, rule: CanonicalRule, known: Sequence[RuleRow], threshold: float | None = None
    ) -> tuple[RuleRow, Likeness] | None:
        """The known rule that says the same, the likest first and one that holds before one that does not.

        Without a `threshold` it is as calibrated for the embedding. What says the opposite is never the same.
        """
        fit = [(row, one) for row in known if _may_be_same(rule, one := canonical_of(row))]
        if not fit:
            return None
        likest = nearest(rule, [one for _, one in fit], self.embedder, k=MOST_NEAREST)
        same = [one for one in likest if (one.same if threshold is None else one.score >= threshold)]
        pairs = [(row, one) for one in same for row, canonical in fit if canonical == one.rule_b]
        return min(pairs, key=lambda pair: (pair[0].state not in _HOLDING, -pair[1].score), default=None)


_HOLDING = (RuleState.confirmed, RuleState.pending)


def canonical_data(rule: CanonicalRule) -> dict[str, Any]:
    """The rule as plain data; `canonical_of` reads it."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(rule).items()}


def canonical_of(row: RuleRow) -> CanonicalRule:
    """The normal form of a stored rule."""
    data = row.canonical
    return CanonicalRule(
        text=row.text,
        polarity=Polarity(row.polarity),
        action=str(data.get("action", "")),
        objects=_texts(data.get("objects")),
        over=_texts(data.get("over")),
        language=row.language,
        paths=row.scope_paths,
        key=row.key,
    )


def contradicts(one: CanonicalRule, other: CanonicalRule) -> bool:
    """Whether two rules that hold in one place cannot both be kept.

    One asks for what the other forbids, or each prefers what the other is against. Only what the normal forms tell
    counts: of two that merely sound opposed nothing is said.
    """
    if not _share_a_scope(one, other):
        return False
    if _wanted(one) & _unwanted(other) or _wanted(other) & _unwanted(one):
        return not (_wanted(one) and _wanted(one) == _wanted(other))
    return False


def _wanted(rule: CanonicalRule) -> frozenset[str]:
    return frozenset() if rule.polarity in _AGAINST else _folded(rule.objects)


def _unwanted(rule: CanonicalRule) -> frozenset[str]:
    # "Do not use X, use Y": what is preferred to is `over`; of a plain "do not" it is the object itself.
    return _folded(rule.objects) if rule.polarity in _AGAINST else _folded(rule.over)


def _may_be_same(one: CanonicalRule, other: CanonicalRule) -> bool:
    languages = {one.language, other.language} - {None}
    return len(languages) < 2 and not contradicts(one, other)


def _share_a_scope(one: CanonicalRule, other: CanonicalRule) -> bool:
    languages = {one.language, other.language} - {None}
    if len(languages) > 1:
        return False
    return not one.paths or not other.paths or bool(set(one.paths) & set(other.paths))


def _folded(words: Iterable[str]) -> frozenset[str]:
    return frozenset(" ".join(word.lower().split()) for word in words if word.strip())


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(one) for one in value) if isinstance(value, list | tuple) else ()
