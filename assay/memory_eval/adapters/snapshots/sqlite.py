"""Any SQLite database, by a mapping in YAML that names the table and its columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.memory_eval.adapters.snapshots.reading import Reading, decoded, read_bytes, shown
from assay.memory_eval.adapters.snapshots.snapshot import Snapshot, State, moment_of
from assay.memory_eval.adapters.snapshots.sqlite_file import is_database, open_database
from assay.memory_eval.adapters.snapshots.stored import state_until, stored
from assay.memory_eval.errors import WorldUnreadable

MOST_MAPPING_BYTES = 65_536
_REQUIRED = ("table", "text")
_OPTIONAL = ("id", "created", "updated", "valid_to", "deleted", "about", "speaker")
_MOST_TABLES = 8


@dataclass(frozen=True, slots=True)
class Mapping:
    """Table and column names. A row is history if `deleted` is set in it, or from the time in `valid_to` on."""

    table: str
    text: str
    columns: dict[str, str]


class Sqlite:
    """Reader of one SQLite file by a mapping; without one it names the tables and refuses."""

    name = "sqlite"
    title = "any SQLite database with --mapping"

    def __init__(self, mapping: Mapping | None = None) -> None:
        self._mapping = mapping

    def detects(self, path: Path) -> bool:
        return not path.is_dir() and is_database(path)

    def read(self, path: Path) -> Snapshot:
        reading = Reading(path)
        with open_database(path, reading) as database:
            mapping = self._mapping
            if mapping is None:
                names = ", ".join(sorted(database.tables)[:_MOST_TABLES]) or "none"
                raise WorldUnreadable(
                    f"{shown(path)}: an unknown SQLite database (tables: {_visible(names)}); add --mapping",
                    code="snapshot.unknown-format",
                )
            taken = list(dict.fromkeys([mapping.text, *mapping.columns.values()]))
            for number, row in enumerate(database.rows(mapping.table, taken), start=1):
                self._keep(reading, mapping, number, dict(zip(taken, row, strict=True)))
        return reading.snapshot(self.name)

    @staticmethod
    def _keep(reading: Reading, mapping: Mapping, number: int, row: dict[str, Any]) -> None:
        value = {name: row[column] for name, column in mapping.columns.items()}
        text = row[mapping.text]
        text = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
        if not isinstance(text, str):
            reading.leave(reading.root, number, "a row whose text is not a text")
            return
        ended = moment_of(value.get("valid_to"))
        is_over = bool(value.get("deleted") or (value.get("valid_to") and ended is None))
        state: State = "history" if is_over else state_until(ended)
        times: dict[str, Any] = {name: value.get(name) for name in ("created", "updated", "valid_to")}
        entry_id = str(value["id"]) if value.get("id") is not None else f"{mapping.table}:{number}"
        said = {"about": value.get("about"), "speaker": value.get("speaker"), "state": state, **times}
        reading.keep(stored(text, entry_id, "row", ends_by_itself=not is_over, **said))


def mapping_from(path: Path) -> Mapping:
    """Read a mapping: `table` and `text`, and optionally the columns of id, times, deletion, subject and speaker.

    Raises:
        WorldUnreadable: not YAML, an unknown key, or a missing one.
    """
    import yaml  # slow to import, and only this reader needs it

    data = read_bytes(path, MOST_MAPPING_BYTES + 1)
    text, _ = decoded(data)
    try:
        found = yaml.safe_load(text) if len(data) <= MOST_MAPPING_BYTES and "&" not in text else None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise WorldUnreadable(f"{shown(path)}: not YAML ({type(error).__name__})", code="snapshot.mapping") from error
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise WorldUnreadable(f"{shown(path)}: expected names of a table and its columns", code="snapshot.mapping")
    missing = [key for key in _REQUIRED if key not in found]
    unknown = [str(key) for key in found if key not in (*_REQUIRED, *_OPTIONAL)]
    if missing or unknown:
        what = f"missing {', '.join(missing)}" if missing else f"unknown key {_visible(unknown[0])}"
        raise WorldUnreadable(
            f"{shown(path)}: {what}; keys: {', '.join((*_REQUIRED, *_OPTIONAL))}", code="snapshot.mapping"
        )
    return Mapping(found["table"], found["text"], {key: found[key] for key in _OPTIONAL if key in found})


def _visible(text: str) -> str:
    return shown(Path(text))
