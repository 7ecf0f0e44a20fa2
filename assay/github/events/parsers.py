"""Parsers of event payloads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from assay.github.events import model
from assay.github.events.github_json import (
    Id,
    Name,
    Sha,
    Text,
    Wire,
    WireApp,
    WireCheck,
    WireComment,
    WireLabel,
    WireNumber,
    WirePerson,
    WirePull,
    WireRepository,
    WireReview,
    WireStatus,
    person,
)
from assay.github.events.model import About, Event, RepositoryFacts


class _Installation(Wire):
    id: Id
    account: WirePerson | None = None


class _Issue(Wire):
    number: Id
    user: WirePerson | None = None
    pull_request: dict[str, Any] | None = None


class Payload(Wire):
    """Common fields of every payload."""

    action: Name = ""
    repository: WireRepository | None = None
    installation: _Installation | None = None
    sender: WirePerson | None = None

    def about(self, event: str, delivery_id: str) -> About:
        return About(
            event=event,
            action=self.action,
            delivery_id=delivery_id,
            repository=self.repository.facts() if self.repository else None,
            installation_id=self.installation.id if self.installation else None,
            sender=self.sender.facts() if self.sender else None,
        )

    def fact(self, about: About) -> Event:
        """Return the typed event of this payload."""
        raise NotImplementedError


class _From(Wire):
    before: Name | None = Field(None, alias="from")


class _OldBase(Wire):
    ref: _From | None = None


class _Changes(Wire):
    title: _From | None = None
    base: _OldBase | None = None


class _PullRequest(Payload):
    pull_request: WirePull
    before: Sha | None = None
    label: WireLabel | None = None
    changes: _Changes | None = None

    def fact(self, about: About) -> Event:
        changes = self.changes or _Changes()
        return model.PullRequestEvent(
            about,
            self.pull_request.facts(),
            before=self.before,
            label=self.label.name if self.label else None,
            old_title=changes.title.before if changes.title else None,
            old_base_ref=changes.base.ref.before if changes.base and changes.base.ref else None,
        )


class _Review(Payload):
    pull_request: WirePull
    review: WireReview

    def fact(self, about: About) -> Event:
        return model.ReviewEvent(about, self.pull_request.facts(), self.review.facts())


class _ReviewComment(Payload):
    pull_request: WirePull
    comment: WireComment

    def fact(self, about: About) -> Event:
        return model.ReviewCommentEvent(about, self.pull_request.facts(), self.comment.facts())


class _CommentId(Wire):
    id: Id


class _ThreadItself(Wire):
    node_id: Name
    comments: tuple[_CommentId, ...] = ()


class _Thread(Payload):
    pull_request: WirePull
    thread: _ThreadItself

    def fact(self, about: About) -> Event:
        return model.ReviewThreadEvent(
            about,
            self.pull_request.facts(),
            self.thread.node_id,
            tuple(comment.id for comment in self.thread.comments),
        )


class _IssueComment(Payload):
    issue: _Issue
    comment: WireComment

    def fact(self, about: About) -> Event:
        return model.IssueCommentEvent(
            about,
            number=self.issue.number,
            is_pull=self.issue.pull_request is not None,
            pull_author=person(self.issue.user),
            comment=self.comment.facts(),
        )


class _Button(Wire):
    identifier: Name | None = None


class _CheckRun(Payload):
    check_run: WireCheck
    requested_action: _Button | None = None

    def fact(self, about: About) -> Event:
        button = self.requested_action.identifier if self.requested_action else None
        return model.CheckRunEvent(about, self.check_run.facts(), button)


class _SuiteItself(Wire):
    id: Id
    head_sha: Sha
    head_branch: Name | None = None
    app: WireApp | None = None
    status: Name | None = None
    conclusion: Name | None = None
    pull_requests: tuple[WireNumber, ...] | None = None


class _CheckSuite(Payload):
    check_suite: _SuiteItself

    def fact(self, about: About) -> Event:
        suite = self.check_suite
        return model.CheckSuiteEvent(
            about,
            suite_id=suite.id,
            head_sha=suite.head_sha,
            head_branch=suite.head_branch,
            app_id=suite.app.id if suite.app else None,
            status=suite.status,
            conclusion=suite.conclusion,
            pull_numbers=tuple(pull.number for pull in suite.pull_requests or ()),
        )


class _WorkflowRunItself(Wire):
    id: Id
    name: Name | None = None
    path: Name | None = None
    head_sha: Sha
    head_branch: Name | None = None
    event: Name = ""
    status: Name | None = None
    conclusion: Name | None = None
    run_attempt: Id = 1
    pull_requests: tuple[WireNumber, ...] | None = None


class _Workflow(Wire):
    path: Name = ""


class _WorkflowRun(Payload):
    workflow_run: _WorkflowRunItself
    workflow: _Workflow | None = None

    def fact(self, about: About) -> Event:
        run = self.workflow_run
        return model.WorkflowRunEvent(
            about,
            run_id=run.id,
            name=run.name or "",
            workflow_path=run.path or (self.workflow.path if self.workflow else ""),
            head_sha=run.head_sha,
            head_branch=run.head_branch,
            trigger=run.event,
            status=run.status,
            conclusion=run.conclusion,
            run_attempt=run.run_attempt,
            pull_numbers=tuple(pull.number for pull in run.pull_requests or ()),
        )


class _Status(Payload, WireStatus):
    sha: Sha

    def fact(self, about: About) -> Event:
        return model.StatusEvent(about, self.facts(self.sha))


class _Group(Wire):
    head_sha: Sha
    head_ref: Name
    base_sha: Sha
    base_ref: Name


class _MergeGroup(Payload):
    merge_group: _Group
    reason: Name | None = None

    def fact(self, about: About) -> Event:
        group = self.merge_group
        return model.MergeGroupEvent(about, group.head_sha, group.head_ref, group.base_sha, group.base_ref, self.reason)


class _Commit(Wire):
    id: Sha
    message: Text = ""
    added: tuple[Text, ...] = ()
    removed: tuple[Text, ...] = ()
    modified: tuple[Text, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.added, *self.removed, *self.modified)


class _Push(Payload):
    ref: Name
    before: Sha
    after: Sha
    commits: tuple[_Commit, ...] = ()

    def fact(self, about: About) -> Event:
        commits = tuple(model.PushedCommit(commit.id, commit.message, commit.paths) for commit in self.commits)
        return model.PushEvent(about, self.ref, self.before, self.after, commits)


class _Installed(Payload):
    repositories: tuple[WireRepository, ...] = ()
    repositories_added: tuple[WireRepository, ...] = ()
    repositories_removed: tuple[WireRepository, ...] = ()

    def fact(self, about: About) -> Event:
        """Return the event; the repositories of `created` and `deleted` count as added and removed."""
        is_gone = about.action == "deleted"
        return model.InstallationEvent(
            about,
            account=person(self.installation.account if self.installation else None).login,
            repositories_added=_facts(self.repositories_added, () if is_gone else self.repositories),
            repositories_removed=_facts(self.repositories_removed, self.repositories if is_gone else ()),
        )


def _facts(*lists: tuple[WireRepository, ...]) -> tuple[RepositoryFacts, ...]:
    return tuple(repository.facts() for some in lists for repository in some)


class _Ping(Payload):
    hook_id: Id | None = None

    def fact(self, about: About) -> Event:
        return model.PingEvent(about, self.hook_id)


READERS: Mapping[str, type[Payload]] = {
    "check_run": _CheckRun,
    "check_suite": _CheckSuite,
    "installation": _Installed,
    "installation_repositories": _Installed,
    "issue_comment": _IssueComment,
    "merge_group": _MergeGroup,
    "ping": _Ping,
    "pull_request": _PullRequest,
    "pull_request_review": _Review,
    "pull_request_review_comment": _ReviewComment,
    "pull_request_review_thread": _Thread,
    "push": _Push,
    "status": _Status,
    "workflow_run": _WorkflowRun,
}
"""Event -> parser of its payload."""
