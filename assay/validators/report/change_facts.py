"""What a report says of the change itself: its files, and the agent that probably wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from typing_extensions import TypedDict  # pydantic does not read that of `typing` before Python 3.12

from assay.validators.changes.change import FileKind, FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.report.annotations import Count, Path, Range, Share, only
from assay.validators.report.unknown import Question


class FileEntry(TypedDict):
    """Changed file.

    `claimed` is a nature that only the change claims; `added_lines` and `removed_lines` are the first and last line of
    each place in the head and in the base; `asked` are the questions that apply to it, `unknown` those without an
    answer.
    """

    path: Path
    base_path: Path | None
    status: FileStatus
    kind: FileKind
    nature: Nature
    claimed: Annotated[Nature, only(Nature.test, Nature.docs, Nature.generated, Nature.vendored)] | None
    added: Count
    removed: Count
    added_lines: list[Range]
    removed_lines: list[Range]
    language: str
    asked: list[Question]
    unknown: list[Question]


@dataclass(frozen=True, slots=True)
class AgentGuess:
    """Guess of the agent that wrote the change; statistics, never authorisation."""

    name: str = "unknown"
    confidence: Share = 0.0
    signals: tuple[str, ...] = ()
