"""Deliver rules to agents, and record each delivery.

    rules_for(store, repository_id, ["src/a.py"], task_id="01J…", how="mcp")

Each delivery is stored with its rule, its task or pull request, and its channel. That shows the memory state of a task,
whether the rules applied to its change, and which delivered rules were violated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from assay.github_app.rule_matching.languages import globs_of
from assay.github_app.runtime.context import now
from assay.github_app.store import HandoutRow, PullRow, RuleRow, RuleState, Store
from assay.validators import path_matcher

MOST_DELIVERED = 50
"""Maximum rules in one answer, most often violated first."""
MOST_PATHS = 2000
MOST_NAMED = 3
AGENTS_MD = "agents_md"
"""Delivery by the block in an instruction file, which reaches all agents that work on the base from then on."""
MEMORY = "handed:"
"""Prefix of memory states computed from deliveries; declared states are kept."""


@dataclass(frozen=True, slots=True)
class DeliveredRule:
    """Rule as delivered to an agent.

    `paths` are patterns where it applies (`**`: everywhere), `provenance` names who asked for it and where, and
    `num_repeats` counts its repeats since then.
    """

    rule_id: str
    text: str
    paths: tuple[str, ...]
    language: str | None
    polarity: str
    provenance: str
    num_repeats: int
    is_ineffective: bool


def rules_for(
    store: Store,
    repository_id: int,
    paths: Sequence[str],
    *,
    task_id: str | None = None,
    number: int | None = None,
    how: str,
    at: datetime | None = None,
) -> tuple[tuple[DeliveredRule, ...], int]:
    """Return the confirmed rules for any of these paths (all rules if none is given), and how many are left out.

    The delivery is recorded.
    `how` names the channel: `mcp`, `api`, `agents_md`. A task has a memory state from its first delivery on.
    """
    at = at or now()
    every = relevant(store, repository_id, paths)
    chosen = every[:MOST_DELIVERED]
    with store.together():
        ids = [rule.rule_id for rule in chosen]
        store.rules.handed_out(repository_id, ids, how, at, task_id=task_id, number=number)
        if task_id is not None:
            _remember(store, repository_id, task_id, at)
    return chosen, len(every) - len(chosen)


def deliver_insights(
    store: Store,
    repository_id: int,
    insight_ids: Sequence[str],
    *,
    task_id: str | None = None,
    number: int | None = None,
    how: str,
    at: datetime | None = None,
) -> None:
    """Record that insights were delivered to an agent; like rules, they become part of the task's memory state."""
    at = at or now()
    with store.together():
        store.insights.handed_out(repository_id, insight_ids, how, at, task_id=task_id, number=number)
        if task_id is not None:
            _remember(store, repository_id, task_id, at)


def relevant(store: Store, repository_id: int, paths: Sequence[str]) -> tuple[DeliveredRule, ...]:
    """Return the confirmed rules for any of these paths (all rules if none is given), those violated most often first.

    No delivery is recorded.
    """
    repeats: dict[str, int] = {}
    for match in store.rules.matches(repository_id):
        repeats[match.rule_id] = repeats.get(match.rule_id, 0) + 1
    rows = [row for row in store.rules.of(repository_id, [RuleState.confirmed]) if holds_for(row, paths)]
    rows.sort(key=lambda row: (-repeats.get(row.rule_id, 0), row.rule_id))
    return tuple(_handed(store, row, repeats.get(row.rule_id, 0)) for row in rows)


def holds_for(rule: RuleRow, paths: Sequence[str]) -> bool:
    """Return whether a rule applies to any of these paths, by scope and language; true if no path is given."""
    if not paths:
        return True
    inside, speaks = path_matcher(rule.scope_paths or ("**",)), path_matcher(globs_of(rule.language))
    return any(inside(path) and speaks(path) for path in paths[:MOST_PATHS] if path)


def provenance_of(store: Store, repository_id: int, rule_id: str) -> str:
    """Return who asked for a rule where: `#12 by alice, #20 by bob and 2 more`."""
    said = list(dict.fromkeys((one.number, one.reviewer) for one in store.rules.sources(repository_id, rule_id)))
    shown = ", ".join(f"#{number} by {reviewer}" for number, reviewer in said[:MOST_NAMED])
    return shown if len(said) <= MOST_NAMED else f"{shown} and {len(said) - MOST_NAMED} more"


def memory_state(rules: Mapping[str, str], insights: Mapping[str, str] | None = None) -> str:
    """Return a short hash of what was delivered to a task (id -> text, for rules and insights). Deterministic."""
    digest = hashlib.sha256()
    for rule_id, text in (*sorted(rules.items()), *sorted((insights or {}).items())):
        for part in (rule_id.encode(), text.encode("utf-8", "surrogatepass")):
            digest.update(len(part).to_bytes(8, "big") + part)
    return f"{MEMORY}{digest.hexdigest()[:16]}"


def was_delivered(handouts: Iterable[HandoutRow], number: int, pull: PullRow | None, at: datetime) -> bool:
    """Return whether a rule was delivered to the author of a pull request before a reviewer asked for it (`at`).

    Deliveries count if they went to the pull request, to its task, or to the managed block on the base before the pull
    request opened. `handouts` are those of the rule; `pull` is None if only its number is known.
    """
    task_id, opened_at = (pull.task_id, pull.created_at or pull.seen_at) if pull is not None else (None, None)
    return any(
        (one.at <= at and (one.number == number or (task_id is not None and one.task_id == task_id)))
        or (one.how == AGENTS_MD and opened_at is not None and one.at <= opened_at)
        for one in handouts
    )


def _handed(store: Store, row: RuleRow, num_repeats: int) -> DeliveredRule:
    paths = row.scope_paths or globs_of(row.language)
    provenance = provenance_of(store, row.repository_id, row.rule_id)
    return DeliveredRule(
        row.rule_id, row.text, paths, row.language, row.polarity, provenance, num_repeats, row.is_ineffective
    )


def _remember(store: Store, repository_id: int, task_id: str, at: datetime) -> None:
    """Store the task's memory state: a hash of all deliveries so far, unless its harness declared a state."""
    task = store.tasks.get(repository_id, task_id)
    if task is not None and task.memory_state is not None and not task.memory_state.startswith(MEMORY):
        return
    handed = {one.rule_id for one in store.rules.handouts(repository_id, task_id=task_id)}
    rows = (store.rules.get(repository_id, rule_id) for rule_id in handed)
    texts = {row.rule_id: row.text for row in rows if row is not None}
    given = {one.insight_id for one in store.insights.handouts(repository_id, task_id=task_id)}
    insights = {row.id: row.text for row in store.insights.with_ids(sorted(given))}
    store.tasks.put(repository_id, task_id, at, memory_state=memory_state(texts, insights))
