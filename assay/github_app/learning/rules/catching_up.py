"""Rules from comments that were there before the App: read in with a repository's history, learned in their order."""

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
    """Learn from every comment of a repository that nothing was learned from yet; how many teach something.

    Each is learned from as if at the time it was written, but with the permission its author has today: GitHub tells
    no other. It is asked once for each person. Nobody is replied to and nobody is told.
    """
    known = {one.comment for one in store.rules.sources_in(repository_id)}
    asked: dict[str, Permission] = {}
    num_taught = 0
    for comment in everything_said(store, repository_id):
        pull = store.pulls.get(repository_id, comment.number)
        if pull is None or f"{comment.kind}:{comment.comment_id}" in known:
            continue
        if why_not(comment, pull, Permission.admin) is not None:  # whoever may write: nobody need be asked
            continue
        if comment.author not in asked:
            asked[comment.author] = permission_of(comment.author)
        at = comment.created_at or comment.seen_at
        permission = asked[comment.author]
        done = learn_from(comment, pull, permission, store, reader, at, settings=settings)
        num_taught += done.rule_id is not None
    return num_taught
