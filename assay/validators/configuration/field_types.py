"""What a value of the configuration must be besides its type: a pattern that compiles, a place in the repository, …

Each check gives the value back, or raises `ValueError` with what is wrong in words for whoever wrote it.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable

from pathspec import GitIgnoreSpec

_REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}@[^\s:@~^?*\[\\]{1,200}:[^\s:]{1,500}")

_MENTION = re.compile(r"@[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?")


def a_pattern(text: str) -> str:
    """A regular expression that Python compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except (RecursionError, OverflowError):
        raise ValueError("a regular expression too deep or too large to compile") from None
    return text


def a_place(text: str) -> str:
    """A path pattern that can match something of the repository, as .gitignore reads patterns."""
    if not text.strip() or text.startswith("#"):
        raise ValueError("matches nothing: .gitignore reads it as a blank line or a comment")
    if any(not char.isprintable() for char in text):
        raise ValueError("holds a character that cannot be seen")
    if ".." in text.split("/"):
        raise ValueError("`..` leads out of the repository; patterns are relative to its top")
    try:
        GitIgnoreSpec.from_lines([text])
    except (ValueError, re.error):
        raise ValueError("not a path pattern as .gitignore has them") from None
    return text


def inside_the_repository(text: str) -> str:
    """A path relative to the repository that stays in it."""
    if text.startswith(("/", "~")) or ".." in text.split("/") or "\\" in text:
        raise ValueError("should be a path relative to the repository, with `/`, that stays inside it")
    return text


def a_reference(text: str) -> str:
    """`owner/repo@ref:path` of a configuration in another repository."""
    if not _REFERENCE.fullmatch(text) or ".." in re.split("[/:]", text):
        raise ValueError("should be owner/repo@ref:path, as in acme/standards@v2:assay.yml")
    return text


def a_mention(text: str) -> str:
    """A GitHub account or team with its `@`, and nothing else: it is written where it calls somebody."""
    if not _MENTION.fullmatch(text):
        raise ValueError("should be an account or team such as @claude or @acme/agents")
    return text


def in_order(low: float, high: float, complaint: str) -> None:
    """Raise `ValueError(complaint)` unless `low` <= `high`."""
    if low > high:
        raise ValueError(complaint)


def repeated(names: Iterable[str]) -> list[str]:
    """The names that stand there more than once, in the order they first stand there."""
    return [name for name, count in Counter(names).items() if count > 1]
