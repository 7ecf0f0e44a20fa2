"""Types of the fields of GitHub's JSON, with their limits.

All data is untrusted: texts are cut, ids must fit a database, commit ids are hex, a repository's name is safe in a path
and an address, times are aware.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AliasPath, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

MOST_TEXT = 262_144
"""Characters kept of a body or message. GitHub takes 65,536 for a comment; commit messages have no limit."""
MOST_NAME = 4_096
"""Maximum length of a reference, path or label; git and GitHub allow far less."""


def _storable(text: str) -> str:
    """Remove NUL and lone surrogates, which databases and UTF-8 refuse."""
    return text.replace("\0", "\ufffd").encode("utf-8", "replace").decode("utf-8")


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("a time beyond all calendars") from None


def _no_dots(full_name: str) -> str:
    if any(part in {".", ".."} for part in full_name.split("/")):
        raise ValueError("not the name of a repository")
    return full_name


def json_at(*path: str, **options: Any) -> Any:
    """Annotate a field with its place in the JSON, and options of pydantic's `Field`."""
    return Field(validation_alias=AliasPath(*path), **options)


def inner(name: str) -> BeforeValidator:
    """Annotate a value with the field of the JSON object that holds it."""
    return BeforeValidator(lambda given: given.get(name) if isinstance(given, dict) else None)


Text = Annotated[
    str,
    BeforeValidator(lambda given: "" if given is None else given),
    AfterValidator(lambda text: _storable(text[:MOST_TEXT])),
]
Name = Annotated[str, Field(max_length=MOST_NAME), AfterValidator(_storable)]
Id = Annotated[int, Field(ge=0, lt=2**63)]
Sha = Annotated[str, Field(pattern=r"^([0-9a-f]{40}|[0-9a-f]{64})$")]
FullName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,100}/[A-Za-z0-9_.-]{1,100}$"), AfterValidator(_no_dots)]
Moment = Annotated[AwareDatetime, AfterValidator(_in_utc)]
OptionalText = Annotated[Text | None, AfterValidator(lambda text: text or None)]
Flag = Annotated[bool, BeforeValidator(lambda given: False if given is None else given)]


Numbers = Annotated[
    tuple[Annotated[Id, inner("number")], ...], BeforeValidator(lambda given: () if given is None else given)
]
"""Numbers of the pull requests that a check names."""


class Wire(BaseModel):
    """Object of GitHub's API; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)
