"""Commitment to a secret exam, published before the first turn and checked against the salt in the report.

It fixes the exam: no other one can be drawn once answers are known.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from assay.memory_eval.world.world import WORLD_VERSION

SALT_BYTES = 16
_DOMAIN = b"assay memory exam 1"
_PACKAGES = ("assay.memory_eval.world", "assay.memory_eval.questions.composing")
"""Packages with the templates and word lists that an exam is drawn from."""


def new_salt() -> bytes:
    """Draw the salt of one exam."""
    return secrets.token_bytes(SALT_BYTES)


def commitment_of(salt: bytes, options: Mapping[str, object], pack: str) -> str:
    """Return the SHA-256 over salt, options, world version and pack, in hexadecimal."""
    digest = hashlib.sha256()
    written = json.dumps(options, sort_keys=True, separators=(",", ":")).encode()
    for part in (_DOMAIN, salt, written, WORLD_VERSION.encode(), pack.encode()):
        # Lengths keep a byte from moving from one part to the next.
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()


@cache
def pack_hash() -> str:
    """Return the SHA-256 over all templates and word lists, in hexadecimal."""
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for name, data in sorted(_texts(files(package), package)):
            digest.update(len(name).to_bytes(8) + name.encode() + len(data).to_bytes(8) + data)
    return digest.hexdigest()


def _texts(folder: Traversable, path: str) -> Iterator[tuple[str, bytes]]:
    for entry in folder.iterdir():
        name = f"{path}/{entry.name}"
        if entry.is_dir():
            yield from _texts(entry, name)
        elif entry.name.endswith(".json"):
            yield name, entry.read_bytes()
