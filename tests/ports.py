"""Ports for processes that a test starts, chosen before the process listens."""

from __future__ import annotations

import itertools
import os
import socket

FIRST, NUM = 15_000, 17_000
"""Below the ports of outgoing connections (from 32768 on Linux, 49152 on macOS): another test's connection could take
one of those before the process listens."""
_offsets = itertools.count(os.getpid() * 509)


def free_port() -> int:
    """A port of 127.0.0.1 that is free and was not returned to this process before."""
    for offset in itertools.islice(_offsets, NUM):
        port = FIRST + offset % NUM
        with socket.socket() as one:
            try:
                one.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port
    raise OSError(f"every port from {FIRST} to {FIRST + NUM - 1} is in use")
