"""Cache of scanned source files between runs."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from functools import cache
from pathlib import Path

from assay.validators import languages
from assay.validators.graph.kept_facts import KeptFacts
from assay.validators.io.row_cache import RowCache, Table, cache_file, version_of
from assay.validators.languages.language import Import, Scan

SCANS = Table("scans", ("found",), 200_000)
"""About 40 MB."""
FACTS = Table("facts", ("words", "members", "packed"), 20_000)
"""About 60 MB."""

Key = tuple[str, str]
"""(dialect, git's object id of the content)."""


def default_cache() -> ScanCache | None:
    """Return the user's cache; None if there is none."""
    path = cache_file("imports.sqlite")
    return None if path is None else ScanCache(path)


@cache
def _version() -> int:
    return version_of(*languages.__path__)


class ScanCache:
    """Scans and facts by (dialect, object id of the content), in a file that may not exist yet."""

    def __init__(self, path: Path) -> None:
        self.rows = RowCache(path, _version(), SCANS, FACTS)

    def load(self, keys: Collection[Key]) -> dict[Key, Scan]:
        """Return the cached scans of these keys; empty if the file cannot be read."""
        rows = self.rows.load(SCANS, [" ".join(key) for key in keys])
        scans = ((key, _scan(rows[" ".join(key)][0])) for key in keys if " ".join(key) in rows)
        return {key: scan for key, scan in scans if scan is not None}

    def save(self, scans: Mapping[Key, Scan]) -> None:
        """Add these scans, if the file can be written."""
        self.rows.save(SCANS, {" ".join(key): (_text(scan),) for key, scan in scans.items()})

    def load_facts(self, keys: Collection[Key]) -> dict[Key, KeptFacts]:
        """Return the cached facts of these keys; empty if the file cannot be read."""
        rows = self.rows.load(FACTS, [" ".join(key) for key in keys])
        return {key: KeptFacts(*rows[" ".join(key)]) for key in keys if " ".join(key) in rows}

    def save_facts(self, facts: Mapping[Key, KeptFacts]) -> None:
        """Add these facts, if the file can be written."""
        self.rows.save(FACTS, {" ".join(key): (one.words, one.members, one.packed) for key, one in facts.items()})


def _text(scan: Scan) -> str:
    return json.dumps(scan, separators=(",", ":"))


def _scan(text: object) -> Scan | None:
    """Return a scan from its cached text; None if the text is invalid."""
    try:
        imports, is_script, moves_path, namespace, declares, mentions, parents = json.loads(str(text))
        items = (
            Import(line, target, tuple((name, local) for name, local in names), *rest)
            for line, target, names, *rest in imports
        )
        pairs = tuple((name, parent) for name, parent in parents)
        return Scan(tuple(items), is_script, moves_path, namespace, tuple(declares), tuple(mentions), pairs)
    except (ValueError, TypeError, RecursionError):
        return None
