"""Commitment to a secret exam, published before the first turn and checked against the salt in the report.

It fixes the exam: no other one can be drawn once answers are known.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping

from assay.memory_eval.world.world import WORLD_VERSION

SALT_BYTES = 16
_DOMAIN = b"assay memory exam 1"


def new_salt() -> bytes:
    """Draw the salt of one exam."""
    return secrets.token_bytes(SALT_BYTES)


def commitment_of(salt: bytes, options: Mapping[str, object]) -> str:
    """Return the SHA-256 over salt, options and world version, in hexadecimal."""
    digest = hashlib.sha256()
    written = json.dumps(options, sort_keys=True, separators=(",", ":")).encode()
    for part in (_DOMAIN, salt, written, WORLD_VERSION.encode()):
        # Lengths keep a byte from moving from one part to the next.
        digest.update(len(part).to_bytes(8) + part)
    return digest.hexdigest()
