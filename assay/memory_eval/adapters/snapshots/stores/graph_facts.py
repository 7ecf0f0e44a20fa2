"""Entries of a temporal knowledge graph as Graphiti and Zep keep it: facts on edges, episodes, summaries of nodes.

A fact that no longer holds is invalidated, not deleted: it is history from then on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from assay.memory_eval.adapters.snapshots.dates import moment_of
from assay.memory_eval.adapters.snapshots.snapshot import Entry, State
from assay.memory_eval.adapters.snapshots.stored import state_until, stored


def fact_entries(edge: Mapping[str, Any], about: Any = None) -> Iterator[Entry]:
    """Yield an edge's fact; it is live if it has not expired and is not yet invalid.

    `expired_at` is when the store ended the fact, `invalid_at` when it ceased to hold.
    """
    invalid, expired = moment_of(edge.get("invalid_at")), moment_of(edge.get("expired_at"))
    state: State = "history" if expired else state_until(invalid)
    ended = invalid or expired
    yield from stored(
        _text(edge.get("fact")),
        _uuid(edge),
        "fact",
        about=about,
        created=edge.get("valid_at") or edge.get("created_at"),
        valid_to=ended,
        state=state,
        ends_by_itself=expired is None,
    )


def episode_entries(node: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield an episode: the text that facts were extracted from."""
    created = node.get("valid_at") or node.get("created_at")
    yield from stored(_text(node.get("content")), _uuid(node), "episode", about=node.get("name"), created=created)


def summary_entries(node: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the summary of an entity or a community, with its name in front."""
    name, summary = _text(node.get("name")), _text(node.get("summary"))
    text = summary if name.lower() in summary.lower() else f"{name}: {summary}"
    created = node.get("created_at")
    yield from stored(text if summary else "", _uuid(node), "summary", about=name, created=created)


def _uuid(item: Mapping[str, Any]) -> str:
    return str(item.get("uuid") or item.get("uuid_") or "?")


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""
