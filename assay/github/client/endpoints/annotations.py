"""Annotations of a Check Run."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assay.github.client.connection import Connection
from assay.github.client.limits import ANNOTATIONS_PER_REQUEST, MOST_ANNOTATION_BYTES, MOST_TITLE
from assay.github.client.truncate import cut, cut_chars


class Level(StrEnum):
    """Severity of an annotation in GitHub's terms."""

    notice = "notice"
    warning = "warning"
    failure = "failure"


@dataclass(frozen=True, slots=True)
class Annotation:
    """Note on lines of a file in the head (1-based, inclusive). GitHub shows `message` as plain text."""

    path: str
    start_line: int
    end_line: int
    level: Level
    title: str
    message: str

    def body(self) -> dict[str, Any]:
        """Serialize it within GitHub's limits."""
        return {
            "path": self.path,
            "start_line": self.start_line,
            "end_line": max(self.end_line, self.start_line),
            "annotation_level": str(self.level),
            "title": cut_chars(self.title, MOST_TITLE),
            "message": cut(self.message, MOST_ANNOTATION_BYTES),
        }


Key = tuple[str, int, str, str]
"""Identity of an annotation: path, first line, title, message."""


def key_of(data: dict[str, Any]) -> Key:
    """Return the key of an annotation in GitHub's JSON."""
    return str(data.get("path")), int(data.get("start_line") or 0), str(data.get("title")), str(data.get("message"))


def standing(connection: Connection, repository_path: str, check_id: int) -> frozenset[Key]:
    """Return the keys of a Check Run's annotations, which updates append to and never remove."""
    path = f"{repository_path}/check-runs/{check_id}/annotations"
    found = connection.pages(path, "read the annotations of the check run", "checks: read")
    return frozenset(key_of(one) for one in found if isinstance(one, dict))


def batches(annotations: Iterable[Annotation], known: Collection[Key] = ()) -> Sequence[list[dict[str, Any]]]:
    """Return the bodies of new annotations in batches of one request."""
    new: dict[Key, dict[str, Any]] = {}
    for one in annotations:
        body = one.body()
        key = key_of(body)
        if key not in known:
            new.setdefault(key, body)
    bodies = list(new.values())
    return [bodies[at : at + ANNOTATIONS_PER_REQUEST] for at in range(0, len(bodies), ANNOTATIONS_PER_REQUEST)]
