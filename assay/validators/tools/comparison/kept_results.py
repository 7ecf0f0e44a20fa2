"""Cache of the base's command results, for the next change with the same base.

Only passes of the base's own code are cached: a failure may come from the machine, and a head is untrusted about a
base. The key covers all that decides the result, and entries expire after a week.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import shutil
import sys
import time
import uuid
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import Outcome
from assay.validators.tools.commands.command_line import words_of
from assay.validators.tools.execution.attempt import Attempt
from assay.validators.tools.execution.cache_folder import cache_folder
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ended, Task

FORMAT = "3"
MOST_AGE_S = 7 * 24 * 3600.0
MOST_ENTRIES = 500
LARGEST_BYTES = 64 * 1024 * 1024
_FOLDER = "results"


@dataclass(frozen=True, slots=True)
class KeptResults:
    """The cache entry of one command on the base of a change."""

    change: ChangeSet
    config: ValidationConfig
    task: Task

    def read(self) -> Attempt | None:
        """Return the cached result; None if it is missing, expired or damaged."""
        path = self._path()
        try:
            if path is None or time.time() - path.stat().st_mtime > MOST_AGE_S or path.stat().st_size > LARGEST_BYTES:
                return None
            return _attempt(json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, KeyError, TypeError, IndexError):
            return None

    def keep(self, attempt: Attempt) -> None:
        """Cache a pass; other results are run again."""
        path = self._path()
        if path is None or attempt.outcome is not Outcome.passed:
            return
        aside = path.with_name(f"new-{uuid.uuid4().hex}")
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            aside.write_text(json.dumps(_plain(attempt)), "utf-8")
            aside.replace(path)
            _make_room(path.parent)

    def _path(self) -> Path | None:
        folder = None if os.environ.get("ASSAY_NO_CACHE", "") not in ("", "0") else cache_folder()
        return None if folder is None else folder / _FOLDER / f"{self._key()}.json"

    def _key(self) -> str:
        words = started(words_of(self.task.line))
        program = shutil.which(words[0]) if words else None
        parts = (
            FORMAT,
            self.change.merge_base,
            repr(self.task),
            self.config.tier1.model_dump_json(),
            sys.version,
            platform.platform(),
            os.environ.get("PATH", ""),
            f"{program} {os.stat(program).st_mtime}" if program else "",
        )
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:40]


def _plain(attempt: Attempt) -> dict[str, Any]:
    """Return an attempt as JSON can hold it: the names of tests are pairs, which cannot be keys there."""
    tests = [[*test, ended] for test, ended in attempt.reading.tests.items()]
    unnamed = replace(attempt, reading=replace(attempt.reading, tests={}))
    return {"attempt": asdict(unnamed), "tests": tests}


def _attempt(kept: dict[str, Any]) -> Attempt:
    attempt = TypeAdapter(Attempt).validate_python(kept["attempt"])
    tests = {(place, name): Ended(ended) for place, name, ended in kept["tests"]}
    return replace(attempt, reading=replace(attempt.reading, tests=tests))


def _make_room(folder: Path) -> None:
    entries = sorted(folder.glob("*.json"), key=lambda path: path.stat().st_mtime)
    for path in entries[:-MOST_ENTRIES]:
        path.unlink(missing_ok=True)
