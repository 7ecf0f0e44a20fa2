"""Idempotent publication on GitHub.

Each part is searched for before it is created: the Check Run by its external id, the comment and notes by marker and
author, the label by name. A crash between two requests and a later retry leave one of each.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import TypeVar

from assay.github.client import Repo
from assay.github.errors import GithubRefused, GithubUnavailable, RateLimited
from assay.github.events.model import CommentFacts
from assay.github.publish.markers import COMMENT, REVIEW, read_marker
from assay.github.publish.notes import keep_true, our_notes, plain
from assay.github.publish.publication import Publication
from assay.github.publish.review import ReviewDraft

T = TypeVar("T")

MOST_ATTEMPTS = 3
"""Chosen limit: attempts after a lost response; each finds what earlier attempts created."""
BEFORE_LOOKING_S = 2.0
"""Chosen delay in seconds: new objects take a moment to appear in GitHub's lists."""


@dataclass(frozen=True, slots=True)
class Published:
    """Published state of a pull request; `problems` lists what could not be published.

    `no_check_run` and `no_comment`: it is known that the head, or the pull request, has none, so GitHub is not asked.
    `has_labels` are the risk labels that the repository is known to have.
    """

    head_sha: str | None = None
    check_run_id: int | None = None
    comment_id: int | None = None
    review_ids: tuple[int, ...] = ()
    label: str | None = None
    problems: tuple[str, ...] = ()
    no_check_run: bool = False
    no_comment: bool = False
    has_labels: frozenset[str] = frozenset()


def publish(publication: Publication, repo: Repo, known: Published | None = None) -> Published:
    """Publish and return the published state.

    Args:
        publication: content to publish.
        repo: the repository, with a token that can write.
        known: state of the last publication, if known; it saves a request.

    Raises:
        GithubRefused, PermissionMissing: the Check Run cannot be written. Other refusals are in `problems`.
        GithubUnavailable, RateLimited: temporary failure; run it again later.
    """
    standing = replace(known or Published(), problems=())
    for attempt in range(1, MOST_ATTEMPTS + 1):
        try:
            return _published(publication, repo, standing)
        except RateLimited:
            raise
        except GithubUnavailable:
            if attempt == MOST_ATTEMPTS:
                raise
            repo.wait(attempt * BEFORE_LOOKING_S)
            # GitHub may have made what it gave no answer about.
            standing = replace(standing, no_check_run=False, no_comment=False)
    raise AssertionError("the last attempt returns or raises")


def _published(publication: Publication, repo: Repo, known: Published) -> Published:
    problems: list[str] = []
    check_id = _check(publication, repo, known)
    label = _attempted(problems, lambda: _label(publication, repo, known)) or known.label
    comment_id = _attempted(problems, lambda: _comment(publication, repo, known)) or known.comment_id
    review_id = _attempted(problems, lambda: _review(publication, repo, known, problems))
    _attempted(problems, lambda: _sarif(publication, repo))
    reviews = known.review_ids
    if review_id is not None and review_id not in reviews:
        reviews = (*reviews, review_id)
    return Published(publication.head_sha, check_id, comment_id, reviews, label, tuple(problems))


def _attempted(problems: list[str], act: Callable[[], T]) -> T | None:
    """Run an action and record a refusal, so that a missing permission for labels does not lose the report."""
    try:
        return act()
    except GithubRefused as refused:
        problems.append(str(refused))
        return None


def _check(publication: Publication, repo: Repo, known: Published) -> int | None:
    check_id = known.check_run_id if known.head_sha == publication.head_sha else None
    if check_id is None and not known.no_check_run:
        check_id = repo.our_check(publication.head_sha, publication.external_id)
    if check_id is not None:
        try:
            repo.update_check(check_id, publication.check)
        except GithubRefused as refused:
            if refused.status != 404:
                raise
            if repo.our_check(publication.head_sha, publication.external_id) == check_id:
                raise GithubUnavailable(refused.what, "it is listed, but was not found") from None
        else:
            return check_id
    if not publication.creates_check:
        return None
    return repo.create_check(publication.head_sha, publication.check, publication.external_id)


def _label(publication: Publication, repo: Repo, known: Published) -> str | None:
    if publication.label is not None:
        repo.set_risk_label(publication.number, publication.label, publication.labels, known.has_labels)
    return publication.label


def _comment(publication: Publication, repo: Repo, known: Published) -> int | None:
    wanted = publication.comment or publication.comment_if_there
    if wanted is None or (publication.comment is None and known.no_comment):
        return None
    ours = next((one for one in repo.comments(publication.number) if _is_ours(one, repo)), None)
    if ours is None:
        return repo.create_comment(publication.number, wanted).id if publication.comment else None
    if plain(ours.body) != plain(wanted):
        repo.edit_comment(ours.id, wanted)
    return ours.id


def _review(publication: Publication, repo: Repo, known: Published, problems: list[str]) -> int | None:
    if publication.present is None or (known.head_sha is not None and not (publication.review or known.review_ids)):
        return None
    notes = publication.review.notes if publication.review else ()
    standing = our_notes(repo, publication.number)
    keep_true(repo, standing, notes, publication.present, publication.head_sha)
    if publication.review is None:
        return None
    of_head = (REVIEW, publication.head_sha)
    for one in repo.reviews(publication.number):
        if read_marker(one.body) == of_head and repo.us.is_me(one.reviewer):
            return one.id
    return _new_review(publication.review, publication.number, repo, standing, problems)


def _new_review(draft: ReviewDraft, number: int, repo: Repo, said: Collection[str], problems: list[str]) -> int | None:
    notes = draft.narrowed(repo.lines_in_diff(number), said)
    if not notes:
        return None
    try:
        return repo.create_review(number, draft.head_sha, draft.body(len(notes)), notes)
    except GithubRefused as refused:
        if refused.status != 422:
            raise
        # A push since the diff was read can have removed these lines from it.
        problems.append(str(refused))
        return None


def _sarif(publication: Publication, repo: Repo) -> None:
    if publication.sarif is not None:
        ref = publication.sarif_ref or f"refs/pull/{publication.number}/head"
        repo.upload_sarif(publication.head_sha, ref, publication.sarif)


def _is_ours(comment: CommentFacts, repo: Repo) -> bool:
    found = read_marker(comment.body)
    return found is not None and found[0] == COMMENT and repo.us.wrote(comment)
