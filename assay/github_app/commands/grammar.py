"""Grammar of commands: the lines at the start of a comment that begin with `/assay`.

    /assay fp 0123456789ab the parser is generated

Parsing stops at the first other line, so quoted, pasted or hidden text further down never runs a command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from assay.github.errors import CommandRefused
from assay.validators import as_visible

PREFIX = "/assay"
MOST_COMMANDS = 5
"""Maximum commands per comment; the reply mentions further ones."""
MOST_LINE = 1000
"""Maximum characters of a command line; longer ones are refused, not truncated."""
MOST_REASON = 500

_ENDS = re.compile(r"\r\n|\n|\r")
_WORD = re.compile(r"[A-Za-z]{1,20}")
_FINDING = re.compile(r"[0-9a-f]{12}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True, slots=True)
class CommandLine:
    """Command line. `word` follows `/assay`, in lower case if it has only ASCII letters; `rest` is the remainder."""

    word: str
    rest: str = ""
    is_too_long: bool = False


def commands_in(body: str) -> tuple[tuple[CommandLine, ...], bool]:
    """Return the distinct commands of a comment, and whether it has more than `MOST_COMMANDS`."""
    found = list(islice(_typed(body), MOST_COMMANDS + 1))
    return tuple(dict.fromkeys(found[:MOST_COMMANDS])), len(found) > MOST_COMMANDS


def finding_id(word: str) -> str | None:
    """Return a finding's id, with or without backticks; None for other text."""
    bare = word.strip("`").lower()
    return bare if _FINDING.fullmatch(bare) else None


def plain_name(word: str) -> str | None:
    """Return a name of ASCII letters, digits, `_`, `.` and `-`, with or without backticks; None for other text."""
    bare = word.strip("`")
    return bare if _NAME.fullmatch(bare) else None


def first_word(text: str) -> tuple[str, str]:
    """Split the first word from the rest."""
    word, _, rest = text.strip(" \t").partition(" ")
    return word, rest.strip(" \t")


def reason_in(text: str) -> str:
    """Return the reason without invisible characters; "" if there is none. Raises `CommandRefused` if too long."""
    reason = as_visible(text)
    if len(reason) > MOST_REASON:
        raise CommandRefused(f"The reason may have at most {MOST_REASON} characters.")
    return reason


def needed_reason(text: str, usage: str) -> str:
    """Return the reason. Raises `CommandRefused` if it is missing or too long."""
    reason = reason_in(text)
    if sum(char.isalnum() for char in reason) < 3:
        raise CommandRefused(f"Please give a reason: `/assay {usage}`.")
    return reason


def _typed(body: str) -> Iterator[CommandLine]:
    """Yield each command line, without parsing more of the text than the caller reads."""
    for line in _lines(body.lstrip("\ufeff")):
        if not line.strip(" \t"):
            continue
        if not line.startswith(PREFIX) or line[len(PREFIX) : len(PREFIX) + 1] not in ("", " ", "\t"):
            return
        if len(line) > MOST_LINE:
            yield CommandLine("", is_too_long=True)
            continue
        word, rest = first_word(line[len(PREFIX) :].replace("\t", " "))
        yield CommandLine(word.lower() if _WORD.fullmatch(word) else word, rest)


def _lines(body: str) -> Iterator[str]:
    """Yield lines as Markdown splits them, which ignores Unicode line separators."""
    at = 0
    for end in _ENDS.finditer(body):
        yield body[at : end.start()]
        at = end.end()
    yield body[at:]
