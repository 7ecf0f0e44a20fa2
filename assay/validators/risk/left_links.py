"""Links in documents to files that the change moves or deletes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote, unquote

from assay.validators.changes.change import decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages
from assay.validators.report.model import Statement
from assay.validators.risk.signal import Measure, RiskContext

_DOCUMENTS = (".md", ".mdx", ".markdown", ".html", ".htm")
_LINKED = (*_DOCUMENTS, ".rst", ".adoc", ".txt", ".pdf", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".webp")
_LINK = re.compile(
    r"\]\(\s*<?([^\s()<>]{1,300}(?:\([^\s()<>]{0,100}\))?)|^[ \t]{0,3}\[[^\]\n]{1,200}\]:[ \t]*<?(\S{1,300})"
    r"|\b(?:href|src)=[\"']([^\"'\n]{1,300})",
    re.MULTILINE,
)
_ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|#")
MOST_GONE, MOST_READ, MOST_LINKS = 200, 5000, 2000
"""Maximum files that are gone, documents searched, and links of a document."""


class LeftLinksSignal:
    """Signal `left_links`: readers follow a link to a file that is no longer there."""

    name = "left_links"
    answers = None
    covers = languages("markdown", "html")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield the documents of the head that link to a file which this change moves or deletes."""
        head = context.change.head
        moved = {file.base_path for file in context.change.files if file.base_path is not None}
        gone = {path for path in moved if path not in head and path.lower().endswith(_LINKED)}
        if not gone or len(gone) > MOST_GONE:
            return
        stems = {posixpath.basename(path).rpartition(".")[0] for path in gone}
        written = {
            one.encode("utf-8", "surrogateescape") for stem in stems for one in (stem, quote(stem, errors="replace"))
        }
        paths = (path for path in head.paths if path.lower().endswith(_DOCUMENTS))
        kept = (path for path in paths if context.change.nature_of(path) is not Nature.vendored)
        for path, content in head.read_many(islice(kept, MOST_READ)):
            if context.deadline.passed:
                return
            if content is not None and any(stem in content for stem in written):
                yield from _left(path, decoded(content), gone)


def _left(path: str, text: str, gone: set[str]) -> Iterator[Statement]:
    """Yield the links of a document that lead to a file that is gone, with or without its suffix."""
    named = gone | {one.rpartition(".")[0] for one in gone if one.lower().endswith(_DOCUMENTS)}
    at, number = 0, 1
    for match in islice(_LINK.finditer(text), MOST_LINKS):
        target = next(filter(None, match.groups()))
        if _ELSEWHERE.match(target):
            continue
        target = unquote(target.partition("#")[0].partition("?")[0])
        place = posixpath.normpath(posixpath.join(posixpath.dirname(path), target.rstrip("/")))
        if place in named:
            number += text.count("\n", at, match.start(match.lastindex or 0))
            at = match.start(match.lastindex or 0)
            yield Statement("link_left", f"links to {shown(target)}, which is no longer there", path, number)
