"""Features of a change in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assay.validators.report.likelihood import LikelihoodFactor
from assay.validators.risk.likelihood.model import BINARY, Contribution, Score
from assay.validators.wording import plural

_TEXTS: Mapping[str, Callable[[int], str]] = {
    "added": lambda value: f"adds {_some(value, 'line')} without blank ones and comments",
    "control_flow": lambda value: f"has {_some(value, 'word')} such as `if`, `for` or `and` in added lines",
    "calls": lambda value: f"has {_some(value, 'parenthesis after a name', 'parentheses after names')} in added lines",
    "assignments": lambda value: f"has {_some(value, 'single equals sign')} in added lines",
    "indent": lambda value: f"indents added lines by up to {plural(value, 'column')}",
    "fixes": lambda value: (
        f"edits files that fixes changed {plural(value, 'time')} in the past year"
        if value
        else "edits files that no fix changed in the past year"
    ),
    "activity": lambda value: f"edits a part of the repository that had {_some(value, 'change')} in the past 30 days",
    "is_fix": lambda value: "is a fix by its message" if value else "is not a fix by its message",
    "was_reverted": lambda value: (
        f"edits {'a' if value else 'no'} file with a change that was reverted in the past year"
    ),
}


def _some(count: int, one: str, many: str | None = None) -> str:
    return plural(count, one, many) if count else f"no {one}"


def factors_of(score: Score) -> tuple[LikelihoodFactor, ...]:
    """Return the contributions to a score in words, the largest first."""
    return tuple(
        LikelihoodFactor(
            feature=one.feature,
            value=one.value,
            percentile=round(one.percentile, 1),
            contribution=round(one.log_odds, 3),
            text=_TEXTS[one.feature](int(one.value)) + _compared(one, score.num_compared),
        )
        for one in score.contributions
    )


def _compared(one: Contribution, num_compared: int) -> str:
    """Return where the value stands among past changes; a yes or no stands nowhere."""
    return "" if one.feature in BINARY else f" (percentile {int(one.percentile)} of the last {num_compared} changes)"
