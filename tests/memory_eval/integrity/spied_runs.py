"""Runs of the command with the spying agent, as a user that cannot read every process."""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import ROOT

SPY = Path(__file__).with_name("spying_agent.py")
_PR_CAPBSET_DROP = 24
CAPABILITIES = (16, 17, 19, 21, 38, 39)
"""SYS_MODULE, SYS_RAWIO, SYS_PTRACE, SYS_ADMIN, PERFMON and BPF (man 7 capabilities): each can read other processes."""


@dataclass(frozen=True)
class Spied:
    """What a run printed, its report, and what its agent could read while it was asked."""

    stdout: str
    report: dict[str, Any]
    read: list[str]
    files: dict[str, str]
    num_fds: int
    can_gain: bool
    """Whether it could become another user, for example by sudo."""


def spied(folder: Path, *more: str, num_turns: int = 100, num_questions: int = 40) -> Spied:
    """Run `assay memory run` with the spying agent, and the options `more`."""
    out, log = folder / "out", folder / "log.json"
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "RUN": str(out),
        "LOG": str(log),
        "TMPDIR": str(folder),
        "TURNS": str(num_turns),
        "QUESTIONS": str(num_questions),
    }
    size = ["--turns", str(num_turns), "--questions", str(num_questions)]
    agent = ["--adapter", f"subprocess:{sys.executable} {SPY}", "--output-dir", str(out)]
    done = subprocess.run(
        [sys.executable, "-m", "assay.memory_eval", *size, *agent, *more],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
        preexec_fn=None if os.geteuid() else _as_in_a_container,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(log.read_text("utf-8"))
    report = json.loads((out / "report.json").read_text("utf-8"))
    return Spied(done.stdout, report, seen["read"], seen["files"], seen["num_fds"], seen["can_gain"])


def _as_in_a_container() -> None:
    """Drop what lets root read other processes; tests may run as root, and then no other user can run this Python."""
    libc = ctypes.CDLL(None)
    for number in CAPABILITIES:
        libc.prctl(_PR_CAPBSET_DROP, number, 0, 0, 0)
