"""The past review comments of a repository on GitHub, with the authors of the pull requests they stand on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from assay.github.client import Repo
from assay.github.errors import GithubUnavailable
from assay.github_app.learning.extract.past_comments import PastComment, past_comment_from

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def past_comments_of(repo: Repo, since: datetime | None, most: int) -> list[PastComment]:
    """The newest `most` comments on lines, made or changed at or after `since` (aware).

    Raises as `Repo` does.
    """
    try:
        found = [past_comment_from(one) for one in islice(repo.past_review_comments(since), most)]
    except ValueError:
        raise GithubUnavailable("list the review comments", "the answer holds something else") from None
    authors = _authors(repo, found)
    return [replace(one, pull_author=authors.get(one.pull)) for one in found]


def _authors(repo: Repo, comments: list[PastComment]) -> dict[int, str]:
    """Who opened the pull requests. One that has a comment changed when it was made, so older ones need no look."""
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
