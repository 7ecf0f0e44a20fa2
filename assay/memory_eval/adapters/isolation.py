"""Separation between an agent under test and the process that draws and grades the exam."""

from __future__ import annotations

import os
import socket
import sys
from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit


class Isolation(StrEnum):
    """What separates the agent from the exam, from strong to none."""

    remote = "remote"
    """Another machine or container, by its address."""

    other_user = "other user"
    built_in = "built in"
    """Assay's own code in this process: a baseline or a snapshot."""

    same_user = "same user"
    """Weak: another process of this user, started after this one hid itself."""

    server = "server on this machine"
    """A server that ran before, whose user is unknown: one of this user could have opened this process's memory."""

    readable = "same user, readable"
    """The same on a system that cannot keep the agent's process from reading this one."""

    in_process = "in process"
    root = "root"
    """A process of root that can read every other process."""


CAPABILITIES = (16, 17, 19, 21, 38, 39)
"""SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON and BPF (man 7 capabilities): each can read other processes."""


def of_process() -> Isolation:
    """Return the isolation of another process on this machine that may have this process's user."""
    return Isolation.root if os.geteuid() == 0 and _root_reads_all() else Isolation.same_user


def is_here(url: str) -> bool:
    """Return whether an address leads to this machine; True if that is unknown."""
    parts = urlsplit(url)
    try:
        found = socket.getaddrinfo(parts.hostname, parts.port or 80, type=socket.SOCK_DGRAM)
        for family, _, _, _, address in found:
            with socket.socket(family, socket.SOCK_DGRAM) as probe:
                probe.connect(address)  # chooses a route and sends nothing
                if probe.getsockname()[0] == probe.getpeername()[0]:
                    return True
    except OSError:
        return True
    return False


def _root_reads_all() -> bool:
    """Return whether a process of root can read others; in a container it often lacks the capabilities."""
    if sys.platform != "linux":
        return True
    try:
        fields = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text("ascii").splitlines())
        # A program that root starts has whatever the bounding set allows.
        allowed = int(fields["CapBnd"], 16)
    except (OSError, ValueError, KeyError):
        return True
    return any(allowed >> number & 1 for number in CAPABILITIES)
