"""Measurement of the functions of many files in one child process, which may fail safely."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from assay.validators.changes.language_table import is_in, language_of, languages
from assay.validators.io import process
from assay.validators.languages.functions.function import Function

MEASURED = languages(
    *"python javascript jsx typescript tsx vue svelte go rust java kotlin scala c cpp csharp ruby php swift".split(),
    *("lua", "c-header", "objective-c"),
)
_ANSWER = TypeAdapter(tuple[Function, ...] | str)
_SCRIPT = re.compile(r"<script\b([^>]{0,300})>(.*?)(?:</script\s*>|\Z)", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Measured:
    """Result for one source: its functions, or why there are none."""

    functions: tuple[Function, ...] = ()
    why_not: str | None = None


def can_measure(path: str) -> bool:
    """Return whether functions can be measured in a file of this name."""
    return is_in(path, MEASURED)


def measure(sources: Sequence[tuple[str, str]], timeout_s: float) -> list[Measured]:
    """Return the functions of each (path, text), in order, within `timeout_s`; unread files have the reason.

    Raises `ProgramMissing` if Python itself cannot be started.
    """
    if not sources:
        return []
    done = process.run(
        process.own_python("assay.validators.languages.functions.child"),
        cwd="/",
        env=process.clean_environment({"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}),
        timeout_s=timeout_s,
        stdin="".join(f"{json.dumps(_wanted(path, text))}\n" for path, text in sources).encode(),
        output_limit=256 * 1024 * 1024,
    )
    missing = "the tier ran out of time" if done.timed_out else "the measuring process ended before it"
    found: list[Measured] = []
    for line in done.stdout.splitlines():
        try:
            answer = _ANSWER.validate_json(line)
        except ValidationError:  # cut off by a timeout or a crash
            break
        found.append(Measured(why_not=answer) if isinstance(answer, str) else Measured(answer))
    return found + [Measured(why_not=missing)] * (len(sources) - len(found))


def _wanted(path: str, text: str) -> tuple[str, str]:
    language = language_of(path)
    if language is not None and language.embeds:
        return "typescript", _scripts_only(text)
    return language.key if language is not None else "", text.encode("utf-8", "replace").decode()


def _scripts_only(text: str) -> str:
    """Return a component file with only its scripts, other lines blanked to keep line numbers."""
    kept = []
    at = 0
    for match in _SCRIPT.finditer(text):
        kept.append("\n" * text.count("\n", at, match.start(2)) + match[2])
        at = match.end(2)
    return "".join(kept)
