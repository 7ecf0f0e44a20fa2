"""The one review of a head: all its notes on lines in one request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.github.client import LineNote
from assay.github.publish.lines import MOST_NOTES
from assay.github.publish.markers import REVIEW, marker


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """What could be said beside lines; what of it is new, and stands in GitHub's diff, is settled when it is sent.

    `num_wanted` counts the findings that should have a note, of which `notes` holds the worst.
    """

    head_sha: str
    notes: tuple[LineNote, ...]
    num_wanted: int

    def narrowed(self, shown: Mapping[str, Collection[int]], said: Collection[str]) -> tuple[LineNote, ...]:
        """The notes that can and should be sent: on lines of the diff, never twice for one finding.

        Args:
            shown: path -> lines of the head that GitHub's diff shows.
            said: ids of findings that have a note already, on whichever head.
        """
        kept: list[LineNote] = []
        for note in self.notes:
            lines = shown.get(note.path, ())
            if note.finding_id in said or note.line not in lines:
                continue
            # A range may reach out of what the diff shows; its end then has to do.
            has_start = note.start_line is None or all(n in lines for n in range(note.start_line, note.line))
            body = note.body if has_start else note.body_on_last_line or note.body
            kept.append(note if has_start else LineNote(note.path, note.line, body, note.finding_id))
        return tuple(kept[:MOST_NOTES])

    def body(self, num_sent: int) -> str:
        """The words above the notes."""
        left = self.num_wanted - num_sent
        more = f" {left} more: said before, or about lines this diff does not show; see the report." if left else ""
        one = num_sent == 1
        return f"{marker(REVIEW, self.head_sha)}\n{num_sent} finding{'' if one else 's'} beside the code.{more}"
