"""Natures of paths by a tree's `.gitattributes` files.

`git check-attr` is not used, since it takes attributes from a commit only since git 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.changes.classify import Nature

MOST_FILES = 100
LARGEST_BYTES = 256 * 1024
LONGEST_PATTERN = 500
MOST_WILDCARDS = 8
"""Maximum wildcards per pattern; with more, matching could take too long for a long path."""

_NATURES = {
    "linguist-generated": Nature.generated,
    "linguist-vendored": Nature.vendored,
    "linguist-documentation": Nature.docs,
}


@dataclass(frozen=True, slots=True)
class _Line:
    """Line with its paths, and for each attribute True (set), False (unset) or None (unspecified)."""

    folder: str
    pattern: re.Pattern[str]
    is_whole_path: bool
    states: dict[Nature, bool | None]

    def matches(self, path: str) -> bool:
        if not path.startswith(self.folder):
            return False
        inner = path[len(self.folder) :]
        return self.pattern.fullmatch(inner if self.is_whole_path else inner.rpartition("/")[2]) is not None


@dataclass(frozen=True, slots=True)
class Attributes:
    """Lines of every `.gitattributes` of a tree, the last and decisive one first."""

    lines: tuple[_Line, ...]

    def states(self, path: str) -> dict[Nature, bool]:
        """Return nature -> whether the attributes set or unset it for this path, without undecided ones."""
        found: dict[Nature, bool | None] = {}
        for line in self.lines:
            if not line.states.keys() <= found.keys() and line.matches(path):
                found = {**line.states, **found}
        return {nature: state for nature, state in found.items() if state is not None}


def attributes_of(tree: SourceTree) -> Attributes:
    """Read the tree's `.gitattributes` files; deeper folders and later lines take precedence, as in git."""
    paths = [path for path in tree.paths if path.rpartition("/")[2] == ".gitattributes"]
    paths.sort(key=lambda path: path.count("/"))
    lines = [
        line
        for path, content in tree.read_many(paths[:MOST_FILES], LARGEST_BYTES)
        for line in _lines(path.removesuffix(".gitattributes"), decoded(content or b""))
    ]
    return Attributes(tuple(reversed(lines)))


def _lines(folder: str, text: str) -> Iterator[_Line]:
    for line in text.split("\n"):
        words = line.split()
        if len(words) < 2 or words[0].startswith(("#", "[attr]", '"', "!")) or len(words[0]) > LONGEST_PATTERN:
            continue
        states = states_of(line)
        pattern = words[0]
        is_bounded = len(_STARS.findall(pattern)) <= MOST_WILDCARDS
        if states and is_bounded and not pattern.endswith("/"):
            yield _Line(folder, _regex(pattern.removeprefix("/")), "/" in pattern, states)


def states_of(line: str) -> dict[Nature, bool | None]:
    """Return the natures a line of a `.gitattributes` file sets (True), unsets (False) or leaves open (None)."""
    return dict(state for word in line.split()[1:] if (state := _state(word)) is not None)


def _state(word: str) -> tuple[Nature, bool | None] | None:
    name, equals, value = word.lstrip("-!").partition("=")
    nature = _NATURES.get(name)
    if nature is None:
        return None
    if word.startswith("!"):
        return nature, None
    return nature, not word.startswith("-") and (not equals or value.lower() not in ("false", "0", "no"))


_STARS = re.compile(r"\*+")
_PART = re.compile(r"/\*\*$|(?:^|(?<=/))\*\*/|\*+|\?|\[!?\]?[^\]/]*\]|\\.|.", re.DOTALL)


def _regex(pattern: str) -> re.Pattern[str]:
    """Return git's wildcard pattern, whose `*` stops at slashes, as a regular expression."""
    parts = []
    for match in _PART.finditer(pattern):
        part = match[0]
        if part == "/**":
            parts.append("/.*")
        elif part == "**/":
            parts.append("(?:.*/)?")
        elif part[0] == "*":
            parts.append("[^/]*")
        elif part == "?":
            parts.append("[^/]")
        elif part[0] == "[" and len(part) > 2:
            inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
            parts.append(f"[{'^' if inner[0] == '!' else ''}{inner.removeprefix('!')}]")
        else:
            parts.append(re.escape(part[-1] if part[0] == "\\" else part))
    try:
        return re.compile("".join(parts), re.DOTALL)
    except re.error:
        return re.compile(re.escape(pattern))
