"""Clones between texts, found by jscpd on an export.

Neither the repository nor the output of jscpd is trusted.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.validators.errors import CouldNotRun
from assay.validators.io import process
from assay.validators.quality.inputs.export import Export, exported
from assay.validators.vcs.trees import read_regular

MIN_LINES, MIN_TOKENS = 8, 70
"""What two places share at least to be duplicates."""
REPORT_LIMIT = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Side:
    """One place of a clone: lines `start` to `end`, 1-based and inclusive."""

    path: str
    start: int
    end: int

    @property
    def size(self) -> int:
        return self.end - self.start + 1


@dataclass(frozen=True, slots=True)
class Clone:
    """Two places with the same tokens, or (`is_renamed`) with the same except for names and literals."""

    one: Side
    other: Side
    num_tokens: int
    is_renamed: bool = False


def clones(files: Sequence[tuple[str, bytes]], timeout_s: float, *, renamed: bool = False) -> list[Clone] | None:
    """Return every clone among these (path, content), None on a timeout; `renamed` ignores names and literals.

    Each group of equal places is reported relative to its first file in the given order: put the changed files first.
    Raises `ProgramMissing` if jscpd is not installed, `CouldNotRun` if it fails.
    """
    if len(files) == 0:
        return []
    with exported(files) as export, tempfile.TemporaryDirectory(prefix="assay-jscpd-") as out:
        done = process.run(
            _command(export, out, renamed=renamed),
            cwd=out,
            env=process.clean_environment({"HOME": out, "XDG_CONFIG_HOME": out, "JSCPD_NO_TIPS": "1", "NO_COLOR": "1"}),
            timeout_s=timeout_s,
            merged=True,
            output_limit=64 * 1024,
        )
        if done.timed_out:
            return None
        report = read_regular(str(Path(out, "jscpd-report.json")), REPORT_LIMIT)
        if report is None:
            words = done.stdout.decode("utf-8", "replace").strip().splitlines()
            raise CouldNotRun(f"jscpd gave no report (exit {done.returncode}): {words[-1] if words else 'no message'}")
        return _read(report, export, renamed)


def _command(export: Export, out: str, *, renamed: bool) -> list[str]:
    # Short blocks with other names are similar by chance.
    tokens = round(MIN_TOKENS * 1.5) if renamed else MIN_TOKENS
    return [
        process.own_program("jscpd"),
        str(export.folder),
        *("--reporters", "json", "--output", out),
        *("--min-lines", str(MIN_LINES), "--min-tokens", str(tokens)),
        *("--mode", "weak", "--max-size", "2mb", "--max-lines", "100000", "--workers", "2"),
        "--cross-formats=js-ts",
        *(("--ignore-identifiers=consistent", "--ignore-literals") if renamed else ()),
        *("--no-gitignore", "--no-tips", "--no-colors", "--silent"),
    ]


def _read(report: bytes, export: Export, renamed: bool) -> list[Clone]:
    try:
        listed = json.loads(report)["duplicates"]
        found = [_clone(each, export, renamed) for each in listed]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise CouldNotRun(f"jscpd's report is not as expected ({type(error).__name__})") from None
    return [clone for clone in found if clone is not None]


def _clone(data: dict[str, Any], export: Export, renamed: bool) -> Clone | None:
    sides = [_side(data[name], export) for name in ("firstFile", "secondFile")]
    if sides[0] is None or sides[1] is None:
        return None
    return Clone(sides[0], sides[1], int(data.get("tokens") or 0), renamed)


def _side(data: dict[str, Any], export: Export) -> Side | None:
    path = export.path_of(data["name"])
    return None if path is None else Side(path, int(data["start"]), int(data["end"]))
