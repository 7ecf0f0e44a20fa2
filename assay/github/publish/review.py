"""The single review of a head: all notes on lines in one request."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from assay.github.client import LineNote
from assay.github.publish.lines import MOST_NOTES
from assay.github.publish.markers import REVIEW, marker


@dataclass(frozen=True, slots=True)
class ReviewDraft:
    """Candidate notes on lines; `narrowed` keeps those that are new and in GitHub's diff.

    `num_wanted` is the number of findings that should have a note; `notes` has the most severe of them.
    """

    head_sha: str
    notes: tuple[LineNote, ...]
    num_wanted: int

    def narrowed(self, shown: Mapping[str, Collection[int]], said: Collection[str]) -> tuple[LineNote, ...]:
        """Return the notes to send: on lines of the diff, once per finding.

        Args:
            shown: path -> lines of the head in GitHub's diff.
            said: ids of findings that have a note on any head.
        """
        kept: list[LineNote] = []
        for note in self.notes:
            lines = shown.get(note.path, ())
            if note.finding_id in said or note.line not in lines:
                continue
            # If the diff does not show a whole range, the note goes on its last line.
            has_start = note.start_line is None or all(n in lines for n in range(note.start_line, note.line))
            body = note.body if has_start else note.body_on_last_line or note.body
            kept.append(note if has_start else LineNote(note.path, note.line, body, note.finding_id))
        return tuple(kept[:MOST_NOTES])

    def body(self, num_sent: int) -> str:
        """Return the text above the notes."""
        left = self.num_wanted - num_sent
        more = f" {left} more in the report: already noted, or on lines outside this diff." if left else ""
        one = num_sent == 1
        return f"{marker(REVIEW, self.head_sha)}\n{num_sent} finding{'' if one else 's'} in the code.{more}"
