"""Button that commits the tests of demonstrated findings to the head branch, as one commit of the App.

The branch is moved by a fast-forward from the commit the check is of, so GitHub refuses it if the head moved meanwhile.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from assay.github.authority import TEST_COMMIT
from assay.github.client import Repo
from assay.github.errors import CommandRefused, GithubRefused, PermissionMissing
from assay.github.events.model import Person
from assay.github.publish import committable_tests
from assay.github_app.commands.command import CommandRequest, open_only, report_of_head
from assay.github_app.ops.permissions import FOR_TESTS
from assay.validators import Demonstration, as_code


def commit_test(request: CommandRequest) -> str:
    """Commit the tests that demonstrate findings to the head branch."""
    open_only(request)
    pull, context = request.pull, request.context
    if not context.settings.instruction_files:
        raise CommandRefused("The operator of Assay does not let it write to branches. Nothing was committed.")
    if pull.is_fork:
        raise CommandRefused("The branch is in a fork, where Assay commits nothing. Copy the test from the report.")
    report = report_of_head(request)
    tests = committable_tests(report) if report is not None else ()
    if not tests:
        raise CommandRefused("The report of this commit has no test to commit.")
    try:
        with context.repo(request.repository_id, FOR_TESTS) as repo:
            _must_be_writable(request, repo, tests)
            sha = repo.commit_files(
                pull.head_ref,
                pull.head_sha,
                {one.path: one.text for one in tests},
                _message(tests, request.by, repo),
            )
    except PermissionMissing:
        raise CommandRefused("The installation of Assay lacks `contents: write`. Nothing was committed.") from None
    except GithubRefused as refused:
        why = f"GitHub refused the commit ({refused.status}): the branch moved or is protected."
        raise CommandRefused(f"{why} Nothing was committed.") from None
    names = ", ".join(as_code(one.path) for one in tests)
    return f"Committed {names} as {as_code(sha[:12])}. It fails until the finding is fixed."


def _must_be_writable(request: CommandRequest, repo: Repo, tests: tuple[Demonstration, ...]) -> None:
    """Raise `CommandRefused` for the default or a protected branch, and for a path that is there already."""
    pull = request.pull
    row = request.context.store.repositories.get(request.repository_id)
    if pull.head_ref in (pull.base_ref, row.default_branch if row is not None else None):
        raise CommandRefused("The head is the default branch, where Assay commits nothing.")
    if repo.is_protected(pull.head_ref):
        raise CommandRefused(f"The branch {as_code(pull.head_ref, 80)} is protected. Nothing was committed.")
    for one in tests:
        is_link = bool(repo.links_among([one.path], pull.head_sha))
        if is_link or repo.file_on(one.path, pull.head_sha) is not None:
            raise CommandRefused(f"{as_code(one.path)} exists already. Nothing was committed.")


def _message(tests: tuple[Demonstration, ...], by: Person, repo: Repo) -> str:
    """Return the message; the user who pressed is a co-author, and so a maker of the head."""
    ids = ", ".join(one.finding for one in tests)
    host = urlsplit(repo.web_url).hostname or "github.com"
    address = f"{f'{by.id}+' if by.id is not None else ''}{by.login}@users.noreply.{host}"
    return (
        f"{TEST_COMMIT} ({ids})\n\nAssay's report shows it and its output.\n\nCo-authored-by: {by.login} <{address}>\n"
    )
