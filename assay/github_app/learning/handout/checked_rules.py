"""Confirmed rules with their checks, for validating a repository's changes and for export.

A check is compiled on first use, and again when the rule's text or its examples change.
"""

from __future__ import annotations

import hashlib
import logging
from collections import Counter
from collections.abc import Mapping
from typing import Any

from assay.github_app.learning.checks.compiling import Compiled, Example, compiled, example_of, forbidden_by
from assay.github_app.learning.handout.delivery import provenance_of
from assay.github_app.rule_matching.languages import globs_of, language_of
from assay.github_app.store import CommentRow, RuleRow, RuleState, Store
from assay.validators import LearnedRule, NotARule, check_from, rule_from

_log = logging.getLogger(__name__)
COMPILER = 5
"""Version of the compiler; raise it so that stored checks are compiled again."""


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


def check_of(store: Store, row: RuleRow) -> Mapping[str, Any]:
    """Return the stored check of a rule: `check` (data or None), `why`, `num_found`, `num_examples`, `made_of`."""
    comments = _comments(store, row)
    examples = [one for one in (example_of(c.path, c.diff_hunk, c.side) for c in comments) if one is not None]
    made_of = _made_of(row, examples)
    if row.check is not None and row.check.get("made_of") == made_of:
        return row.check
    made: Compiled = compiled(forbidden_by(row.text, row.language), examples)
    kept = {
        "check": None if made.check is None else made.check.to_data(),
        "why": made.why,
        "num_found": made.num_found,
        "num_examples": made.num_examples,
        "made_of": made_of,
        "language": row.language or (language_of(examples[0].path) if examples else None),
    }
    if made.is_final:
        store.rules.set_check(row.repository_id, row.rule_id, kept)
    return kept


def _learned(store: Store, row: RuleRow) -> LearnedRule:
    kept = check_of(store, row)
    data: dict[str, Any] = {
        "id": row.rule_id,
        "text": " ".join(row.text.split())[:500],
        "paths": list(row.scope_paths[:20]) or list(globs_of(kept.get("language"))),
        "from": provenance_of(store, row.repository_id, row.rule_id)[:500],
    }
    if kept["check"] is None:
        return rule_from({**data, "unchecked": kept["why"]})
    check_from(kept["check"], row.rule_id)
    return rule_from({**data, "check": kept["check"]})


def _comments(store: Store, row: RuleRow) -> list[CommentRow]:
    """Return the comments of the reviewers who count."""
    sources = [one for one in store.rules.sources(row.repository_id, row.rule_id) if one.counts]
    comments = [store.reviews.comment(row.repository_id, one.comment_kind, one.comment_id) for one in sources]
    return [one for one in comments if one is not None and not one.is_deleted]


def _made_of(row: RuleRow, examples: list[Example]) -> str:
    parts = [str(COMPILER), row.text, str(row.language)]
    parts += [f"{one.path}\0{one.text}\0{sorted(one.lines)}" for one in examples]
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]
