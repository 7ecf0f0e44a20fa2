"""The Action beside the App: results posted in a job's own name, and the same change told alike by both."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from assay.action.output.publishing import LEFT_TO_APP
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import FIRST, LOUD, Shop, at
from tests.github_app.processes import AppProcess, environment_for, wait_ready
from tests.ports import free_port
from tests.repositories import RealRepository

# Each door has tests of its own in every run; that both say the same is the long run's.
pytestmark = [pytest.mark.timeout(240), pytest.mark.soak]
TRUSTED = "assay-dev/assay/.github/workflows/validate.yml@refs/tags/v1"
PATIENCE_S = 60


@contextmanager
def app(github: FakeGitHub, folder: Path) -> Iterator[str]:
    """The App as it is served, hearing this GitHub; gives its address."""
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    environment = environment_for(
        github, folder / "app", port=port, public_url=address, trusted_workflows=TRUSTED, oidc_issuer=github.oidc_issuer
    )
    process = AppProcess("serve", environment, folder / "app.log")
    process.start()
    try:
        github.deliver_to(f"{wait_ready(environment, process)}/webhooks/github")
        yield address
        assert "Traceback" not in process.said(), process.said()
    finally:
        github.deliver_to(None)
        process.close()


def telling(address: str) -> str:
    """The documented workflow, as it is written where an App publishes."""
    granted = FIRST.rstrip().replace("actions: read}", "actions: read, id-token: write}")
    return f"{granted}\n    with:\n      app-url: {address}\n"


def test_both_doors_say_the_same_of_the_same_change(github: FakeGitHub, repository: RealRepository, tmp_path: Path):
    shop = at(tmp_path / "shop", github, repository)
    with app(github, tmp_path) as address:
        shop.begin()
        number = shop.pull(LOUD)
        run = shop.act.pull(number, telling(address), repo=shop.name)
        assert run.results() == {"assay": "failure"}, run.log[-5000:]
        assert LEFT_TO_APP in run.summary
        github.wait(lambda: finished(shop, number), timeout_s=PATIENCE_S)
        by_app = shop.check(number)
        assert by_app["app"]["slug"] == github.app_slug
        assert "1 passed" in text_of(by_app), "what the job posted"
        told_by_app = told(shop, number)
        github.settled(timeout_s=30)

    till = Shop(github, RealRepository(tmp_path / "till"), shop.act, "acme/till")
    till.begin()
    other = till.pull(LOUD)
    assert till.validate(other).results() == {"assay": "failure"}
    by_action = till.check(other)
    assert by_action["app"]["slug"] == "github-actions"
    assert till.heads[other] == shop.heads[number], "the same content is the same commit"
    assert told(till, other) == told_by_app
    assert by_app["actions"]
    assert not by_action["actions"]


def finished(shop: Shop, number: int) -> bool:
    """One Check Run, ended, with the words of the tools job, and the comment that comes behind it."""
    found = shop.checks(number)
    assert len(found) <= 1, "one Check Run for a head, whoever writes it"
    return (
        bool(found)
        and found[0]["conclusion"] is not None
        and "1 passed" in text_of(found[0])
        and any("tests pass" in one for one in shop.comments(number))
    )


def told(shop: Shop, number: int) -> dict[str, Any]:
    """Everything that stands there, but for what may differ."""
    check = shop.check(number)
    (comment,) = shop.github.comments(number, repo=shop.name)
    (review,) = shop.github.reviews(number, repo=shop.name)
    return {
        "title": check["output"]["title"],
        "conclusion": check["conclusion"],
        "summary": alike(check["output"]["summary"], shop),
        "text": alike(check["output"]["text"], shop),
        "annotations": check["annotations"],
        "labels": shop.risk(number),
        "comment": alike(comment["body"], shop),
        "notes": [(one["path"], one["line"], alike(one["body"], shop)) for one in review["comments"]],
    }


def alike(text: str, shop: Shop) -> str:
    """A text without what may differ between the two doors:

    - who has reported Tier 1
    - how to release a hold or waive a finding, which only the App can do
    - how long everything took, and the address of the report
    """
    lines = [
        line
        for line in text.replace(shop.name, "acme/NAME").split("\n")
        if not re.search(r"reported by|/assay |[Bb]utton|[Hh]and to agent|Release hold", line)
        and not re.match(r"\*\*To waive a finding|- `[0-9a-f]{12}` ", line)
    ]
    whole = re.sub(r"\n{2,}", "\n\n", re.sub(r"\d+(\.\d+)? s\b", "N s", "\n".join(lines)))
    return re.sub(r"http://127\.0\.0\.1:\d+/[^\s)\"]*", "ADDRESS", whole).strip()


def text_of(check: dict[str, Any]) -> str:
    return (check["output"]["summary"] or "") + (check["output"]["text"] or "")
