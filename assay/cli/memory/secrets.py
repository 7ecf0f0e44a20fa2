"""What an agent under examination may not find in us: it runs as the same user, and may look into our process.

A child reads `/proc/PARENT/environ` of whoever began it, so that it is not enough to leave a key out of its own
environment. Three things are done about it, none of which holds against an agent that is root, or may become it:

- the key of the model that grades may be handed to us by a pipe (`ASSAY_MODEL_KEY_FD`) instead of the environment;
- what our environment says of secrets is wiped from the memory that `/proc` shows; `os.environ` still has it;
- on Linux nobody but root may look into our process any more (`PR_SET_DUMPABLE`; see man 2 prctl).
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

from assay.memory_eval import environment_without_secrets

KEY = "ANTHROPIC_API_KEY"
KEY_BY_PIPE = "ASSAY_MODEL_KEY_FD"
MOST_KEY_BYTES = 4096
_PR_SET_DUMPABLE = 4
_ENVIRONMENT_BEGINS, _ENVIRONMENT_ENDS = 49, 50
"""Of /proc/self/stat, from 0; man 5 proc counts from 1."""


def keep_secrets_to_ourselves() -> None:
    """Before the first agent is begun. Does what this system offers, and says nothing where it offers nothing."""
    if sys.platform == "linux":
        _wipe(set(os.environ) - set(environment_without_secrets()))
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _take_key()


def _take_key() -> None:
    """Read the key from its pipe until it is empty, so that nobody else reads it there."""
    number = os.environ.pop(KEY_BY_PIPE, "")
    if not number.isdecimal():
        return
    with os.fdopen(int(number), "rb") as pipe:
        key = pipe.read(MOST_KEY_BYTES).decode("utf-8", "replace").strip()
    if key:
        os.environ[KEY] = key


def _wipe(names: set[str]) -> None:
    """Overwrite these variables where the kernel put them when we were begun."""
    try:
        # A program's name, the second field, may hold spaces and brackets: count from behind it.
        fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
        begin, end = (int(fields[place - 2]) for place in (_ENVIRONMENT_BEGINS, _ENVIRONMENT_ENDS))
        block = ctypes.string_at(begin, end - begin) if 0 < begin < end else b""
    except (OSError, ValueError, IndexError):
        return
    for name in names:
        os.environ[name] = os.environ[name]  # a copy of its own, for programs that ask the C library
    place = begin
    for entry in block.split(b"\0"):
        begun_with, _, value = entry.partition(b"=")
        if os.fsdecode(begun_with) in names:
            ctypes.memset(place + len(begun_with) + 1, 0, len(value))
        place += len(entry) + 1
