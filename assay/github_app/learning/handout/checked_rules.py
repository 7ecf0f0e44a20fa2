"""Confirmed rules with their checks, for validating a repository's changes and for export.

A maintainer chooses the check at acceptance. Of a rule that was confirmed without a choice, as by a quorum, the first
proposal is used, and again when the rule's text or its examples change.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.github_app.learning.checks.examples import Example, example_of
from assay.github_app.learning.checks.proposals import Past, Proposal, Way, propose
from assay.github_app.learning.handout.delivery import provenance_of
from assay.github_app.rule_matching.languages import globs_of
from assay.github_app.store import CommentRow, RuleRow, RuleState, Store
from assay.validators import CouldNotRun, LearnedRule, NotARule, Severity, check_from, rule_from

_log = logging.getLogger(__name__)
COMPILER = 6
"""Version of the proposals; raise it so that checks no person chose are made again."""
NO_CODE = "there is no commented code, and its words fit no known check"
NOT_FOUND = "no known check finds the commented code"


def learned_rules(store: Store, repository_id: int) -> tuple[LearnedRule, ...]:
    """Return the confirmed rules, those repeated most first, then the oldest, each with its check if it has one."""
    repeats = Counter(match.rule_id for match in store.rules.matches(repository_id))
    rows = sorted(
        store.rules.of(repository_id, [RuleState.confirmed]),
        key=lambda row: (-repeats[row.rule_id], row.confirmed_at or row.created_at, row.rule_id),
    )
    found = []
    for row in rows:
        try:
            found.append(_learned(store, row))
        except NotARule as error:
            _log.warning("rule %s has no valid check: %s", row.rule_id, error)
    return tuple(found)


def proposals_for(store: Store, row: RuleRow, past: Past | None = None) -> list[Proposal]:
    """Return the proposals for a stored rule, from its text and its comments. Raises `CouldNotRun`."""
    comments = _comments(store, row)
    return propose([row.text, *(one.body for one in comments)], _examples(comments), past)


def choose(store: Store, row: RuleRow, chosen: Proposal, severity: Severity = Severity.warning) -> None:
    """Store the check that a maintainer chose for a rule, and how grave a finding is."""
    store.rules.set_check(
        row.repository_id, row.rule_id, {**_as_data(chosen, has_code=True), "severity": str(severity)}
    )


def check_of(store: Store, row: RuleRow) -> Mapping[str, Any]:
    """Return the stored check of a rule: `check` (data or None), `why`, `way`, `what`, `paths` and `severity`."""
    if row.check is not None and "made_of" not in row.check:
        return row.check
    comments = _comments(store, row)
    examples = _examples(comments)
    made_of = _made_of(row, examples)
    if row.check is not None and row.check.get("made_of") == made_of:
        return row.check
    try:
        first = propose([row.text, *(one.body for one in comments)], examples)[0]
    except CouldNotRun as error:
        _log.warning("checks of rule %s could not be tried: %s", row.rule_id, error)
        return {"check": None, "why": f"a check could not be tried: {error}"[:200]}
    kept = {**_as_data(first, has_code=bool(examples)), "made_of": made_of}
    store.rules.set_check(row.repository_id, row.rule_id, kept)
    return kept


def _as_data(one: Proposal, *, has_code: bool) -> dict[str, Any]:
    why = "" if one.check else "a maintainer chose advice alone" if one.way is Way.advice else ""
    return {
        "check": None if one.check is None else one.check.to_data(),
        "way": str(one.way),
        "what": one.what,
        "why": why or ("" if one.check else NOT_FOUND if has_code else NO_CODE),
        "paths": list(one.paths),
    }


def _learned(store: Store, row: RuleRow) -> LearnedRule:
    kept = check_of(store, row)
    data: dict[str, Any] = {
        "id": row.rule_id,
        "text": " ".join(row.text.split())[:500],
        "paths": list(row.scope_paths[:20]) or kept.get("paths") or list(globs_of(row.language)),
        "from": provenance_of(store, row.repository_id, row.rule_id)[:500],
        "severity": kept.get("severity", "warning"),
    }
    if kept["check"] is None:
        return rule_from({**data, "unchecked": kept["why"], "advice": kept.get("way") == Way.advice})
    check_from(kept["check"], row.rule_id)
    return rule_from({**data, "check": kept["check"]})


def _comments(store: Store, row: RuleRow) -> list[CommentRow]:
    """Return the comments of the reviewers who count."""
    sources = [one for one in store.rules.sources(row.repository_id, row.rule_id) if one.counts]
    comments = [store.reviews.comment(row.repository_id, one.comment_kind, one.comment_id) for one in sources]
    return [one for one in comments if one is not None and not one.is_deleted]


def _examples(comments: Sequence[CommentRow]) -> list[Example]:
    found = (example_of(one.path, one.diff_hunk, one.side) for one in comments)
    return [one for one in found if one is not None]


def _made_of(row: RuleRow, examples: Sequence[Example]) -> str:
    parts = [str(COMPILER), row.text, str(row.language)]
    parts += [f"{one.path}\0{one.text}\0{sorted(one.lines)}" for one in examples]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
