"""Both trees of a change, as lines: the texts against which quotes are checked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field

from assay.validators.changes.change import SOURCE_LIMIT, ChangeSet, decoded, lines_of
from assay.validators.quality.inputs.definitions import definitions
from assay.validators.report.review import Side
from assay.validators.review.claims import Place
from assay.validators.review.quotes import spans, word_spans

MOST_KEPT = 400
"""Maximum files kept as lines; a review reads few, and a model may name many."""


@dataclass
class Trees:
    """Reader of both trees; keeps the lines of the files it has read."""

    change: ChangeSet
    _kept: dict[tuple[Side, str], list[str] | None] = field(default_factory=dict)

    def lines(self, side: Side, path: str) -> list[str] | None:
        """Return the lines of a file; None if it is absent, a link, binary or over 1 MB."""
        key = (side, path)
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            tree = self.change.base if side is Side.base else self.change.head
            content = tree.read(path, SOURCE_LIMIT)
            self._kept[key] = None if content is None or b"\0" in content else lines_of(decoded(content))
        return self._kept[key]

    def places(self, side: Side, path: str, quote: str) -> list[Place]:
        """Return every place of a quote in a file."""
        lines = self.lines(side, path)
        found = () if lines is None else spans(lines, quote)
        return [Place(side, path, start, end, "\n".join((lines or [])[start - 1 : end])) for start, end in found]

    def places_of_words(self, side: Side, path: str, words: str) -> list[Place]:
        """Return every place of lines with these words, whatever their white space."""
        lines = self.lines(side, path) or []
        found = word_spans(lines, words)
        return [Place(side, path, start, end, "\n".join(lines[start - 1 : end])) for start, end in found]

    def state_of(self, paths: Iterable[str]) -> str:
        """Return a digest of the contents of files on the head."""
        digest = hashlib.sha256()
        for path in sorted(set(paths)):
            lines = self.lines(Side.head, path)
            text = "\0".join([path, "absent"] if lines is None else [path, "\n".join(lines)])
            digest.update(f"{len(text)}\0{text}".encode("utf-8", "surrogatepass"))
        return digest.hexdigest()[:16]

    def is_changed(self, place: Place) -> bool:
        """Return whether the change adds a line of a head place, or removes a line of a base place."""
        for file in self.change.files:
            path = file.path if place.side is Side.head else file.base_path
            if path == place.path:
                changed = file.added if place.side is Side.head else file.removed
                return any(line in changed for line in range(place.start, place.end + 1))
        return False

    def symbol_at(self, place: Place) -> str:
        """Return the name of the innermost definition that encloses a place; "" if there is none."""
        found = definitions(place.path, "\n".join(self.lines(place.side, place.path) or []))
        return next((one.name for one in reversed(found) if one.line <= place.start <= one.end_line), "")
