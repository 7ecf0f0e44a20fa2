"""Keys for signing and sealing, derived from the App's webhook secret, one per purpose."""

from __future__ import annotations

import hashlib
import secrets


def key_for(purpose: str, secret: str) -> bytes:
    """Derive 32 bytes, equal in all processes with the same secret."""
    # Without a secret, anyone could sign: use a random key, so that no link or session is valid.
    known = f"assay {purpose}\0{secret}".encode() if secret else secrets.token_bytes(32)
    return hashlib.sha256(known).digest()
