"""Updates of existing review notes; a note is never posted a second time."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from assay.github.client import LineNote, Repo
from assay.github.events.model import CommentFacts
from assay.github.publish.markers import FINDING, marker, read_marker
from assay.validators import as_code

MOST_EDITS = 50
"""Chosen limit: edits per publication, as GitHub limits writes."""
_GONE = "✅ No longer found at "


def our_notes(repo: Repo, number: int) -> dict[str, CommentFacts]:
    """Return finding id -> Assay's note about it, the first if there are several."""
    found: dict[str, CommentFacts] = {}
    for comment in repo.review_comments(number):
        read = read_marker(comment.body)
        if read is not None and read[0] == FINDING and repo.us.wrote(comment):
            found.setdefault(read[1], comment)
    return found


def keep_true(
    repo: Repo,
    standing: Mapping[str, CommentFacts],
    wanted: Sequence[LineNote],
    present: Collection[str],
    head_sha: str,
) -> None:
    """Edit outdated notes in `standing` (by finding id) to the texts of `wanted`.

    A note about a finding that is not `present` is marked as resolved.
    """
    for comment, body in list(_edits(standing, wanted, present, head_sha))[:MOST_EDITS]:
        repo.edit_review_comment(comment.id, body)


def _edits(
    standing: Mapping[str, CommentFacts], wanted: Sequence[LineNote], present: Collection[str], head_sha: str
) -> Iterator[tuple[CommentFacts, str]]:
    by_id = {note.finding_id: note for note in wanted}
    for finding_id, comment in standing.items():
        said, note = plain(comment.body), by_id.get(finding_id)
        if note is not None:
            if said not in {plain(body) for body in (note.body, note.body_on_last_line) if body}:
                yield comment, note.body_on_last_line or note.body
        elif finding_id not in present and not said.partition("\n")[2].startswith(_GONE):
            yield comment, f"{marker(FINDING, finding_id)}\n{_GONE}{as_code(head_sha[:7])}."


def plain(body: str) -> str:
    """Normalize a body as GitHub does: line ends and surrounding blanks."""
    return body.replace("\r\n", "\n").strip()
