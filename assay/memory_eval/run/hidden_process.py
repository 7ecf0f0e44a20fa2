"""Protection of this process's memory from other processes of the same user."""

from __future__ import annotations

import ctypes
import resource
import sys

_PR_SET_DUMPABLE = 4


def hide_process() -> None:
    """Keep other processes of this user from reading this one, where the system can.

    On Linux only root can then read `/proc/PID/environ`, `maps`, `mem`, `fd` and `cwd` or attach a debugger (man 2
    prctl, PR_SET_DUMPABLE). A program started by exec is dumpable again, so each process calls this itself. A core dump
    would write the memory to a file. Both last until this process ends.
    """
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
