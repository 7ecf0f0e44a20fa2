"""Known stores that cannot be read, reported by name and with the way around instead of read as noise."""

from __future__ import annotations

from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import read_bytes
from assay.memory_eval.errors import WorldUnreadable

_OLD_KUZU = "a Kuzu database older than 0.11 (export it with that version)"
_HEADS = (
    (b"LBUG", "a LadybugDB database (export Graphiti's nodes and edges as JSON)"),
    (b"PAR1", "a Parquet file (export it as JSON lines)"),
    (b"REDIS", "a Redis dump (export its keys as JSON)"),
    (b"PGDMP", "a PostgreSQL dump in custom format (use pg_dump --format=plain)"),
    (b"PK\x03\x04", "a zip archive (unpack it)"),
    (b"\x1f\x8b", "a gzip archive (unpack it)"),
    (b"\x80\x02", "a pickle (it is a program, which is never run)"),
    (b"\x80\x03", "a pickle (it is a program, which is never run)"),
    (b"\x80\x04", "a pickle (it is a program, which is never run)"),
    (b"\x80\x05", "a pickle (it is a program, which is never run)"),
)
_FILES = (
    ("catalog.kz", _OLD_KUZU),
    ("data.kz", _OLD_KUZU),
    ("chroma.sqlite3", "a damaged Chroma database"),
    ("chroma-collections.parquet", "a Chroma database older than 0.4 (migrate it)"),
    ("collection", "a damaged Qdrant store"),
    ("raft_state.json", "the storage of a Qdrant server (export its points as JSON lines)"),
    ("index.faiss", "a FAISS index, whose texts are pickled (export its documents as JSON lines)"),
    ("_versions", "a LanceDB table (export it as JSON lines)"),
    ("data.mdb", "an LMDB database (export it as JSON lines)"),
)


def store_at(path: Path) -> str | None:
    """Return the name of a store that cannot be read, and what to do instead; None for anything else."""
    if path.suffix.lower() == ".af":
        return "a damaged Letta agent file"
    if path.is_dir():
        return next((store for name, store in _FILES if _is_there(path, name)), None)
    try:
        head = read_bytes(path, 64)
    except WorldUnreadable:
        return None
    return next((store for mark, store in _HEADS if head.startswith(mark)), None)


def _is_there(folder: Path, name: str) -> bool:
    # Qdrant keeps a folder of collections next to its metadata; "collection" alone is not specific.
    if name == "collection":
        return (folder / name).is_dir() and (folder / "meta.json").is_file()
    return (folder / name).exists()
