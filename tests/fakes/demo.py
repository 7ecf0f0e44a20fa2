"""The App at work, to look at: a GitHub on this machine, a pull request from real commits, and what Assay says there.

Run by `make demo`. The GitHub is the one the tests use: the emulator `emulate`, and a front of ours that adds what it
lacks. The App is the real one, in a process of its own, on SQLite, hearing signed webhooks over HTTP.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.markdown import Markdown
from rich.panel import Panel
from rich.text import Text

from assay.github.events.model import RepositoryFacts
from assay.github_app.dashboard import LoginLinks
from assay.github_app.store import Store
from assay.validators import (
    ChangeSet,
    Nature,
    Options,
    Repository,
    Tier,
    ValidationConfig,
    change_between,
    validate,
)
from tests.fakes.contract import judge
from tests.fakes.demo_history import remember, small_commits
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer

ROOT = Path(__file__).resolve().parents[2]
TRIED = 3
"""How many landed changes, newest first, are looked at to find one that Assay has more to say about than "fine"."""
MOST_FILES = 20
PATIENCE_S = 180
QUIET_S = 4.0
"""The App keeps a second between two things it writes."""
BRANCH = "claude/change"


def main() -> int:
    """Show it; 0 where the App published a Check Run, 3 where it did not."""
    console = Console()
    console.rule("The GitHub App, on a GitHub of this machine")
    with tempfile.TemporaryDirectory(prefix="assay-demo-") as scratch:
        place = Path(scratch)
        copy = place / "assay.git"
        git("clone", "--quiet", "--bare", str(ROOT), str(copy))
        with Repository(copy) as repository:
            change = _worth_showing(repository)
        server = GitHubServer(judge)
        try:
            return _shown(console, FakeGitHub(server, place / "github"), copy, change, place / "data")
        finally:
            server.close()


def _shown(console: Console, github: FakeGitHub, copy: Path, change: ChangeSet, data: Path) -> int:
    subject = change.commits[0].message.splitlines()[0] if change.commits else change.head_sha[:12]
    repo = github.create_repository("assay")
    git("update-ref", "refs/heads/main", change.merge_base, at=copy)
    git("update-ref", f"refs/heads/{BRANCH}", change.head_sha, at=copy)
    github.push(copy, "main")
    github.push(copy, BRANCH)
    port = _free_port()
    with _app(github, data, port):
        console.print("The App runs, on SQLite.")
        github.deliver_to(f"http://127.0.0.1:{port}/webhooks/github")
        began = time.monotonic()
        _check_of_its_own(github, repo, change.head_sha)
        number = github.open_pull(BRANCH, title=subject, body="Generated with Claude Code")
        console.print(Text(f"{repo}#{number} is opened: {subject} ({change.head_sha[:9]}, {len(change.files)} files)"))
        with console.status("Waiting for the Check Run …"):
            run = _published(github, change.head_sha)
        if run is None:
            console.print(f"No Check Run was finished within {PATIENCE_S} s.", style="bold red")
            return 3
        console.print(f"Judged and published {time.monotonic() - began:.1f} s after the pull request was opened.\n")
        with console.status("Label and comment follow …"):
            _quiet(github)
        _show(console, github, run, number)
        _history(console, github, repo, data)
        link = LoginLinks(github.webhook_secret).link(f"http://127.0.0.1:{port}")
        console.print(Text(f"\nThe App's pages:     {link}"), soft_wrap=True)
        console.print(Text(f"The pull request:    http://127.0.0.1:{port}/repos/{repo}/pulls/{number}"), soft_wrap=True)
        console.print(
            Text(f"What GitHub holds:   {github.url}/repos/{repo}/commits/{change.head_sha}/check-runs"), soft_wrap=True
        )
        if sys.stdin.isatty():
            console.input("\nThey stay up until you press Enter. ")
    return 0


def _history(console: Console, github: FakeGitHub, repo: str, data: Path) -> None:
    """Something for the pages to show: what landed in this repository, judged."""
    place = RepositoryFacts(github.repository_id(repo), repo)
    with Store.open(f"sqlite:///{data / 'assay.sqlite'}", migrate=False) as store, console.status("") as status:
        num = remember(
            store, place, ROOT, lambda done, of: status.update(f"Judging what landed before: {done} of {of}")
        )
    console.print(f"\nThe pages show {num} commits that landed here before, each judged as if it were a pull request.")


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
        console.print("No comment: nothing here earns one.")


def _published(github: FakeGitHub, sha: str) -> dict[str, Any] | None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        for run in github.check_runs(sha, name="Assay"):
            # The push of main may arrive after the pull request: its configuration then starts the validation again.
            if run["status"] == "completed" and run["conclusion"] != "cancelled":
                return run
        time.sleep(0.2)
    return None


def _check_of_its_own(github: FakeGitHub, repo: str, sha: str) -> None:
    """What the repository's own CI says of the head: the App takes it for Tier 1, and runs nothing itself."""
    told = {"state": "success", "context": "ci/test", "description": "said by the demo, not by a real CI"}
    github.as_person(github.owner, "POST", f"/repos/{repo}/statuses/{sha}", told)


def _quiet(github: FakeGitHub) -> None:
    """Wait until the App has nothing more to say: no request for a few seconds."""
    seen, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S:
        if len(github.requests) != seen:
            seen, since = len(github.requests), time.monotonic()
        time.sleep(0.2)
    github.settled()


def _worth_showing(repository: Repository) -> ChangeSet:
    """The newest landed change that is at least of high risk and can be read at a glance; else the newest."""
    first: ChangeSet | None = None
    for commit in small_commits(repository, MOST_FILES)[:TRIED]:
        change = change_between(repository, f"{commit}^1", commit)
        first = first or change
        if not any(change.existing(Nature.source)):
            continue
        risk = validate(change, ValidationConfig(), Options(tiers=(Tier.risk,))).risk
        if risk is not None and risk.level.rank >= 2:
            return change
    return first or change_between(repository)


@contextmanager
def _app(github: FakeGitHub, data: Path, port: int) -> Iterator[None]:
    """`assay serve`, told about this GitHub; ended at the end."""
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
    log = data / "assay.log"
    with log.open("wb") as stream:
        assay = str(Path(sys.executable).with_name("assay"))
        child = subprocess.Popen([assay, "serve"], env={**kept, **settings}, stdout=stream, stderr=stream, cwd=data)
    try:
        _wait_for(f"http://127.0.0.1:{port}/readyz", child, log)
        yield
    finally:
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_for(url: str, child: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + 60
    while time.monotonic() < until and child.poll() is None:
        try:
            if requests.get(url, timeout=2).ok:
                return
        except requests.ConnectionError:
            time.sleep(0.1)
    raise SystemExit(f"the App did not start:\n{log.read_text('utf-8', 'replace')[-4000:]}")


def git(*words: str, at: Path = ROOT) -> None:
    """Run git, or end with what it said."""
    subprocess.run(["git", *words], cwd=at, check=True)


if __name__ == "__main__":
    sys.exit(main())
