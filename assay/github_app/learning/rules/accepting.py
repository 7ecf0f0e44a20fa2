"""Acceptance of a rule with the wording, scope, check and severity that a maintainer chooses from proposals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from assay.github.events.model import Person
from assay.github_app.learning.checks.past import past_of
from assay.github_app.learning.checks.proposals import LETTERS, Past, Proposal
from assay.github_app.learning.handout.checked_rules import choose, proposals_for
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, DecisionResult, decide
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import RuleRow, Store
from assay.validators import (
    CouldNotRun,
    NotARule,
    Severity,
    ValidatorError,
    as_visible,
    read_report,
    rule_from,
)

MOST_TEXT = 500


@dataclass(frozen=True, slots=True)
class Acceptance:
    """Choices at acceptance; the first proposal, and the rule as it is, where nothing is chosen."""

    letter: str = ""
    text: str | None = None
    paths: tuple[str, ...] | None = None
    is_blocking: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    """Result of an acceptance: the chosen proposal, and all that could be chosen."""

    result: DecisionResult
    chosen: Proposal | None
    proposals: tuple[Proposal, ...]


def offered(store: Store, row: RuleRow, past: Past | None = None) -> tuple[Proposal, ...]:
    """Return the proposals for a rule, best first; none if they could not be tried."""
    try:
        return tuple(proposals_for(store, row, past)[: len(LETTERS)])
    except CouldNotRun:
        return ()


def accept(
    store: Store,
    place: tuple[int, str],
    choice: Acceptance,
    at: datetime,
    *,
    by: str,
    person: Person | None = None,
    why: str | None = None,
    key: str = "",
) -> Accepted:
    """Confirm a rule as chosen; of a confirmed one, replace its check. The caller has checked the permission.

    Raises:
        CannotDecide: as `decide`, or the choice is invalid.
    """
    row = store.rules.get(*place)
    if row is None:
        raise CannotDecide("no such rule", code="rule.unknown")
    text = row.text if choice.text is None else checked_text(choice.text)
    paths = row.scope_paths if choice.paths is None else checked_paths(choice.paths)
    if (text, paths) != (row.text, row.scope_paths):
        store.rules.reword(*place, at, text=text, paths=paths, by=by)
        row = store.rules.get(*place) or row
    # The proposals run programs, so they are made before the decision's transaction.
    proposals = offered(store, row)
    chosen = _chosen(proposals, choice.letter)
    result = decide(store, place, Decision.accept, at, by=by, person=person, why=why, key=key)
    if chosen is not None and (result.is_news or choice.letter or choice.is_blocking or row.check is None):
        choose(store, row, chosen, Severity.error if choice.is_blocking else Severity.warning)
    return Accepted(result, chosen, proposals)


def base_of(store: Store, repository_id: int, data_dir: Path, paths: Sequence[str]) -> Past | None:
    """Return the files and past changes of a repository from its cached clone; None without one."""
    repository, folder = store.repositories.get(repository_id), data_dir / "mirrors" / f"{repository_id}.git"
    if repository is None or not repository.default_branch or not folder.is_dir():
        return None
    data = store.runs.newest_report_on(repository_id, repository.default_branch)
    try:
        return None if data is None else past_of(folder, paths, read_report(data).base.sha)
    except ValidatorError:
        return None


def checked_text(text: str) -> str:
    """Return a wording on one line. Raises `CannotDecide` if it is empty, too long, or has hidden characters."""
    shown = " ".join(text.split())
    sign = unfit(shown)
    if not shown or len(shown) > MOST_TEXT or shown != as_visible(shown) or sign is not None:
        why = f"it has {sign}" if sign else f"it must have 1 to {MOST_TEXT} visible characters"
        raise CannotDecide(f"this wording cannot be used: {why}", code="rule.text")
    return shown


def checked_paths(paths: Sequence[str]) -> tuple[str, ...]:
    """Return path patterns. Raises `CannotDecide` if one is invalid."""
    found = tuple(path for path in paths if path)
    try:
        if found:
            rule_from({"id": "a", "text": "a", "paths": found})
    except NotARule as error:
        raise CannotDecide(f"not a list of path patterns: {error}"[:200], code="rule.paths") from None
    return found


def _chosen(proposals: Sequence[Proposal], letter: str) -> Proposal | None:
    if not letter:
        return proposals[0] if proposals else None
    place = LETTERS.find(letter.lower())
    if len(letter) != 1 or not 0 <= place < len(proposals):
        last = LETTERS[len(proposals) - 1] if proposals else ""
        known = f"choose one from a to {last}" if last else "no check could be tried"
        raise CannotDecide(f"there is no proposal {as_visible(letter[:10])}; {known}", code="rule.proposal")
    return proposals[place]
