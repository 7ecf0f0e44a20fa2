"""Show the App at work: a GitHub on this machine, a pull request from real commits, and what Assay publishes there.

Run by `make demo`. The GitHub is the one the tests use: the emulator `emulate`, and a front that adds what it lacks.
The App is the real one, in a process of its own, on SQLite, and receives signed webhooks over HTTP.

Landed commits of this repository stand in for pull requests. The riskiest is opened as one; the others fill the pages.
Real are the commits, their times and the verdicts on their risk. That each was a pull request, and merged at once, is
made up: the history says no more.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import requests
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from assay.github.events.model import Person, PullFacts, RepositoryFacts
from assay.github_app.outcomes import validation_completed
from assay.github_app.store import EventKind, OutcomeKind, RunState, Store
from assay.github_app.web.dashboard import LoginLinks
from assay.validators import (
    ChangeSet,
    Options,
    Repository,
    Tier,
    ValidationConfig,
    ValidationReport,
    change_between,
    validate,
)
from tests.fakes.contract import judge
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[2]
NUM_COMMITS = 5
"""Landed commits that are validated, spread over the newest `NUM_SEARCHED`."""
NUM_SEARCHED = 400
MOST_FILES = 20
FIRST_NUMBER = 1001
"""The number of the first landed pull request; the one that the demo opens has a small number."""
TIMEOUT_S = 180
QUIET_S = 2.5
"""The App keeps a second between two writes."""
BRANCH = "claude/change"


class Landed(NamedTuple):
    """A landed commit and the report on its risk."""

    change: ChangeSet
    report: ValidationReport
    at: datetime

    @property
    def subject(self) -> str:
        """The first line of the commit message."""
        return self.change.commits[0].message.splitlines()[0]


class Shown(NamedTuple):
    """Addresses of the App's pages, while it runs."""

    login: str
    """Lets the operator in, once."""
    pull: str


def main(visit: Callable[[Shown], None] | None = None) -> int:
    """Return 0 if the App published a Check Run, 3 if it did not.

    The App runs until `visit` returns, by default until Enter is pressed on a terminal.
    """
    console = Console()
    console.rule("The GitHub App, on a GitHub of this machine")
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as scratch:
        folder = Path(scratch)
        server = GitHubServer(judge)
        try:
            shown = _demonstrate(console, FakeGitHub(server, folder / "github"), folder, visit or _until_enter)
            return 0 if shown else 3
        finally:
            server.close()


def _demonstrate(console: Console, github: FakeGitHub, folder: Path, visit: Callable[[Shown], None]) -> bool:
    port = free_port()
    with _app(github, folder / "data", port) as child:
        with console.status("The App starts; meanwhile landed commits are validated …"):
            with Repository(ROOT) as repository:
                landed = _validate_landed(repository)
            opened = max(landed, key=lambda one: one.report.risk.level.rank if one.report.risk else -1)
            landed.remove(opened)
            _wait_for(f"http://127.0.0.1:{port}/readyz", child, folder / "data/assay.log")
        console.print(f"The App runs, on SQLite. Its pages show {len(landed)} landed commits as merged pull requests.")
        repo = github.create_repository("assay")
        _remember(github, repo, folder / "data", landed)
        head = _push(github, folder / "assay.git", opened)
        shown = _open_pull(console, github, repo, opened, head, f"http://127.0.0.1:{port}")
        if shown is not None:
            visit(shown)
        return shown is not None


def _until_enter(_shown: Shown) -> None:
    if sys.stdin.isatty():
        input("\nThey stay up until you press Enter. ")


def _open_pull(console: Console, github: FakeGitHub, repo: str, opened: Landed, head: str, pages: str) -> Shown | None:
    """Open the change as a pull request and print what the App publishes there; None if it publishes nothing."""
    github.deliver_to(f"{pages}/webhooks/github")
    began = time.monotonic()
    _report_own_check(github, repo, head)
    number = github.open_pull(BRANCH, title=opened.subject, body="Generated with Claude Code")
    about = f"{opened.subject} ({head[:9]}, {len(opened.change.files)} files)"
    console.print(Text(f"{repo}#{number} is opened: {about}"))
    with console.status("Waiting for the Check Run …"):
        run = _published(github, head)
    if run is None:
        console.print(f"No Check Run was completed within {TIMEOUT_S} s.", style="bold red")
        return None
    console.print(f"Validated and published {time.monotonic() - began:.1f} s after the pull request was opened.\n")
    with console.status("Label and comment follow …"):
        _wait_until_quiet(github)
    _show(console, github, run, number)
    shown = Shown(LoginLinks(github.webhook_secret).link(pages), f"{pages}/repos/{repo}/pulls/{number}")
    for label, url in (
        ("The pull request:", shown.pull),
        ("What GitHub holds:", f"{github.url}/repos/{repo}/commits/{head}/check-runs"),
        ("Open the App's pages:", shown.login),
    ):
        console.print(Text(f"{label:22} {url}"), soft_wrap=True)
    return shown


def _push(github: FakeGitHub, clone: Path, opened: Landed) -> str:
    """Push the change and its base as a history of two commits, and return the head: all of it would take longer."""
    git("clone", "--quiet", "--bare", "--shared", str(ROOT), str(clone))
    base = _commit(clone, opened.change.merge_base, "-mBase")
    head = _commit(clone, opened.change.head_sha, f"-m{opened.subject}", f"-p{base}")
    for branch, sha in (("main", base), (BRANCH, head)):
        git("update-ref", f"refs/heads/{branch}", sha, at=clone)
        github.push(clone, branch)
    return head


def _commit(clone: Path, like: str, *options: str) -> str:
    """Commit the tree of another commit and return the new commit."""
    author = ("-c", "user.name=Assay", "-c", "user.email=assay@example.com")
    return git(*author, "commit-tree", *options, f"{like}^{{tree}}", at=clone).strip()


def _validate_landed(repository: Repository) -> list[Landed]:
    """Validate the risk of small commits of the newest history, oldest first."""
    commits = _small_commits(repository)
    found = []
    for commit in commits[:: max(1, len(commits) // NUM_COMMITS)][:NUM_COMMITS][::-1]:
        change = change_between(repository, f"{commit}^1", commit)
        report = validate(change, ValidationConfig(), Options(tiers=(Tier.risk,)))
        seconds = int(repository.good("show", "--no-patch", "--format=%ct", commit).decode())
        found.append(Landed(change, report, datetime.fromtimestamp(seconds, UTC)))
    return found


def _small_commits(repository: Repository) -> list[str]:
    """Return the newest first-parent commits that change at most `MOST_FILES` files, newest first."""
    options = ("--first-parent", "--min-parents=1", f"--max-count={NUM_SEARCHED}", "--shortstat", "--format=%H")
    lines = repository.good("log", *options, repository.resolve("HEAD")).decode().split("\n")
    stats = [line for line in lines if line.strip()]
    return [one for one, then in pairwise(stats) if then.startswith(" ") and int(then.split()[0]) <= MOST_FILES]


def _remember(github: FakeGitHub, repo: str, data: Path, landed: list[Landed]) -> None:
    """Store landed commits as merged pull requests, so that the pages have something to show."""
    place = RepositoryFacts(github.repository_id(repo), repo)
    with Store.open(f"sqlite:///{data / 'assay.sqlite'}", migrate=False) as store:
        for number, one in enumerate(landed, FIRST_NUMBER):
            change, at = one.change, one.at
            facts = PullFacts(
                id=number, number=number, title=one.subject, body="", author=Person(change.commits[0].author_name),
                head_sha=change.head_sha, head_ref=f"commit-{number}", base_sha=change.merge_base, base_ref="main",
                head_repository=place, base_repository_id=place.id, state="closed", is_merged=True, created_at=at,
                updated_at=at, closed_at=at, merged_at=at, merge_commit_sha=change.head_sha,
            )  # fmt: skip
            store.pulls.see(facts, place, at, action="opened")
            store.events.append(EventKind.pr_opened, f"{place.id}:{number}", at, place.id, number)
            run, _ = store.runs.begin(place.id, number, change.head_sha, "demo", at)
            validation_completed(store, run, one.report, at)
            store.runs.advance(run.id, RunState.completed, at)
            store.outcomes.put(place.id, number, OutcomeKind.merged, change.head_sha, at)


def _show(console: Console, github: FakeGitHub, run: dict[str, Any], number: int) -> None:
    output = run["output"]
    heading = Text(f"Check Run “{run['name']}”: {run['conclusion']}")
    body = Markdown(str(output["summary"]))
    console.print(Panel(body, title=heading, subtitle=Text(str(output["title"])), padding=(1, 2)))
    notes = run["annotations"]
    if notes:
        console.print(f"{len(notes)} annotations, the first ones:")
        for note in notes[:5]:
            place = f"{note['path']}:{note['start_line']}"
            console.print(Text(f"  {note['annotation_level']:8} {place}  {note['message'].splitlines()[0]}"))
    console.print(Text(f"\nLabels: {', '.join(github.labels(number)) or 'none'}", style="bold"))
    comments = github.comments(number)
    for comment in comments:
        title = Text(f"Comment of {comment['user']['login']}")
        console.print(Panel(Markdown(str(comment["body"])), title=title, padding=(1, 2)))
    if not comments:
        console.print("No comment: nothing here needs one.")


def _published(github: FakeGitHub, sha: str) -> dict[str, Any] | None:
    until = time.monotonic() + TIMEOUT_S
    while time.monotonic() < until:
        for run in github.check_runs(sha, name="Assay"):
            # The push of main may arrive after the pull request: its configuration then starts the validation again.
            if run["status"] == "completed" and run["conclusion"] != "cancelled":
                return run
        time.sleep(0.2)
    return None


def _report_own_check(github: FakeGitHub, repo: str, sha: str) -> None:
    """Report success from the repository's own CI: the App takes it for Tier 1 and runs nothing itself."""
    status = {"state": "success", "context": "ci/test", "description": "set by the demo, not by a real CI"}
    github.as_person(github.owner, "POST", f"/repos/{repo}/statuses/{sha}", status)


def _wait_until_quiet(github: FakeGitHub) -> None:
    """Wait until the App has sent no request for `QUIET_S`."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S:
        if len(github.requests) != seen:
            seen, since = len(github.requests), time.monotonic()
        time.sleep(0.2)
    github.settled()


@contextmanager
def _app(github: FakeGitHub, data: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run `assay serve` with this GitHub; yield its process before it is ready."""
    data.mkdir(mode=0o700)
    for name, text in (("app.private-key.pem", github.private_key), ("app.webhook-secret", github.webhook_secret)):
        (data / name).write_text(text)
        (data / name).chmod(0o600)
    settings = {
        "ASSAY_APP_ID": str(github.app_id),
        "ASSAY_DATA_DIR": str(data),
        "ASSAY_GITHUB_API_URL": github.url,
        "ASSAY_GITHUB_URL": github.url,
        "ASSAY_PORT": str(port),
        "ASSAY_LOG_LEVEL": "WARNING",
    }
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ASSAY_")}
    with (data / "assay.log").open("wb") as stream:
        assay = str(Path(sys.executable).with_name("assay"))
        child = subprocess.Popen([assay, "serve"], env={**kept, **settings}, stdout=stream, stderr=stream, cwd=data)
    try:
        yield child
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()


def _wait_for(url: str, child: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and child.poll() is None:
        try:
            if requests.get(url, timeout=10).ok:
                return
        except requests.RequestException:
            pass
        time.sleep(0.1)
    raise SystemExit(f"the App did not start:\n{log.read_text('utf-8', 'replace')[-4000:]}")


def git(*words: str, at: Path = ROOT) -> str:
    """Run git and return its output; raise `CalledProcessError` if it fails."""
    return subprocess.run(["git", *words], cwd=at, check=True, stdout=subprocess.PIPE, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
