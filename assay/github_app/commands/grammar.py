"""What a comment asks for: the lines it begins with, as long as each begins with `/assay`.

    /assay fp 0123456789ab the parser is generated

Nothing further down counts: not a line after other text, not one in a quote, a list or a code block. So text that is
quoted, pasted or hidden below can never act, and reading stops at the first line that is something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

PREFIX = "/assay"
MOST_COMMANDS = 5
"""Commands of one comment that are carried out; of the rest the commenter is told."""
MOST_LINE = 1000
"""Characters of a command line; a longer one is refused whole, not cut."""
MOST_REASON = 500

_ENDS = re.compile(r"\r\n|\n|\r")
_WORD = re.compile(r"[A-Za-z]{1,20}")
_FINDING = re.compile(r"[0-9a-f]{12}")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,79}")


@dataclass(frozen=True, slots=True)
class Typed:
    """One command line. `word` is what follows `/assay`, in lower case where it is a plain word; `rest` the rest."""

    word: str
    rest: str = ""
    is_too_long: bool = False


def commands_in(body: str) -> tuple[tuple[Typed, ...], bool]:
    """(the commands a comment begins with, each once; whether there are more than `MOST_COMMANDS`)."""
    found = list(islice(_typed(body), MOST_COMMANDS + 1))
    return tuple(dict.fromkeys(found[:MOST_COMMANDS])), len(found) > MOST_COMMANDS


def finding_id(word: str) -> str | None:
    """The id of a finding, as reports write it (in a code span too); None where it is none."""
    bare = word.strip("`").lower()
    return bare if _FINDING.fullmatch(bare) else None


def plain_name(word: str) -> str | None:
    """A name without anything but ASCII letters, digits, `_`, `.` and `-`; None where it is none."""
    bare = word.strip("`")
    return bare if _NAME.fullmatch(bare) else None


def first_word(text: str) -> tuple[str, str]:
    """(the first word, what follows it)."""
    word, _, rest = text.strip(" \t").partition(" ")
    return word, rest.strip(" \t")


def _typed(body: str) -> Iterator[Typed]:
    """Each command line in turn; no more of the text is looked at than is asked for."""
    for line in _lines(body.lstrip("\ufeff")):
        if not line.strip(" \t"):
            continue
        if not line.startswith(PREFIX) or line[len(PREFIX) : len(PREFIX) + 1] not in ("", " ", "\t"):
            return
        if len(line) > MOST_LINE:
            yield Typed("", is_too_long=True)
            continue
        word, rest = first_word(line[len(PREFIX) :].replace("\t", " "))
        yield Typed(word.lower() if _WORD.fullmatch(word) else word, rest)


def _lines(body: str) -> Iterator[str]:
    """Lines as Markdown ends them: what Unicode calls a line separator ends none."""
    at = 0
    for end in _ENDS.finditer(body):
        yield body[at : end.start()]
        at = end.end()
    yield body[at:]
