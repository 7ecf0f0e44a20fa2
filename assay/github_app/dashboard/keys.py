"""The keys the pages sign and seal with: one for each purpose, out of the App's webhook secret."""

from __future__ import annotations

import hashlib
import secrets


def key_for(purpose: str, secret: str) -> bytes:
    """32 bytes, the same for all processes with the same secret."""
    # Without a secret anybody could sign: then the key is one that nobody has, and the pages stay closed.
    known = f"assay {purpose}\0{secret}".encode() if secret else secrets.token_bytes(32)
    return hashlib.sha256(known).digest()
