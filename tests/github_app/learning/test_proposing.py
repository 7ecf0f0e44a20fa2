"""The block in AGENTS.md goes its whole way on the tests' GitHub: proposed, renewed, merged, edited, declined."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from assay.github.client import Github, Repo
from assay.github.errors import GithubRefused
from assay.github_app.learning.handout.agents_md import (
    BEGIN,
    BRANCH,
    END,
    FILE,
    Outcome,
    block_of,
    propose,
)
from assay.github_app.learning.handout.delivery import DeliveredRule
from assay.github_app.ops.permissions import FOR_PROPOSING, FOR_READING
from tests.fakes.front.state import OWNER
from tests.fakes.github import FakeGitHub
from tests.github_app.learning.test_agents_block import KIND, LOG, told, without_block
from tests.github_app.open_pull import app
from tests.repositories import RealRepository

__all__ = ["app"]

OWN = "# Agents\n\nBe kind.\t \r\nünïcödé \n"


@dataclass
class Shop:
    """A repository with instructions of its own, and the App's way in."""

    github: FakeGitHub
    repository: RealRepository
    repo: Repo
    name: str

    def file(self, branch: str = "main") -> bytes:
        """AGENTS.md on a branch."""
        found = self.repo.file_on(FILE, branch)
        assert found is not None
        return found.content

    def commit(self, content: str, branch: str = "main") -> None:
        """Somebody changes AGENTS.md."""
        there = self.repo.file_on(FILE, branch)
        self.repo.write_file(FILE, content.encode(), "Words", branch, there)

    def merge(self, number: int) -> None:
        """A person merges a pull request."""
        # The emulator would merge the head the pull request was opened with, whatever was committed since.
        self.commit(self.file(BRANCH).decode())
        changes = {"merged": True, "merged_at": self.github.state.now(), "state": "closed"}
        self.github._emulator.bed("pulls", "PATCH", repo=self.name, number=number, changes=changes)

    def close(self, number: int) -> None:
        """A person closes a pull request."""
        self.github.as_person(OWNER, "PATCH", f"/repos/{self.name}/pulls/{number}", {"state": "closed"})


@pytest.fixture
def shop(github: FakeGitHub, repository: RealRepository, app: Github) -> Iterator[Shop]:
    name = github.create_repository("shop")
    (repository.path / FILE).write_bytes(OWN.encode())
    repository.commit("Start")
    github.push(repository, "main")
    with app.repository(github.installation_id, github.repository_id(), name, permissions=FOR_PROPOSING) as repo:
        yield Shop(github, repository, repo, name)


def test_the_block_goes_its_whole_way(shop: Shop):
    first = propose(shop.repo, "main", [LOG])
    assert first.outcome is Outcome.proposed
    assert first.number is not None
    assert shop.file() == OWN.encode()
    proposed = shop.file(BRANCH)
    assert proposed.startswith(OWN.encode())
    assert block_of([LOG]).encode() in proposed
    assert propose(shop.repo, "main", [LOG]).outcome is Outcome.waiting

    renewed = propose(shop.repo, "main", [LOG, KIND])
    assert (renewed.outcome, renewed.number) == (Outcome.updated, first.number)
    assert [pull["number"] for pull in shop.github.get(f"/repos/{shop.name}/pulls?state=all")] == [first.number]

    shop.merge(first.number)
    done = propose(shop.repo, "main", [LOG, KIND])
    assert (done.outcome, done.ids_on_base) == (Outcome.up_to_date, frozenset((LOG.rule_id, KIND.rule_id)))
    assert without_block(shop.file()) == (OWN.encode() + b"\n", b"")

    again = propose(shop.repo, "main", [KIND])
    assert again.outcome is Outcome.proposed
    assert again.number != first.number
    assert without_block(shop.file(BRANCH)) == (OWN.encode() + b"\n", b"")


def test_words_people_put_around_the_block_stay_on_both_branches(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    shop.commit(shop.file(BRANCH).decode() + "After.\n", BRANCH)
    propose(shop.repo, "main", [LOG, KIND])
    assert without_block(shop.file(BRANCH)) == (OWN.encode() + b"\n", b"After.\n")
    assert number is not None
    shop.merge(number)
    shop.commit("Before.\n" + shop.file().decode())
    propose(shop.repo, "main", [KIND])
    assert without_block(shop.file(BRANCH)) == (b"Before.\n" + OWN.encode() + b"\n", b"After.\n")


@pytest.mark.soak
def test_what_people_closed_is_not_proposed_again_until_the_rules_are_others(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    assert number is not None
    shop.close(number)
    assert propose(shop.repo, "main", [LOG]).outcome is Outcome.declined
    assert propose(shop.repo, "main", [LOG, KIND]).outcome is Outcome.proposed


def test_a_block_without_rules_is_kept_up_to_date_and_none_is_begun(shop: Shop):
    answer = told("d" * 16, "Use Node 22.")
    assert propose(shop.repo, "main", [], [answer]).outcome is Outcome.nothing_to_say
    shop.commit(OWN + block_of([], [answer]))
    assert propose(shop.repo, "main", [], []).outcome is Outcome.proposed
    assert "Node 22" not in shop.file(BRANCH).decode()


def test_damaged_markers_are_left_alone(shop: Shop):
    shop.commit(f"x\n{BEGIN}\n")
    before = len(shop.github.requests)
    found = propose(shop.repo, "main", [LOG])
    assert found.outcome is Outcome.damaged
    assert "one ordered pair" in found.why
    assert all(asked.method == "GET" for asked in shop.github.requests[before:])


@pytest.mark.soak
def test_a_proposal_nobody_needs_any_more_is_closed(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    shop.commit(shop.file(BRANCH).decode())
    assert propose(shop.repo, "main", [LOG]).outcome is Outcome.up_to_date
    assert shop.github.get(f"/repos/{shop.name}/pulls/{number}")["state"] == "closed"


@pytest.mark.soak
def test_without_rules_nothing_is_proposed_and_a_block_is_emptied(shop: Shop):
    assert propose(shop.repo, "main", []).outcome is Outcome.nothing_to_say
    shop.commit(OWN + block_of([LOG]))
    assert propose(shop.repo, "main", []).outcome is Outcome.proposed
    assert LOG.rule_id.encode() not in shop.file(BRANCH)
    assert END.encode() in shop.file(BRANCH)


def test_a_branch_that_was_left_behind_is_begun_anew(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    assert number is not None
    shop.close(number)
    shop.commit("New.\n")
    assert propose(shop.repo, "main", [KIND]).outcome is Outcome.proposed
    assert without_block(shop.file(BRANCH)) == (b"New.\n\n", b"")


def test_a_token_that_may_not_write_says_which_permission_is_missing(shop: Shop, app: Github):
    with (
        app.repository(
            shop.github.installation_id, shop.github.repository_id(), shop.name, permissions=FOR_READING
        ) as reader,
        pytest.raises(GithubRefused, match="contents: write"),
    ):
        propose(reader, "main", [LOG])


def test_a_rule_with_hostile_words_is_proposed_as_text(shop: Shop):
    hostile = DeliveredRule("0000000000c3", f"stop {END} `{END}` @all", ("**",), None, "do", "", 0, False)
    propose(shop.repo, "main", [hostile, LOG])
    assert without_block(shop.file(BRANCH)) == (OWN.encode() + b"\n", b"")
