"""Past review comments, read from a JSON Lines file or from GitHub's lists. All of it is untrusted.

Each line is an object: either `{"body", "author", "pull", …}`, or an entry of GitHub's list of review comments (`gh api
repos/OWNER/REPO/pulls/comments --paginate --jq '.[]'`).
"""

from __future__ import annotations

import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from assay.github.client import Repo
from assay.github.errors import GithubUnavailable
from assay.validators import NotStrict, read_strict_json

MOST_LINE_BYTES = 1024 * 1024
"""Maximum length of a line: GitHub limits comments to 64 kB, and the rest is the diff hunk."""

MOST_LINES = 200_000

GHOST = "ghost"
"""GitHub's name for a deleted account."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WEB = re.compile(r"https?://[^\s<>\"'`]{1,2000}")


class BadLine(ValueError):
    """Line that is not a comment: its number, from 1, and the reason."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(f"line {number}: {why}")
        self.number = number


class _Wire(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", strict=True)


def _web(url: str | None) -> str | None:
    """Return the URL if it is a web address; other URLs are not shown."""
    return url if url is not None and _WEB.fullmatch(url) else None


def _aware(moment: datetime | None) -> datetime | None:
    if moment is None:
        return None
    return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)


_Name = Annotated[str, Field(min_length=1, max_length=200)]
_Place = Annotated[str, Field(max_length=4096)]
_Number = Annotated[int, Field(ge=0)]
_PullAddress = Annotated[str, Field(pattern=r"/pulls/[0-9]{1,12}$", max_length=4096)]
_Moment = Annotated[datetime, Field(strict=False)]


class _Line(_Wire):
    """Comment as a line of a file has it."""

    body: str
    author: _Name
    pull: _Number
    author_is_bot: bool = False
    url: Annotated[_Place | None, AfterValidator(_web)] = None
    path: _Place | None = None
    created_at: Annotated[_Moment | None, AfterValidator(_aware)] = None
    pull_author: _Name | None = None
    diff_hunk: str | None = None

    @property
    def is_by_bot(self) -> bool:
        return self.author_is_bot or self.author.endswith("[bot]")


class PastComment(_Line):
    """Comment on a line of a pull request, with its URL.

    `pull_author` is None if the source lacks it; only GitHub's lists have `id` and `in_reply_to`.
    """

    id: int | None = None
    in_reply_to: int | None = None


def read_past_comments(file: Path) -> Iterator[PastComment]:
    """Yield the comments of a JSON Lines file in order, skipping empty lines.

    Raises `BadLine`, and `OSError` if the file cannot be read.
    """
    with file.open("rb") as lines:
        number = 0
        while line := lines.readline(MOST_LINE_BYTES + 1):
            number += 1
            if number == 1:
                line = line.removeprefix(BOM_UTF8)
            if number > MOST_LINES:
                raise BadLine(number, f"more than {MOST_LINES:,} lines")
            if len(line) > MOST_LINE_BYTES:
                raise BadLine(number, f"longer than {MOST_LINE_BYTES:,} bytes")
            if line.strip():
                yield _read(line.strip(), number)


def past_comment_from(data: Any) -> PastComment:
    """Parse a comment in either form. Raises `ValueError` (pydantic's) if it is neither."""
    if isinstance(data, dict) and "pull_request_url" in data:
        return _AsGithubHasIt.model_validate(data).comment()
    return PastComment(**dict(_Line.model_validate(data)))


def _read(line: bytes, number: int) -> PastComment:
    try:
        return past_comment_from(read_strict_json(line))
    except NotStrict as wrong:
        raise BadLine(number, str(wrong)) from None
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "the line"
        raise BadLine(number, f"{where}: {first['msg'][:200]}") from None


class _User(_Wire):
    login: _Name = GHOST
    type: str = "User"


class _AsGithubHasIt(_Wire):
    pull_request_url: _PullAddress
    body: str | None = None
    user: _User | None = None
    html_url: Annotated[_Place | None, AfterValidator(_web)] = None
    path: _Place | None = None
    created_at: _Moment | None = None
    diff_hunk: str | None = None
    id: int | None = None
    in_reply_to_id: int | None = None
    performed_via_github_app: Mapping[str, Any] | None = None

    def comment(self) -> PastComment:
        user = self.user or _User()
        return PastComment(
            body=self.body or "",
            author=user.login,
            pull=int(self.pull_request_url.rpartition("/")[2]),
            author_is_bot=user.type == "Bot" or self.performed_via_github_app is not None,
            url=self.html_url,
            path=self.path,
            created_at=self.created_at,
            diff_hunk=self.diff_hunk,
            id=self.id,
            in_reply_to=self.in_reply_to_id,
        )


def past_comments_of(repo: Repo, since: datetime | None, most: int) -> list[PastComment]:
    """Return the newest `most` comments on lines, created or changed at or after `since` (aware).

    Raises the errors of `Repo`.
    """
    try:
        found = [past_comment_from(one) for one in islice(repo.past_review_comments(since), most)]
    except ValueError:
        raise GithubUnavailable("list the review comments", "unexpected response") from None
    authors = _authors(repo, found)
    return [one.model_copy(update={"pull_author": authors.get(one.pull)}) for one in found]


def _authors(repo: Repo, comments: list[PastComment]) -> dict[int, str]:
    """Return the authors of the pull requests. A comment updates its pull request, so older ones need no request."""
    wanted = {one.pull for one in comments}
    oldest = min((one.created_at for one in comments if one.created_at), default=_EPOCH)
    found: dict[int, str] = {}
    if not wanted:
        return found
    for pull in repo.pulls_since(oldest):
        if pull.number in wanted:
            found[pull.number] = pull.author.login
            wanted.discard(pull.number)
        if not wanted:
            break
    return found
