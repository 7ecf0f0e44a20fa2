"""Which addresses are this machine, and which may get a credential."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit


def is_confidential(url: str) -> bool:
    """Return whether a credential may be sent to this URL: by https, or to this machine; without a user in the URL."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not host or parts.username or parts.password or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def is_loopback(host: str | None) -> bool:
    """Return whether a host name is this machine."""
    if host == "localhost":
        return True
    try:
        return host is not None and ip_address(host).is_loopback
    except ValueError:
        return False
