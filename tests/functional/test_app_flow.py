"""One pull request's whole life with the App as it is run, on a GitHub that nobody here wrote.

Every request the App sends is validated by GitHub's own description of its API when the last test here has ended.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assay.github.events.model import CommentFacts, Person
from assay.github_app.store import EventKind, OutcomeKind, SourceRow, Store
from tests.fakes.github import FakeGitHub
from tests.fakes.github_server import GitHubServer
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.repositories import RealRepository

pytestmark = pytest.mark.timeout(300)
PATIENCE_S = 150
WORKFLOW = """\
name: ci
on: pull_request
permissions:
  contents: {level}
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - run: pytest
"""

SETTINGS = """\
mode: enforce
comments: all
tier1:
  scanners: [zizmor, squawk]
tier2:
  customRules:
    - {id: no-print, message: "Say nothing to the terminal", severity: error, forbid: 'print\\('}
"""


class Shop:
    """A repository with the App, the pull request of one test in it, and what the tests ask about it."""

    def __init__(self, github: FakeGitHub, repository: RealRepository, data: Path) -> None:
        self.github = github
        self.repository = repository
        self.data = data
        self.number = 0
        self.branch = ""
        github.create_repository("shop")
        github.person("ada", role="write")
        repository.commit(
            "Start",
            {
                ".github/assay.yml": SETTINGS,
                ".github/workflows/ci.yml": WORKFLOW.format(level="read"),
                "shop.py": "def price(n):\n    return n\n",
            },
        )
        github.push(repository, "main")

    def begin(self, branch: str) -> None:
        """Begin a change on a branch of its own."""
        self.number, self.branch = 0, branch
        self.repository.branch(branch, "main")

    def push(self, message: str, files: dict[str, str]) -> str:
        head = self.repository.commit(message, files)
        self.github.push(self.repository, self.branch, by="ada")
        return head

    def run(self, head: str, conclusion: str) -> dict[str, Any]:
        """The one Check Run of a head, once it has this conclusion."""

        def concluded() -> dict[str, Any] | None:
            runs = self.github.check_runs(head, name="Assay")
            assert len(runs) <= 1, "more than one Check Run for a head"
            return runs[0] if runs and runs[0]["conclusion"] == conclusion else None

        found: dict[str, Any] = self.github.wait(concluded, timeout_s=PATIENCE_S)
        return found

    def risk_labels(self) -> list[str]:
        return [label for label in self.github.labels(self.number) if label.startswith("risk:")]

    def ours(self) -> list[dict[str, Any]]:
        """The comments of the App."""
        comments = self.github.comments(self.number)
        return [one for one in comments if one["user"]["login"] == f"{self.github.app_slug}[bot]"]

    def command(self, text: str, by: str) -> list[str]:
        """Say a command; the reactions the App gave to it in the end."""
        comment_id = self.github.comment(self.number, text, by=by)

        def reacted() -> list[str]:
            given = [content for who, content in self.github.reactions(comment_id) if who.endswith("[bot]")]
            return [content for content in given if content != "eyes"]

        found: list[str] = self.github.wait(reacted, timeout_s=PATIENCE_S)
        return found

    def store(self) -> Store:
        return Store.open(f"sqlite:///{self.data / 'assay.sqlite'}", migrate=False)


@pytest.fixture(scope="module")
def shop_with_app(github_server: GitHubServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """A shop, and the App as a process that looks after it: one for all tests here, for it takes long to start."""
    folder = tmp_path_factory.mktemp("flow")
    github, data = FakeGitHub(github_server, folder / "github"), folder / "data"
    environment = environment_for(github, data)
    process = AppProcess("serve", environment, folder / "app.log")
    process.start()
    try:
        github.deliver_to(f"{wait_ready(environment, process)}/webhooks/github")
        yield Shop(github, RealRepository(folder / "repository"), data)
        said = process.said()
        assert "Traceback" not in said, said
        for secret in (github.webhook_secret, github.private_key.splitlines()[3]):
            assert secret not in said
    finally:
        process.close()
        violations = github.state.violations
        github.close()
    assert not violations, "GitHub would not know these requests:\n" + "\n".join(violations)


@pytest.fixture
def shop(shop_with_app: Shop, request: pytest.FixtureRequest) -> Shop:
    """The shop, with a change begun."""
    shop_with_app.begin(f"claude/{request.node.name}")
    return shop_with_app


def test_the_life_of_a_pull_request(shop: Shop):
    github = shop.github
    first = shop.push("Let CI write", {".github/workflows/ci.yml": WORKFLOW.format(level="write")})
    shop.number = number = github.open_pull(shop.branch, by="ada", title="Let CI write", draft=True)

    held = shop.run(first, "action_required")
    assert "approval required" in held["output"]["title"]
    github.wait(lambda: shop.risk_labels() == ["risk:critical"])
    github.wait(lambda: len(shop.ours()) == 1)

    github.mark_ready(number)
    assert shop.command("/assay release I wrote it, so it is fine", by="ada") == ["confused"]
    assert shop.run(first, "action_required")["id"] == held["id"]

    assert shop.command("/assay release fine by me", by="olivia") == ["confused"], "the reason names what is accepted"
    assert shop.command("/assay release ci: the bot commits the lock file", by="olivia") == ["+1"]
    assert shop.run(first, "success")["id"] == held["id"]

    second = shop.push("And a price", {"shop.py": "def price(n):\n    return n + 1\n"})
    again = shop.run(second, "action_required")
    assert again["id"] != held["id"]

    github.as_person("olivia", "DELETE", f"/repos/acme/shop/issues/{number}/labels/risk:critical")
    github.wait(lambda: shop.risk_labels() == ["risk:critical"], timeout_s=PATIENCE_S)

    github.label(number, "risk:low")
    github.wait(lambda: shop.risk_labels() == ["risk:critical"], timeout_s=PATIENCE_S)

    review = github.review(number, "REQUEST_CHANGES", "Not so", by="olivia")
    assert review
    third = shop.push("Undo", {".github/workflows/ci.yml": WORKFLOW.format(level="read")})
    shop.run(third, "success")
    github.wait(lambda: shop.risk_labels() == ["risk:low"], timeout_s=PATIENCE_S)
    github.review(number, "APPROVE", "", by="olivia")
    github.merge(number)
    github.settled(timeout_s=30)

    with shop.store() as store:
        repository_id = github.repository_id()

        def outcome() -> list[OutcomeKind]:
            return [row.kind for row in store.outcomes.of(repository_id, number)]

        github.wait(lambda: outcome() == [OutcomeKind.merged], timeout_s=PATIENCE_S)
        kinds = {event.kind for event in store.events.of(repository_id, number)}
        assert {
            EventKind.pr_opened,
            EventKind.validation_completed,
            EventKind.hold_placed,
            EventKind.hold_released,
            EventKind.review_submitted,
            EventKind.pr_outcome_recorded,
        } <= kinds
        pull = store.pulls.get(repository_id, number)
        assert pull is not None
        assert pull.agent == "claude-code"
        assert next(row.release_reason for row in store.holds.history(repository_id, number)) == (
            "ci: the bot commits the lock file"
        )


@pytest.mark.soak
def test_a_finding_is_explained_waived_and_the_head_validated_again(shop: Shop):
    github = shop.github
    head = shop.push("Shout", {"shop.py": "def price(n):\n    print('HERE', n)\n    return n\n"})
    shop.number = github.open_pull(shop.branch, by="ada", title="Shout")
    run = shop.run(head, "failure")
    with shop.store() as store:
        # The push of the settings may be handled after the pull request was opened, and begins its run anew.
        newest = store.runs.of_pull(github.repository_id(), shop.number)[-1]
        blocking = [row for row in store.runs.findings(newest.id) if row.is_blocking]
    assert blocking
    finding = blocking[0].finding_id

    assert shop.command(f"/assay explain {finding}", by="ada") == ["+1"]
    assert shop.command("/assay explain 0123456789ab", by="ada") == ["confused"]
    github.person("stranger", role="read")
    assert shop.command(f"/assay fp {finding} it is not there any more", by="stranger") == ["confused"]
    for each in blocking:
        assert shop.command(f"/assay fp {each.finding_id} it is a tool for terminals", by="olivia") == ["+1"]
    assert shop.run(head, "success")["id"] == run["id"]

    seen = len(github.check_runs(head, name="Assay")[0]["updates"])
    github.rerequest(run["id"])
    github.wait(lambda: len(github.check_runs(head, name="Assay")[0]["updates"]) > seen, timeout_s=PATIENCE_S)
    assert shop.run(head, "success")


@pytest.mark.soak
def test_what_reviewers_asked_for_before_is_said_before_they_have_to(shop: Shop):
    github, at = shop.github, datetime.now(UTC)
    repository_id = github.repository_id()
    learned: dict[str, Any] = {"key": "shell", "polarity": "dont", "language": "python"}
    with shop.store() as store:
        rule = (repository_id, "0000000000a1")
        text = "Rule: run programs with a list of arguments, not `os.system`"
        store.rules.put_pending(*rule, text, {}, at, **learned)
        hunk = "@@ -1 +1,2 @@\n+os.system(line)"
        comment = CommentFacts(7_000, Person("mary", 5), "No shell, please", at, at, path="old.py", diff_hunk=hunk)
        store.reviews.put_comment(repository_id, 9_999, comment, at)
        source = SourceRow(
            repository_id, "line", 7_000, rule[1], 9_999, "line:7000", "mary", 5, "write", True, None, at
        )
        store.rules.add_source(source)
        store.rules.confirm(*rule, at, by="mary", expires_at=at + timedelta(days=1))
    head = shop.push("Shell", {"tool.py": "import os\n\n\ndef run(line):\n    os.system(line)\n"})
    shop.number = github.open_pull(shop.branch, by="ada", title="Shell")
    said = str(shop.run(head, "action_required"))
    assert "run programs with a list of arguments" in said
    assert "#9999 by mary" in said
    with shop.store() as store:
        newest = store.runs.newest_reported(repository_id, shop.number)
        assert newest is not None
        found = [row for row in store.runs.findings(newest.id) if row.rule == "learned_rules.0000000000a1"]
        store.rules.reject(*rule, at, by="mary")
    assert [(row.file, row.line, row.is_blocking) for row in found] == [("tool.py", 5, False)]


@pytest.mark.soak
def test_a_pull_request_from_a_fork_and_from_a_stranger(shop: Shop):
    github = shop.github
    github.person("zoe", role="none")
    fork = github.fork("zoe")
    head = shop.repository.commit("A price", {"shop.py": "def price(n):\n    return n + 2\n"})
    github.push(shop.repository, shop.branch, repo=fork, by="zoe")
    shop.number = github.open_pull(shop.branch, by="zoe", title="@octocat <img src=x>", from_fork=fork)
    shop.run(head, "success")
    github.wait(lambda: shop.risk_labels() == ["risk:low"], timeout_s=PATIENCE_S)
    assert shop.command("/assay hold", by="zoe") == ["confused"]
    assert shop.command("/assay rerun", by="zoe") == ["+1"]


@pytest.mark.soak
def test_a_critical_hold_has_no_button_and_stays_when_validated_again(shop: Shop):
    github = shop.github
    head = shop.push("Let CI write", {".github/workflows/ci.yml": WORKFLOW.format(level="write")})
    shop.number = github.open_pull(shop.branch, by="ada", title="Let CI write")
    run = shop.run(head, "action_required")
    buttons = {action["label"]: action["identifier"] for action in run["actions"]}
    assert set(buttons) == {"Re-run"}, "it is released by a command with a reason, and nothing blocks"
    seen = len(run["updates"])
    github.press(run["id"], buttons["Re-run"], by="olivia")
    github.wait(lambda: len(github.check_runs(head, name="Assay")[0]["updates"]) > seen, timeout_s=PATIENCE_S)
    assert shop.run(head, "action_required")["id"] == run["id"]


@pytest.mark.soak
def test_the_merge_queue_gets_its_answer(shop: Shop):
    github = shop.github
    head = shop.push("A sale", {"sale.py": "def sale(n):\n    return n - 3\n"})  # `main` may have another price by now
    shop.number = github.open_pull(shop.branch, by="ada", title="A sale")
    shop.run(head, "success")
    group = github.enqueue(shop.number)
    shop.run(group, "success")
