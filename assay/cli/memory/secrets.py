"""Protection of this process's secrets from an agent under test, which runs as the same user.

A child process can read `/proc/PARENT/environ`, so removing a key from the child's environment is not enough. Three
measures apply; none protects against an agent that is root or can become root:

- the judge's key can be passed by a pipe (`ASSAY_MODEL_KEY_FD`) instead of the environment;
- secret variables are wiped from the memory that `/proc` shows; `os.environ` keeps them;
- on Linux only root can inspect this process (see `hide_process`).
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from assay.memory_eval import environment_without_secrets, hide_process

KEY = "ANTHROPIC_API_KEY"
KEY_BY_PIPE = "ASSAY_MODEL_KEY_FD"
MOST_KEY_BYTES = 4096
_ENVIRONMENT_BEGINS, _ENVIRONMENT_ENDS = 49, 50
"""Field numbers of env_start and env_end in /proc/self/stat, from 0; man 5 proc counts from 1."""


def keep_secrets_to_ourselves() -> None:
    """Apply the measures this system supports; call it before the first agent starts."""
    if sys.platform == "linux":
        _wipe(set(os.environ) - set(environment_without_secrets()))
    hide_process()
    _take_key()


def _take_key() -> None:
    """Read the key from its pipe to the end, so that no other process can read it."""
    number = os.environ.pop(KEY_BY_PIPE, "")
    if not number.isdecimal():
        return
    with os.fdopen(int(number), "rb") as pipe:
        key = pipe.read(MOST_KEY_BYTES).decode("utf-8", "replace").strip()
    if key:
        os.environ[KEY] = key


def _wipe(names: set[str]) -> None:
    """Overwrite these variables in the environment block that the kernel created at start-up."""
    try:
        # The program's name, the second field, may contain spaces and brackets: count from its end.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        begin, end = (int(fields[place - 2]) for place in (_ENVIRONMENT_BEGINS, _ENVIRONMENT_ENDS))
        block = ctypes.string_at(begin, end - begin) if 0 < begin < end else b""
    except (OSError, ValueError, IndexError):
        return
    for name in names:
        os.environ[name] = os.environ[name]  # stores a separate copy for readers of the C library's environment
    place = begin
    for entry in block.split(b"\0"):
        name_bytes, _, value = entry.partition(b"=")
        if os.fsdecode(name_bytes) in names:
            ctypes.memset(place + len(name_bytes) + 1, 0, len(value))
        place += len(entry) + 1
