"""Past review comments of a repository on GitHub, with the authors of their pull requests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from itertools import islice

from assay.github.client import Repo
from assay.github.errors import GithubUnavailable
from assay.github_app.learning.extract.past_comments import PastComment, past_comment_from

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def past_comments_of(repo: Repo, since: datetime | None, most: int) -> list[PastComment]:
    """Return the newest `most` comments on lines, created or changed at or after `since` (aware).

    Raises the errors of `Repo`.
    """
    try:
        found = [past_comment_from(one) for one in islice(repo.past_review_comments(since), most)]
    except ValueError:
        raise GithubUnavailable("list the review comments", "unexpected response") from None
    authors = _authors(repo, found)
    return [replace(one, pull_author=authors.get(one.pull)) for one in found]


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
