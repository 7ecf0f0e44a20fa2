"""A recording of `assay init` on a terminal: an SVG whose lines appear as they did, in a real pseudo-terminal.

Readers who prefer reduced motion get the last frame, and so does a viewer without animations.
"""

from __future__ import annotations

import os
import pty
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.conftest import ROOT
from tests.drawing import COLUMNS, drawn

NAME = "init.svg"
AT = "0018814"
"""The commit whose history is replayed: an old one, so that the recording changes only with the program."""
ARGUMENTS = ("init", "--changes", "5", "--uses", "acme/assay@4f1a2b3c5d6e7f8091a2b3c4d5e6f708192a3b4c")
LEAST_S, MOST_S = 0.12, 2.0
"""Seconds between two lines: never less, so that they can be followed, and never more."""
_STYLE = (
    "@media (prefers-reduced-motion: no-preference) {{\n"
    ".assay-matrix text {{ animation: assay-said 0.01s both; }}\n{delays}\n}}\n"
    "@keyframes assay-said {{ from {{ opacity: 0; }} to {{ opacity: 1; }} }}\n"
)


class Recorded(NamedTuple):
    """What a terminal received, and the second at which each line was complete."""

    output: str
    at_s: list[float]


def record(arguments: tuple[str, ...], folder: Path) -> Recorded:
    """Run `assay` in `folder`, with its output on a pseudo-terminal; progress is on stderr and not recorded."""
    here, there = pty.openpty()
    assay = Path(sys.executable).with_name("assay")
    env = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    began = time.monotonic()
    child = subprocess.Popen((assay, *arguments), cwd=folder, env=env, stdout=there, stderr=subprocess.PIPE)
    os.close(there)
    received, at_s = b"", []
    while part := _read(here):
        received += part
        at_s += [time.monotonic() - began] * part.count(b"\n")
    os.close(here)
    _, said = child.communicate()
    if child.returncode != 0:
        raise SystemExit(f"assay {' '.join(arguments)}: {said.decode().strip()}")
    return Recorded(received.decode("utf-8").replace("\r\n", "\n"), at_s)


def animated(title: str, recorded: Recorded) -> str:
    """Return the SVG of a terminal's output, in which each line appears when it did."""
    svg = drawn("", f"\x1b[1m{title}\x1b[0m\n{recorded.output}")
    shown, before, said_before = [0.0], 0.0, 0.0
    for at in recorded.at_s:
        before += min(MOST_S, max(LEAST_S, at - said_before))
        said_before = at
        shown.append(before)
    delays = "\n".join(
        f'.assay-matrix text[clip-path="url(#assay-line-{line})"] {{ animation-delay: {at:.2f}s; }}'
        for line, at in enumerate(shown)
    )
    return svg.replace("</style>", _STYLE.format(delays=delays) + "</style>", 1)


def take(folder: Path) -> Path:
    """Record `assay init` in a clone of this repository; write the SVG into `folder` and return its path."""
    with tempfile.TemporaryDirectory(prefix="assay-recording-") as scratch:
        clone = Path(scratch) / "assay"
        for words in (
            ("clone", "--quiet", str(ROOT), str(clone)),
            ("-C", str(clone), "checkout", "--quiet", "-B", "main", AT),
        ):
            subprocess.run(("git", *words), check=True)
        # As before Assay: without its workflows.
        for name in ("assay", "assay-report"):
            (clone / f".github/workflows/{name}.yml").unlink(missing_ok=True)
        recorded = record(ARGUMENTS, clone)
    path = folder / NAME
    path.write_text(animated(f"$ assay {' '.join(ARGUMENTS)}", recorded), "utf-8")
    return path


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed
        return b""
