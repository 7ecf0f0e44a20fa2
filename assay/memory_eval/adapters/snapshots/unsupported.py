"""Known stores that cannot be read yet, reported by name instead of read as noise."""

from __future__ import annotations

from pathlib import Path

from assay.memory_eval.adapters.snapshots.reading import read_bytes
from assay.memory_eval.errors import WorldUnreadable

_HEADS = (
    (b"LBUG", "a LadybugDB database"),
    (b"REDIS", "a Redis dump; export its keys as JSON: it"),
    (b"PGDMP", "a PostgreSQL dump in custom format; use plain text: it"),
    (b"LANCE", "a Lance file"),
    (b"PAR1", "a Parquet file"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x80\x04", "a pickle, which is never read and"),
    (b"\x80\x05", "a pickle, which is never read and"),
)
_FILES = (
    ("catalog.kz", "a Kuzu database older than 0.11"),
    ("data.kz", "a Kuzu database older than 0.11"),
    ("chroma.sqlite3", "a damaged Chroma database"),
    ("chroma-collections.parquet", "a Chroma database older than 0.4"),
    ("collection", "a damaged Qdrant store"),
    ("raft_state.json", "the storage of a Qdrant server; export its points as JSON: it"),
    ("index.faiss", "a FAISS index with a pickled docstore"),
    ("_versions", "a LanceDB table"),
)


def store_at(path: Path) -> str | None:
    """Return the name of an unsupported store; None for anything else."""
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
