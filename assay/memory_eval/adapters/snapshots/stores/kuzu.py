"""Graphiti on Kuzu, by the `kuzu` package in a process that is killed when it takes too long."""

from __future__ import annotations

import importlib.util
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.child.child_process import Child, environment_without_secrets
from assay.memory_eval.adapters.snapshots.decoding.plain_copy import copied
from assay.memory_eval.adapters.snapshots.reading import Reading, begins_with, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot
from assay.memory_eval.adapters.snapshots.stores.graph_facts import episode_entries, fact_entries, summary_entries
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, WorldUnreadable

MAGIC = b"KUZU"
MOST_GRAPH_BYTES = 512 * 2**20
MOST_SECONDS = 60.0
ROWS = 500
"""Rows of one reply."""

_CHILD = "assay.memory_eval.adapters.snapshots.decoding.kuzu_child"
_WANTED = ("facts", "episodes", "entities", "communities")


class Kuzu:
    """Reader of a one-file Kuzu database with Graphiti's tables, as Kuzu 0.11 writes it."""

    name = "kuzu"
    title = "Graphiti on Kuzu (extra `kuzu`)"

    def detects(self, path: Path) -> bool:
        return not path.is_dir() and begins_with(path, MAGIC)

    def read(self, path: Path) -> Snapshot:
        if importlib.util.find_spec("kuzu") is None:
            raise WorldUnreadable(
                f"{shown(path)}: a Kuzu database needs the package kuzu: install Assay with its `kuzu` extra",
                code="snapshot.extra",
            )
        reading = Reading(path)
        with tempfile.TemporaryDirectory(prefix="assay-memory-") as folder:
            copy = Path(folder) / "graph.kuzu"
            for suffix in ("", ".wal"):
                source = path.with_name(path.name + suffix)
                if os.path.lexists(source):
                    # Even a read-only Kuzu locks the file it opens.
                    reading.num_bytes += copied(source, copy.with_name(copy.name + suffix), MOST_GRAPH_BYTES)
            version = _read(reading, path, copy)
        return reading.snapshot(self.name, version)


def _read(reading: Reading, path: Path, copy: Path) -> str | None:
    try:
        child = Child((sys.executable, "-P", "-m", _CHILD), env=environment_without_secrets())
        try:
            begun = child.ask({"open": str(copy)}, MOST_SECONDS)
            if "error" in begun:
                why = shown(Path(str(begun["error"]).replace(str(copy), path.name)))
                raise WorldUnreadable(
                    f"{shown(path)}: a damaged Kuzu database, or one of another version ({why})",
                    code="snapshot.damaged",
                )
            for wanted in _WANTED:
                for row in _rows(child, path, wanted):
                    _keep(reading, wanted, row)
        finally:
            child.kill()
    except (AgentFailed, AgentCallFailed) as error:
        raise WorldUnreadable(
            f"{shown(path)}: a damaged Kuzu database, or one of another version", code="snapshot.damaged"
        ) from error
    version = begun.get("version")
    return str(version)[:40] if version else None


def _rows(child: Child, path: Path, wanted: str) -> Iterator[dict[str, Any]]:
    skipped = 0
    while True:
        reply = child.ask({"rows": wanted, "skip": skipped, "most": ROWS}, MOST_SECONDS)
        rows = reply.get("rows")
        if not isinstance(rows, list):
            why = shown(Path(str(reply.get("error", "no rows"))))
            raise WorldUnreadable(
                f"{shown(path)}: an unknown version of Graphiti's tables: {why}", code="snapshot.unknown-version"
            )
        yield from (row for row in rows if isinstance(row, dict))
        skipped += len(rows)
        if len(rows) < ROWS:
            return


def _keep(reading: Reading, wanted: str, row: dict[str, Any]) -> None:
    if wanted == "facts":
        reading.keep(fact_entries(row, row.get("about")))
    elif wanted == "episodes":
        reading.keep(episode_entries(row))
    else:
        reading.keep(summary_entries(row))
