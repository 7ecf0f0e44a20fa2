"""Types of configuration values, with their checks: regular expressions, path patterns, accounts.

Each check returns the value, or raises `ValueError` with a message for the author of the file.
"""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Iterable
from typing import Annotated

from pathspec import GitIgnoreSpec
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints
from pydantic.alias_generators import to_camel

REFERENCE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}/(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_REPOSITORY_PATTERN = re.compile(r"!?[A-Za-z0-9._*?-]{1,100}")

_TEXT_SUFFIXES = (".md", ".mdc", ".txt")
_MENTION = re.compile(r"@[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38}(?:/[A-Za-z0-9][A-Za-z0-9._-]{0,99})?")


def check_regex(text: str) -> str:
    """Return a regular expression that Python compiles."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    except (RecursionError, OverflowError):
        raise ValueError("a regular expression too deep or too large to compile") from None
    return text


def check_glob(text: str) -> str:
    """Return a valid .gitignore pattern that can match a path of the repository."""
    if not text.strip() or text.startswith("#"):
        raise ValueError("matches nothing: .gitignore reads it as a blank line or a comment")
    if any(not char.isprintable() for char in text):
        raise ValueError("holds an invisible character")
    if ".." in text.split("/"):
        raise ValueError("`..` leads out of the repository; patterns are relative to its top")
    try:
        GitIgnoreSpec.from_lines([text])
    except (ValueError, re.error):
        raise ValueError("not a path pattern as .gitignore has them") from None
    return text


def check_inside(text: str) -> str:
    """Return a path relative to the repository that stays in it."""
    if text.startswith(("/", "~")) or ".." in text.split("/") or "\\" in text:
        raise ValueError("should be a path relative to the repository, with `/`, that stays inside it")
    return text


def check_instruction_file(text: str) -> str:
    """Return the path of a text file for agents, which the App may write in a pull request."""
    check_inside(text)
    if any(part in ("", ".", ".git") for part in text.lower().split("/")) or not text.isprintable():
        raise ValueError("should be a plain path such as AGENTS.md or .github/copilot-instructions.md")
    if not text.lower().endswith(_TEXT_SUFFIXES):
        raise ValueError(f"should end in {', '.join(_TEXT_SUFFIXES)}")
    return text


def check_distinct(names: tuple[str, ...]) -> tuple[str, ...]:
    """Return names that occur once."""
    twice = repeated(names)
    if twice:
        raise ValueError(f"{', '.join(twice)} occurs more than once")
    return names


def _shaped(pattern: re.Pattern[str], why: str) -> AfterValidator:
    """Return the check of a text that a pattern matches as a whole."""

    def check(text: str) -> str:
        if not pattern.fullmatch(text):
            raise ValueError(f"should be {why}")
        return text

    return AfterValidator(check)


def repeated(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, in order of first occurrence."""
    return [name for name, count in Counter(names).items() if count > 1]


Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
Glob = Annotated[str, StringConstraints(min_length=1, max_length=500), AfterValidator(check_glob)]
Pattern = Annotated[Text, AfterValidator(check_regex)]
Inside = Annotated[Text, AfterValidator(check_inside)]
InstructionFile = Annotated[Text, Field(max_length=200), AfterValidator(check_instruction_file)]
Reference = Annotated[Text, _shaped(REFERENCE, "owner/repository, as in acme/standards")]
RepositoryPattern = Annotated[
    Text, _shaped(_REPOSITORY_PATTERN, "a repository's name without its owner, with `*` and `?`, as in payments-*")
]
Mention = Annotated[
    str,
    StringConstraints(strip_whitespace=True),
    # It is written as a mention.
    _shaped(_MENTION, "an account or team such as @claude or @acme/agents"),
]
Seconds = Annotated[int, Field(ge=1, le=24 * 3600)]


class Section(BaseModel):
    """Section of the configuration."""

    model_config = ConfigDict(
        extra="forbid",
        use_attribute_docstrings=True,
        frozen=True,
        alias_generator=to_camel,
        validate_by_name=True,
        validate_by_alias=True,
    )
