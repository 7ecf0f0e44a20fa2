"""The instructions agents find in a repository, as one version: a hash over the real text of all of them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.validators import SourceTree

MOST_FILES = 100
MOST_FILE_BYTES = 256 * 1024
MOST_TEXT_BYTES = 1024 * 1024

_INSTRUCTIONS = re.compile(
    r"(?:.*/)?(?:AGENTS|CLAUDE)\.md"
    r"|\.github/copilot-instructions\.md"
    r"|\.github/instructions/.+\.md"
    r"|\.cursor/rules(?:/.+\.mdc?)?"
    r"|\.cursorrules"
)
_BORROWED = re.compile(r"(?:^|/)(?:node_modules|vendor|third_party|testdata|fixtures)/")


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instruction files of one tree. `version` is 64 hex digits; `texts` maps path to text.

    `unread` are files over the limits: they count in the version by the id of their content, and have no text.
    """

    version: str
    texts: Mapping[str, str]
    unread: tuple[str, ...] = field(default=())


def instructions_of(tree: SourceTree) -> Instructions | None:
    """The instructions in a tree (give it the base of a pull request); None where there are none.

    AGENTS.md and CLAUDE.md anywhere but in borrowed code, .github/copilot-instructions.md, .github/instructions/**,
    .cursor/rules, .cursorrules. The version is SHA-256 over each path and content in order of path, each with its
    length before it, so that no other set of files has the same.
    """
    paths = [path for path in tree.paths if _INSTRUCTIONS.fullmatch(path) and not _BORROWED.search(path)]
    if not paths:
        return None
    digest = hashlib.sha256()
    texts: dict[str, str] = {}
    unread = list(paths[MOST_FILES:])
    room = MOST_TEXT_BYTES
    for path, content in tree.read_many(paths[:MOST_FILES], MOST_FILE_BYTES):
        if content is None or len(content) > room:
            unread.append(path)
            continue
        room -= len(content)
        texts[path] = content.decode("utf-8", "replace")
        _count(digest, path, content)
    for path in unread:
        _count(digest, path, b"unread " + (tree.blob(path) or "").encode())
    return Instructions(digest.hexdigest(), texts, tuple(unread))


def _count(digest: hashlib._Hash, path: str, content: bytes) -> None:
    for part in (path.encode("utf-8", "surrogateescape"), content):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
