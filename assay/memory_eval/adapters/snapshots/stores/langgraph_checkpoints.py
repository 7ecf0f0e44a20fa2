"""LangGraph checkpoints in SQLite: the last checkpoint of each thread is live, what earlier ones hold is history.

The state is MessagePack with extension types for objects, read as labels and fields; no class is imported.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgpack

from assay.memory_eval.adapters.snapshots.decoding.sqlite_file import (
    Database,
    databases,
    databases_of,
    open_database,
    tables_of,
)
from assay.memory_eval.adapters.snapshots.json_lines import parsed
from assay.memory_eval.adapters.snapshots.object_text import first_text, flat
from assay.memory_eval.adapters.snapshots.reading import Reading, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stored import stored
from assay.memory_eval.errors import WorldUnreadable

NEWEST = 4
"""Newest value of a checkpoint's `v` that was read."""

_COLUMNS = ["thread_id", "checkpoint_ns", "checkpoint_id", "type", "checkpoint"]
_WITH_FIELDS = frozenset({2, 4, 5})
"""Extension types [module, class, fields, …]: keyword arguments, and both generations of pydantic models."""
_WITH_VALUE = frozenset({0, 1, 3})
"""Extension types [module, class, argument, …], such as a time or an enumeration."""
_MOST_NESTED = 50
_SPEAKERS = {"human": "user", "ai": "assistant"}


@dataclass(frozen=True, slots=True)
class _Said:
    """One text of a state: its channel, its own id, and its speaker."""

    channel: str
    own: str
    text: str
    kind: str
    speaker: str | None


class LanggraphCheckpoints:
    """Reader of the SQLite file of a `SqliteSaver`, or of a folder with one."""

    name = "langgraph_checkpoints"
    title = "LangGraph checkpoints (SqliteSaver)"

    def detects(self, path: Path) -> bool:
        return any(map(_is_saver, databases(path)))

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        versions: set[int] = set()
        for file in filter(_is_saver, databases_of(reading)):
            with open_database(file, reading) as database:
                versions |= _read(reading, database)
        return reading.snapshot(self.name, f"checkpoint {max(versions)}" if versions else None)


def _is_saver(file: Path) -> bool:
    return set(tables_of(file).get("checkpoints", ())) >= {"thread_id", "checkpoint_id"}


@dataclass(slots=True)
class _Thread:
    """The checkpoints of a thread by id, with their times, and each text with the ids of its first and last one."""

    times: dict[str, Any] = field(default_factory=dict)
    seen: dict[_Said, tuple[str, str]] = field(default_factory=dict)

    def add(self, checkpoint_id: str, time: Any, texts: Iterator[_Said]) -> None:
        self.times[checkpoint_id] = time
        for said in texts:
            first, last = self.seen.get(said, (checkpoint_id, checkpoint_id))
            self.seen[said] = min(first, checkpoint_id), max(last, checkpoint_id)


def _read(reading: Reading, database: Database) -> set[int]:
    threads: dict[tuple[str, str], _Thread] = defaultdict(_Thread)
    versions: set[int] = set()
    for row in database.rows("checkpoints", _COLUMNS):
        state = _decoded(database.path, row["type"], row["checkpoint"])
        if not isinstance(state, dict) or not isinstance(state.get("channel_values"), dict):
            raise WorldUnreadable(
                f"{shown(database.path)}: an unknown version of a checkpoint: it has no channel_values",
                code="snapshot.unknown-version",
            )
        if isinstance(state.get("v"), int):
            versions.add(state["v"])
        # A state repeats most of the one before it, so only its new texts are kept.
        thread = threads[str(row["thread_id"]), str(row["checkpoint_ns"] or "")]
        thread.add(str(row["checkpoint_id"]), state.get("ts"), _texts(state["channel_values"]))
    if max(versions, default=0) > NEWEST:
        reading.note(f"{shown(database.path)}: checkpoint version {max(versions)} is newer than those tried ({NEWEST})")
    for (name, namespace), thread in threads.items():
        _read_thread(reading, f"{name}/{namespace}" if namespace else name, thread)
    _read_writes(reading, database)
    return versions


def _read_thread(reading: Reading, name: str, thread: _Thread) -> None:
    ids = sorted(thread.times)  # they sort by time, as the saver itself sorts them
    following = dict(pairwise(ids))
    live = {said.text for said, (_, last) in thread.seen.items() if last == ids[-1]}
    for said, (first, last) in sorted(thread.seen.items(), key=lambda one: one[1][0]):
        is_live = last == ids[-1]
        if not is_live and said.text in live:
            continue  # the same text, under a new id
        reading.keep(
            stored(
                said.text,
                f"{name}/{said.channel}/{said.own}",
                said.kind,
                created=thread.times[first],
                valid_to=None if is_live else thread.times[following[last]],
                state="live" if is_live else "history",
                speaker=said.speaker,
            )
        )


def _read_writes(reading: Reading, database: Database) -> None:
    """Read the writes of single steps, which stay when the state they led to changes."""
    if "writes" not in database.tables:
        return
    for row in database.rows("writes", ["thread_id", "channel", "type", "value"]):
        if row["value"] is None or row["type"] in (None, "null", "empty"):
            continue
        for said in _texts({str(row["channel"]): _decoded(database.path, row["type"], row["value"])}):
            entry_id = f"{row['thread_id']}/{said.channel}/{said.own}"
            reading.keep_residue(stored(said.text, entry_id, "write", state="residue", speaker=said.speaker))


def _decoded(path: Path, kind: Any, data: Any) -> Any:
    """Return a state as plain data; every other serialization than MessagePack and JSON is refused."""
    if kind == "json":
        value, why = parsed(data.decode("utf-8", "replace") if isinstance(data, bytes) else str(data))
        if why:
            raise WorldUnreadable(f"{shown(path)}: a damaged checkpoint: {why}", code="snapshot.damaged")
        return value
    if kind != "msgpack" or not isinstance(data, bytes):
        raise WorldUnreadable(
            f"{shown(path)}: refused: a checkpoint of type {str(kind)[:40]!r}; msgpack and json are read",
            code="snapshot.refused",
        )
    try:
        return _plain(_unpacked(data), 0)
    except (ValueError, TypeError, msgpack.UnpackException) as error:
        why = str(error) or type(error).__name__
        raise WorldUnreadable(f"{shown(path)}: a damaged checkpoint: {why}", code="snapshot.damaged") from error


def _unpacked(data: bytes) -> Any:
    return msgpack.unpackb(data, strict_map_key=False, unicode_errors="surrogatepass")


def _plain(value: Any, depth: int) -> Any:
    """Replace extension types by their fields, with the class's name under `lc_class`."""
    if depth > _MOST_NESTED:
        raise ValueError(f"objects nested more than {_MOST_NESTED} deep")
    if isinstance(value, dict):
        return {key: _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item, depth + 1) for item in value]
    if isinstance(value, msgpack.Timestamp):
        return None
    if not isinstance(value, msgpack.ExtType):
        return value
    if value.code not in _WITH_FIELDS | _WITH_VALUE:
        return None
    parts = _plain(_unpacked(value.data), depth + 1)
    if not isinstance(parts, list) or len(parts) < 3:
        raise ValueError("an object without module, class and fields")
    if value.code in _WITH_FIELDS and isinstance(parts[2], dict):
        return {**parts[2], "lc_class": parts[1]}
    return parts[2]


def _texts(channels: dict[Any, Any]) -> Iterator[_Said]:
    for name, value in channels.items():
        if not isinstance(name, str) or name.startswith(("__", "branch:")):
            continue
        items = value if isinstance(value, list) else [value]
        for number, item in enumerate(items):
            said = _said(name, str(number), item)
            if said.text:
                yield said


def _said(channel: str, number: str, item: Any) -> _Said:
    if not isinstance(item, dict):
        return _Said(channel, number, item.strip() if isinstance(item, str) else "", "state", None)
    if isinstance(item.get("kwargs"), dict):  # the older JSON form: {"lc": 1, "type": "constructor", "kwargs": …}
        item = item["kwargs"]
    text = first_text(item)
    is_message = "content" in item
    own = item.get("id") if isinstance(item.get("id"), str) else number
    role = item.get("type") if isinstance(item.get("type"), str) else item.get("role")
    speaker = _SPEAKERS.get(role, role) if isinstance(role, str) and is_message else None
    plain = {key: value for key, value in item.items() if key != "lc_class"}
    return _Said(
        channel, str(own), text or ("" if is_message else flat(plain)), "message" if is_message else "state", speaker
    )
