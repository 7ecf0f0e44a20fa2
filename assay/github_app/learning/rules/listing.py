"""Rules as plain data for commands, CLI, API and dashboard."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from assay.github_app.learning.handout.delivery import holds_for
from assay.github_app.learning.rules.effect import effect_of
from assay.github_app.store import RuleRow, RuleState, SourceRow, Store

CANDIDATES = (RuleState.pending, RuleState.quarantined)


def list_rules(
    store: Store,
    repository_id: int,
    *,
    states: Iterable[RuleState] | None = None,
    paths: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Return the rules of a repository, confirmed ones first: `{"rules": [{"rule_id", "text", "state", …}]}`.

    With `paths`, only rules whose scope contains one of them.
    """
    rows = [row for row in store.rules.of(repository_id, states) if paths is None or holds_for(row, paths)]
    sources = by_rule(store.rules.sources_in(repository_id))
    repeats = Counter(match.rule_id for match in store.rules.matches(repository_id))
    joined = joined_rules(store.rules.of(repository_id, [RuleState.joined]))
    order = list(RuleState)
    rows.sort(key=lambda row: (row.state is not RuleState.confirmed, order.index(row.state), row.created_at))
    return {
        "repository_id": repository_id,
        "rules": [_rule(row, sources.get(row.rule_id, ()), repeats[row.rule_id], joined) for row in rows],
    }


def list_candidates(store: Store, repository_id: int) -> list[dict[str, Any]]:
    """Return the rules that wait for a maintainer: those asked for on the most pull requests first."""
    rules = list_rules(store, repository_id, states=CANDIDATES)["rules"]
    return sorted(rules, key=lambda rule: (-rule["num_pulls"], -rule["num_reviewers"], -rule["num_repeats"]))


def show_rule(store: Store, repository_id: int, rule_id: str) -> dict[str, Any] | None:
    """Return a rule with its sources, repeats, deliveries and history; None if it does not exist.

    A purged rule has only its history.
    """
    row, log = store.rules.get(repository_id, rule_id), store.rules.audit(repository_id, rule_id)
    if row is None and not log:
        return None
    history = [
        {"what": str(one.what), "at": one.at, "by": one.by, "comment": one.comment, "data": dict(one.data)}
        for one in log
    ]
    if row is None:
        return {"rule_id": rule_id, "state": "purged", "history": history}
    sources = store.rules.sources(repository_id, rule_id)
    matches = store.rules.matches(repository_id, rule_id=rule_id)
    joined = store.rules.of(repository_id, [RuleState.joined])
    return {
        **_rule(row, sources, len(matches), joined_rules(joined)),
        "also_worded_as": [{"rule_id": one.rule_id, "text": one.text} for one in joined if one.joined_into == rule_id],
        "effect": _effect(store, row),
        "canonical": dict(row.canonical),
        "sources": [
            {"number": one.number, "comment": one.comment, "reviewer": one.reviewer, "at": one.at, "counts": one.counts}
            for one in sources
        ],
        "repeats": [
            {
                "number": one.number,
                "thread": one.thread,
                "at": one.at,
                "num_pulls_before": one.num_pulls_before,
                "agent": one.agent,
                "prompt_version": one.prompt_version,
                "is_after_handout": one.is_after_handout,
            }
            for one in matches
        ],
        "handouts": [
            {"reader": one.reader, "how": one.how, "at": one.at}
            for one in store.rules.handouts(repository_id, rule_id=rule_id)
        ],
        "history": history,
    }


def joined_rules(rows: Iterable[RuleRow]) -> dict[str, str]:
    """Map the id of each joined rule among these to that of the rule it is joined into."""
    return {row.rule_id: row.joined_into for row in rows if row.joined_into is not None}


def alike(row: RuleRow, joined: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the rules that a rule may repeat, with their scores; for a joined one that which it is joined into."""
    found: dict[str, float] = {}
    for one in row.canonical.get("like", ()):
        found.setdefault(joined.get(one["rule_id"], one["rule_id"]), one["score"])
    return [{"rule_id": rule_id, "score": score} for rule_id, score in found.items() if rule_id != row.rule_id]


def _effect(store: Store, row: RuleRow) -> dict[str, Any] | None:
    effect = effect_of(store, row)
    return None if effect is None else asdict(effect)


def by_rule(sources: Iterable[SourceRow]) -> dict[str, list[SourceRow]]:
    """Map each rule id to its source comments, in the order given."""
    found: dict[str, list[SourceRow]] = {}
    for one in sources:
        found.setdefault(one.rule_id, []).append(one)
    return found


def _rule(row: RuleRow, sources: Sequence[SourceRow], num_repeats: int, joined: Mapping[str, str]) -> dict[str, Any]:
    votes = [one for one in sources if one.counts]
    return {
        "rule_id": row.rule_id,
        "text": row.text,
        "state": str(row.state),
        "joined_into": row.joined_into,
        "language": row.language,
        "paths": list(row.scope_paths),
        "is_ineffective": row.is_ineffective,
        "why": row.why,
        "check": row.checked[0],
        "checked_by": str((row.check or {}).get("what", "")) if row.checked[0] else "",
        "why_unchecked": row.checked[1],
        "like": alike(row, joined),
        "created_at": row.created_at,
        "confirmed_at": row.confirmed_at,
        "confirmed_by": row.confirmed_by,
        "expires_at": row.expires_at,
        "num_reviewers": len({one.reviewer_id or one.reviewer for one in votes}),
        "num_pulls": len({one.number for one in votes}),
        "num_repeats": num_repeats,
    }
