"""Models of GitHub's JSON, limited to the fields Assay uses.

Webhooks and API responses contain the same objects, so both are parsed here. All data is untrusted: texts are cut, ids
must fit a database, commit ids are hex, a repository's name is safe in a path and an address, times are aware.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field

from assay.github.events.model import CheckFacts, CommentFacts, Person, PullFacts, RepositoryFacts, ReviewFacts

MOST_TEXT = 262_144
"""Characters kept of a body or message. GitHub takes 65,536 for a comment; commit messages have no limit."""
MOST_NAME = 4_096
"""Maximum length of a reference, path or label; git and GitHub allow far less."""
GHOST = "ghost"
"""Login that GitHub shows for deleted accounts."""


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


class Wire(BaseModel):
    """Object of GitHub's API; unknown fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class WirePerson(Wire):
    """A user, bot or organisation."""

    login: Name = GHOST
    id: Id | None = None
    type: Name = "User"

    def facts(self) -> Person:
        return Person(self.login, self.id, self.type)


def person(given: WirePerson | None) -> Person:
    """Return the account, or the ghost user for a deleted one."""
    return given.facts() if given else Person(GHOST)


class WireRepository(Wire):
    """A repository, in full or as the short form of installation events."""

    id: Id
    full_name: FullName
    default_branch: Name = "main"
    private: bool = False
    archived: bool = False

    def facts(self) -> RepositoryFacts:
        return RepositoryFacts(self.id, self.full_name, self.default_branch, self.private, self.archived)


class WireSide(Wire):
    """Head or base of a pull request."""

    sha: Sha
    ref: Name
    repo: WireRepository | None = None


class WireLabel(Wire):
    """A label."""

    name: Name


class WireApp(Wire):
    """A GitHub App that made something."""

    id: Id | None = None
    slug: Name | None = None


class WirePull(Wire):
    """A pull request; lists omit `merged` and the number of lines, older servers omit `draft`."""

    id: Id
    number: Id
    title: Text = ""
    body: Text = ""
    user: WirePerson | None = None
    head: WireSide
    base: WireSide
    draft: bool | None = None
    state: Name = "open"
    merged: bool | None = None
    merge_commit_sha: Sha | None = None
    labels: tuple[WireLabel, ...] = ()
    created_at: Moment | None = None
    updated_at: Moment | None = None
    closed_at: Moment | None = None
    merged_at: Moment | None = None
    merged_by: WirePerson | None = None
    additions: Id | None = None
    deletions: Id | None = None

    def facts(self) -> PullFacts:
        return PullFacts(
            id=self.id,
            number=self.number,
            title=self.title,
            body=self.body,
            author=person(self.user),
            head_sha=self.head.sha,
            head_ref=self.head.ref,
            base_sha=self.base.sha,
            base_ref=self.base.ref,
            head_repository=self.head.repo.facts() if self.head.repo else None,
            base_repository_id=self.base.repo.id if self.base.repo else None,
            is_draft=bool(self.draft),
            state=self.state,
            is_merged=bool(self.merged) or self.merged_at is not None,
            merge_commit_sha=self.merge_commit_sha,
            labels=tuple(label.name for label in self.labels),
            created_at=self.created_at,
            updated_at=self.updated_at,
            closed_at=self.closed_at,
            merged_at=self.merged_at,
            merged_by=self.merged_by.facts() if self.merged_by else None,
            num_added=self.additions,
            num_removed=self.deletions,
        )


class WireNumber(Wire):
    """Reference to a pull request by its number."""

    number: Id


class WireOutput(Wire):
    """Output of a check run."""

    title: Text = ""
    summary: Text = ""


class WireSuite(Wire):
    """A check suite, by its id alone as check runs carry it."""

    id: Id | None = None


class WireCheck(Wire):
    """A check run."""

    id: Id
    name: Name
    head_sha: Sha
    status: Name = "queued"
    conclusion: Name | None = None
    app: WireApp | None = None
    html_url: Name | None = None
    details_url: Name | None = None
    output: WireOutput | None = None
    external_id: Name | None = None
    check_suite: WireSuite | None = None
    started_at: Moment | None = None
    completed_at: Moment | None = None
    pull_requests: tuple[WireNumber, ...] | None = None

    def facts(self) -> CheckFacts:
        return CheckFacts(
            source="check_run",
            external_key=str(self.id),
            name=self.name,
            head_sha=self.head_sha,
            status=self.status,
            conclusion=self.conclusion,
            app_id=self.app.id if self.app else None,
            app_slug=self.app.slug if self.app else None,
            url=self.html_url or self.details_url,
            title=(self.output.title or None) if self.output else None,
            summary=(self.output.summary or None) if self.output else None,
            external_id=self.external_id or None,
            suite_id=self.check_suite.id if self.check_suite else None,
            started_at=self.started_at,
            completed_at=self.completed_at,
            pull_numbers=tuple(pull.number for pull in self.pull_requests or ()),
        )


class WireStatus(Wire):
    """A commit status. The API's lists omit the requested commit."""

    sha: Sha | None = None
    context: Name = "default"
    state: Name
    description: Text = ""
    target_url: Name | None = None
    created_at: Moment | None = None
    updated_at: Moment | None = None

    def facts(self, head_sha: str) -> CheckFacts:
        """Return it as a check, keyed by its context: a newer status of a context replaces the older one."""
        is_done = self.state != "pending"
        return CheckFacts(
            source="status",
            external_key=self.context,
            name=self.context,
            head_sha=head_sha,
            status="completed" if is_done else "in_progress",
            conclusion=("failure" if self.state == "error" else self.state) if is_done else None,
            url=self.target_url,
            title=self.description or None,
            started_at=self.created_at,
            completed_at=(self.updated_at or self.created_at) if is_done else None,
        )


class WireReview(Wire):
    """A review; states are capitals in the API and small letters in webhooks."""

    id: Id
    user: WirePerson | None = None
    state: Name
    body: Text = ""
    commit_id: Sha | None = None
    submitted_at: Moment | None = None
    author_association: Name = "NONE"

    def facts(self) -> ReviewFacts:
        return ReviewFacts(
            id=self.id,
            reviewer=person(self.user),
            state=self.state.lower(),
            body=self.body,
            commit_sha=self.commit_id,
            submitted_at=self.submitted_at,
            association=self.author_association,
        )


class WireComment(Wire):
    """A comment of either kind. One whose line is gone keeps the line and commit it was made on."""

    id: Id
    node_id: Name | None = None
    user: WirePerson | None = None
    body: Text = ""
    created_at: Moment | None = None
    updated_at: Moment | None = None
    author_association: Name = "NONE"
    performed_via_github_app: WireApp | None = None
    path: Name | None = None
    line: Id | None = None
    original_line: Id | None = None
    side: Name | None = None
    commit_id: Sha | None = None
    original_commit_id: Sha | None = None
    diff_hunk: Text = ""
    pull_request_review_id: Id | None = None
    in_reply_to_id: Id | None = None

    def facts(self) -> CommentFacts:
        is_outdated = self.line is None and self.original_line is not None
        return CommentFacts(
            id=self.id,
            author=person(self.user),
            body=self.body,
            created_at=self.created_at,
            updated_at=self.updated_at,
            association=self.author_association,
            app_id=self.performed_via_github_app.id if self.performed_via_github_app else None,
            node_id=self.node_id,
            path=self.path,
            line=self.original_line if is_outdated else self.line,
            side=self.side,
            commit_sha=(self.original_commit_id or self.commit_id) if is_outdated else self.commit_id,
            diff_hunk=self.diff_hunk or None,
            review_id=self.pull_request_review_id,
            in_reply_to=self.in_reply_to_id,
        )


# ------------------------------------------------------------------ single objects, for API responses
# Each parses a decoded JSON object and raises pydantic's ValidationError (a ValueError) for an invalid one.


def person_from(data: dict[str, Any]) -> Person:
    """Parse a user."""
    return WirePerson.model_validate(data).facts()


def repository_from(data: dict[str, Any]) -> RepositoryFacts:
    """Parse a repository."""
    return WireRepository.model_validate(data).facts()


def pull_from(data: dict[str, Any]) -> PullFacts:
    """Parse a pull request, from a list or alone."""
    return WirePull.model_validate(data).facts()


def check_from(data: dict[str, Any]) -> CheckFacts:
    """Parse a check run."""
    return WireCheck.model_validate(data).facts()


def status_from(data: dict[str, Any], head_sha: str) -> CheckFacts:
    """Parse a status of the commit it was requested for."""
    return WireStatus.model_validate(data).facts(head_sha)


def review_from(data: dict[str, Any]) -> ReviewFacts:
    """Parse a review."""
    return WireReview.model_validate(data).facts()


def comment_from(data: dict[str, Any]) -> CommentFacts:
    """Parse a comment, in the conversation or on a line."""
    return WireComment.model_validate(data).facts()
