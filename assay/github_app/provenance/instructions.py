"""Version of a repository's agent instructions: a hash over the text of all instruction files."""

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
    """Instruction files of one tree. `version` is 64 hex digits; `texts` maps path to text.

    `unread` lists files over the limits: their content id is part of the version, but they have no text.
    """

    version: str
    texts: Mapping[str, str]
    unread: tuple[str, ...] = field(default=())


def instructions_of(tree: SourceTree) -> Instructions | None:
    """Return the instructions in a tree (usually the pull request's base); None if there are none.

    Reads AGENTS.md and CLAUDE.md outside vendored code, .github/copilot-instructions.md, .github/instructions/**,
    .cursor/rules and .cursorrules. The version is SHA-256 over each path and content, ordered by path and prefixed with
    its length, so different sets of files never hash the same bytes.
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
