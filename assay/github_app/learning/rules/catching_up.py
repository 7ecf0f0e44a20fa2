"""Learn rules from comments older than the installation, imported with a repository's history."""

from __future__ import annotations

from collections.abc import Callable

from assay.github.client import Permission
from assay.github_app.learning.extract.extracting import why_not
from assay.github_app.learning.extract.summaries import everything_said
from assay.github_app.learning.match.comparing import Reader
from assay.github_app.learning.rules.learned import learn_from
from assay.github_app.store import Store
from assay.validators import Learning


def learn_past(
    store: Store,
    repository_id: int,
    permission_of: Callable[[str], Permission],
    reader: Reader,
    *,
    settings: Learning | None = None,
) -> int:
    """Learn from all comments of a repository not yet used, in order; return how many hold a rule.

    Each comment is learned as of the time it was written, but with its author's current permission, because GitHub
    keeps no history of permissions. Permissions are requested once per author. No replies or notices are sent.
    """
    known = {one.comment for one in store.rules.sources_in(repository_id)}
    asked: dict[str, Permission] = {}
    num_taught = 0
    for comment in everything_said(store, repository_id):
        pull = store.pulls.get(repository_id, comment.number)
        if pull is None or f"{comment.kind}:{comment.comment_id}" in known:
            continue
        if why_not(comment, pull, Permission.admin) is not None:  # excluded whatever the permission is
            continue
        if comment.author not in asked:
            asked[comment.author] = permission_of(comment.author)
        at = comment.created_at or comment.seen_at
        permission = asked[comment.author]
        done = learn_from(comment, pull, permission, store, reader, at, settings=settings)
        num_taught += done.rule_id is not None
    return num_taught
