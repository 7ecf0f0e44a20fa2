"""The block in AGENTS.md goes its whole way on the tests' GitHub: proposed, renewed, merged, edited, declined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from assay.github.client import Github, Repo
from assay.github.errors import GithubRefused
from assay.github_app.learning.handout.delivery import DeliveredRule
from assay.github_app.learning.handout.instruction_files import Outcome, Proposal
from assay.github_app.learning.handout.instruction_files import propose as propose_for
from assay.github_app.learning.handout.managed_block import BEGIN, END, block_of
from assay.github_app.ops.permissions import FOR_PROPOSING, FOR_READING
from assay.github_app.store import PROPOSAL_BRANCH, InsightRow
from tests.fakes.front.state import OWNER
from tests.fakes.github import FakeGitHub
from tests.github_app.learning.test_agents_block import KIND, LOG, told, without_block
from tests.github_app.open_pull import app
from tests.repositories import RealRepository

__all__ = ["app"]

FILE = "AGENTS.md"
OWN = "# Agents\n\nBe kind.\t \r\nünïcödé \n"


@dataclass
class Shop:
    """A repository with instructions of its own, and the App's way in."""

    github: FakeGitHub
    repository: RealRepository
    repo: Repo
    name: str

    def file(self, branch: str = "main", path: str = FILE) -> bytes:
        """A file on a branch."""
        found = self.repo.file_on(path, branch)
        assert found is not None
        return found.content

    def commit(self, content: str, branch: str = "main") -> None:
        """Somebody changes AGENTS.md."""
        there = self.repo.file_on(FILE, branch)
        self.repo.write_file(FILE, content.encode(), "Words", branch, there)

    def merge(self, number: int) -> None:
        """A person merges a pull request."""
        # The emulator would merge the head the pull request was opened with, whatever was committed since.
        self.commit(self.file(PROPOSAL_BRANCH).decode())
        changes = {"merged": True, "merged_at": self.github.state.now(), "state": "closed"}
        self.github._emulator.bed("pulls", "PATCH", repo=self.name, number=number, changes=changes)

    def close(self, number: int) -> None:
        """A person closes a pull request."""
        self.github.as_person(OWNER, "PATCH", f"/repos/{self.name}/pulls/{number}", {"state": "closed"})


def propose(repo: Repo, base: str, rules: Sequence[DeliveredRule], insights: Sequence[InsightRow] = ()) -> Proposal:
    """Propose the block of AGENTS.md alone."""
    return propose_for(repo, base, [FILE], rules, insights)


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
    proposed = shop.file(PROPOSAL_BRANCH)
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
    assert without_block(shop.file(PROPOSAL_BRANCH)) == (OWN.encode() + b"\n", b"")


def test_words_people_put_around_the_block_stay_on_both_branches(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    shop.commit(shop.file(PROPOSAL_BRANCH).decode() + "After.\n", PROPOSAL_BRANCH)
    propose(shop.repo, "main", [LOG, KIND])
    assert without_block(shop.file(PROPOSAL_BRANCH)) == (OWN.encode() + b"\n", b"After.\n")
    assert number is not None
    shop.merge(number)
    shop.commit("Before.\n" + shop.file().decode())
    propose(shop.repo, "main", [KIND])
    assert without_block(shop.file(PROPOSAL_BRANCH)) == (b"Before.\n" + OWN.encode() + b"\n", b"After.\n")


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
    assert "Node 22" not in shop.file(PROPOSAL_BRANCH).decode()


def test_damaged_markers_are_left_alone(shop: Shop):
    shop.commit(f"x\n{BEGIN}\n")
    before = len(shop.github.requests)
    found = propose(shop.repo, "main", [LOG])
    assert found.outcome is Outcome.skipped
    assert "one ordered pair" in found.skipped[0]
    assert all(asked.method == "GET" for asked in shop.github.requests[before:])


@pytest.mark.soak
def test_a_proposal_nobody_needs_any_more_is_closed(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    shop.commit(shop.file(PROPOSAL_BRANCH).decode())
    assert propose(shop.repo, "main", [LOG]).outcome is Outcome.up_to_date
    assert shop.github.get(f"/repos/{shop.name}/pulls/{number}")["state"] == "closed"


@pytest.mark.soak
def test_without_rules_nothing_is_proposed_and_a_block_is_emptied(shop: Shop):
    assert propose(shop.repo, "main", []).outcome is Outcome.nothing_to_say
    shop.commit(OWN + block_of([LOG]))
    assert propose(shop.repo, "main", []).outcome is Outcome.proposed
    assert LOG.rule_id.encode() not in shop.file(PROPOSAL_BRANCH)
    assert END.encode() in shop.file(PROPOSAL_BRANCH)


def test_a_branch_that_was_left_behind_is_begun_anew(shop: Shop):
    number = propose(shop.repo, "main", [LOG]).number
    assert number is not None
    shop.close(number)
    shop.commit("New.\n")
    assert propose(shop.repo, "main", [KIND]).outcome is Outcome.proposed
    assert without_block(shop.file(PROPOSAL_BRANCH)) == (b"New.\n\n", b"")


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
    assert without_block(shop.file(PROPOSAL_BRANCH)) == (OWN.encode() + b"\n", b"")


# ------------------------------------------------------------------ several files

OTHERS = ["CLAUDE.md", ".github/copilot-instructions.md", "prompts/agent.md"]


def test_every_file_gets_the_same_block_in_one_pull_request(shop: Shop):
    shop.repository.commit("Prompt", {"prompts/agent.md": "Be brief.\r\n"})
    shop.github.push(shop.repository, "main")
    first = propose_for(shop.repo, "main", [FILE, *OTHERS], [LOG])
    assert first.outcome is Outcome.proposed
    block = block_of([LOG]).encode()
    assert shop.file(PROPOSAL_BRANCH) == OWN.encode() + b"\n" + block
    assert shop.file(PROPOSAL_BRANCH, "CLAUDE.md") == shop.file(PROPOSAL_BRANCH, OTHERS[1]) == block
    assert shop.file(PROPOSAL_BRANCH, "prompts/agent.md") == b"Be brief.\r\n\r\n" + block.replace(b"\n", b"\r\n")
    (pull,) = shop.github.get(f"/repos/{shop.name}/pulls?state=all")
    assert "`AGENTS.md`, `CLAUDE.md`, `.github/copilot-instructions.md`, `prompts/agent.md`" in pull["body"]
    assert propose_for(shop.repo, "main", [FILE, *OTHERS], [LOG]).outcome is Outcome.waiting
    renewed = propose_for(shop.repo, "main", [FILE, *OTHERS], [LOG, KIND])
    assert (renewed.outcome, renewed.number) == (Outcome.updated, first.number)
    assert KIND.rule_id.encode() in shop.file(PROPOSAL_BRANCH, "CLAUDE.md")


def test_rules_in_any_file_of_the_base_are_known_and_only_the_others_are_changed(shop: Shop):
    shop.repository.commit("Block", {"CLAUDE.md": block_of([LOG])})
    shop.github.push(shop.repository, "main")
    found = propose_for(shop.repo, "main", [FILE, "CLAUDE.md"], [LOG])
    assert (found.outcome, found.ids_on_base) == (Outcome.proposed, frozenset((LOG.rule_id,)))
    assert shop.file(PROPOSAL_BRANCH, "CLAUDE.md") == block_of([LOG]).encode()
    assert [one.path for one in shop.github.requests if one.method == "PUT"] == [f"/repos/{shop.name}/contents/{FILE}"]


def test_a_declined_proposal_comes_again_for_another_file_only(shop: Shop):
    number = propose_for(shop.repo, "main", [FILE], [LOG]).number
    assert number is not None
    shop.close(number)
    assert propose_for(shop.repo, "main", [FILE], [LOG]).outcome is Outcome.declined
    assert propose_for(shop.repo, "main", [FILE, "CLAUDE.md"], [LOG]).outcome is Outcome.proposed


def test_a_link_is_left_alone_and_the_other_files_are_kept(shop: Shop):
    shop.repository.link("CLAUDE.md", FILE)
    shop.repository.link("linked", "docs")
    shop.repository.commit("Links", {"docs/agent.md": "x\n"})
    shop.github.push(shop.repository, "main")
    paths = ["CLAUDE.md", "linked/agent.md", FILE]
    found = propose_for(shop.repo, "main", paths, [LOG])
    assert found.outcome is Outcome.proposed
    assert [why.partition(":")[0] for why in found.skipped] == [
        "CLAUDE.md was not changed",
        "linked/agent.md was not changed",
    ]
    written = [one.path for one in shop.github.requests if one.method == "PUT"]
    assert written == [f"/repos/{shop.name}/contents/{FILE}"]
    alone = propose_for(shop.repo, "main", ["CLAUDE.md"], [LOG])
    assert (alone.outcome, len(alone.skipped)) == (Outcome.skipped, 1)


def test_a_folder_is_left_alone(shop: Shop):
    shop.repository.commit("Folder", {"docs.md/x.md": "x\n"})
    shop.github.push(shop.repository, "main")
    assert propose_for(shop.repo, "main", ["docs.md"], [LOG]).outcome is Outcome.skipped
