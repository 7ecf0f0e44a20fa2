"""Natures of paths by a tree's `.gitattributes` files.

`git check-attr` is not used, since it takes attributes from a commit only since git 2.40.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

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


class _Line(NamedTuple):
    """Line with its paths below a folder, and True (set), False (unset) or None (unspecified) by nature."""

    folder: str
    pattern: re.Pattern[str]
    states: dict[Nature, bool | None]

    def matches(self, path: str) -> bool:
        match = self.pattern.match(path.removeprefix(self.folder)) if path.startswith(self.folder) else None
        # Unlike in a `.gitignore`, a folder's name says nothing about the files below it.
        return match is not None and match.groupdict().get("ps_d") is None


def attributes_of(tree: SourceTree) -> Callable[[str], dict[Nature, bool]]:
    """Return a function from a path to what the tree's `.gitattributes` files set or unset.

    Deeper folders and later lines take precedence, as in git.
    """
    paths = [path for path in tree.paths if path.rpartition("/")[2] == ".gitattributes"]
    paths.sort(key=lambda path: path.count("/"))
    lines = [
        line
        for path, content in tree.read_many(paths[:MOST_FILES], LARGEST_BYTES)
        for line in _lines(path.removesuffix(".gitattributes"), decoded(content or b""))
    ]

    def states(path: str) -> dict[Nature, bool]:
        found = {nature: state for line in lines if line.matches(path) for nature, state in line.states.items()}
        return {nature: state for nature, state in found.items() if state is not None}

    return states


def _lines(folder: str, text: str) -> Iterator[_Line]:
    for line in text.split("\n"):
        pattern, *_ = line.split() or ("",)
        states = states_of(line)
        is_bounded = len(pattern) <= LONGEST_PATTERN and len(re.findall(r"\*+", pattern)) <= MOST_WILDCARDS
        if not states or not is_bounded or pattern.startswith(("#", "[attr]", '"', "!")):
            continue
        try:
            regex, _ = GitIgnoreSpecPattern.pattern_to_regex(pattern)
        except ValueError:
            continue
        if regex is not None:
            yield _Line(folder, re.compile(regex), states)


def states_of(line: str) -> dict[Nature, bool | None]:
    """Return the natures a line of a `.gitattributes` file sets (True), unsets (False) or leaves open (None)."""
    found: dict[Nature, bool | None] = {}
    for word in line.split()[1:]:
        name, equals, value = word.lstrip("-!").partition("=")
        if name in _NATURES:
            is_set = word[0] != "-" and (not equals or value.lower() not in ("false", "0", "no"))
            found[_NATURES[name]] = None if word[0] == "!" else is_set
    return found
