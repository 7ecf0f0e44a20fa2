"""The chore that keeps AGENTS.md: only where operator and repository want it, and what it finds is a handout."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assay.github.client import Github
from assay.github.events.model import RepositoryFacts
from assay.github_app.learning.handout.delivery import AGENTS_MD, was_delivered
from assay.github_app.learning.handout.instruction_files import block_job, blocks_due, keep_block
from assay.github_app.maintenance.sweep import sweep
from assay.github_app.ops.permissions import FOR_PROPOSING
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import take_feedback
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import JobState, Queues
from assay.github_app.store import PROPOSAL_BRANCH, QUORUM
from tests.fakes.github import FakeGitHub
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.open_pull import app
from tests.github_app.remembering import REPOSITORY, after, pull, store_at
from tests.repositories import RealRepository

__all__ = ["app"]

FILE = "AGENTS.md"
LOG = "0000000000a1"
WANTED = "mode: advisory\n"


@pytest.fixture
def context(github: FakeGitHub, repository: RealRepository, app: Github, tmp_path: Path) -> Iterator[Context]:
    """A repository without settings about the block, and the App as it is by default."""
    name = github.create_repository("shop")
    repository.commit("Start", {FILE: "# Agents\n", ".github/assay.yml": WANTED})
    github.push(repository, "main")
    settings = Settings(data_dir=tmp_path)
    with store_at(settings.store_url()) as store, closing(Queues(settings.jobs_url())) as queues:
        facts = RepositoryFacts(github.repository_id(), name, "main")
        store.installations.put(github.installation_id, "acme", after())
        store.repositories.put(facts, github.installation_id, after())
        yield Context(store, app, settings, queues)


def with_rule(context: Context, by: str = "olivia") -> int:
    """The repository's id; the rule is put under it, confirmed by a maintainer."""
    (row,) = context.store.repositories.active()
    facts = replace(REPOSITORY, id=row.id, full_name=row.full_name)
    put_rule(context.store, LOG, "use the log, not `print`", over=["print"], facts=facts, by=by)
    return row.id


def test_answers_are_in_the_block_from_their_confirmation_to_their_withdrawal(context: Context):
    repository_id = with_rule(context)
    kept = take_feedback(
        context.store, repository_id, "I lacked the name of the linter.", after(), source="api", seen_at=after()
    )
    assert kept is not None
    shown = kept[0].id.encode()

    def proposed() -> bytes:
        keep_block(context, repository_id)
        with context.repo(repository_id, FOR_PROPOSING) as repo:
            found = repo.file_on(FILE, PROPOSAL_BRANCH)
        assert found is not None
        return found.content

    assert shown not in proposed()
    context.store.insights.trust(kept[0].id, why_not=None)
    assert shown in proposed()
    context.store.insights.trust(kept[0].id, why_not="wrong")
    assert shown not in proposed()


def test_the_block_is_proposed_and_once_it_is_merged_counts_as_handed_out(context: Context, github: FakeGitHub):
    repository_id = with_rule(context)
    assert keep_block(context, repository_id).startswith("proposed #")
    assert keep_block(context, repository_id).startswith("waiting #")
    assert context.store.rules.handouts(repository_id) == ()
    with context.repo(repository_id, FOR_PROPOSING) as repo:
        proposed = repo.file_on(FILE, PROPOSAL_BRANCH)
        assert proposed is not None
        repo.write_file(FILE, proposed.content, "Merged", "main", repo.file_on(FILE, "main"))
    assert keep_block(context, repository_id) == "up_to_date"
    assert keep_block(context, repository_id) == "up_to_date"
    (handout,) = context.store.rules.handouts(repository_id)
    assert (handout.rule_id, handout.how, handout.number, handout.task_id) == (LOG, AGENTS_MD, None, None)
    facts = replace(REPOSITORY, id=repository_id)
    later = handout.at + timedelta(days=1)
    row = context.store.pulls.see(pull(number=40, created_at=later, updated_at=later), facts, later)
    assert was_delivered([handout], 40, row, later)


@pytest.mark.soak
def test_it_is_left_alone_where_the_operator_or_the_repository_does_not_want_it(
    context: Context, github: FakeGitHub, repository: RealRepository
):
    repository_id = with_rule(context)
    quiet = replace(context, settings=Settings(data_dir=context.settings.data_dir, instruction_files=False))
    before = len(github.requests)
    assert "ASSAY_INSTRUCTION_FILES" in keep_block(quiet, repository_id)
    assert blocks_due(quiet, "today") == 0
    assert len(github.requests) == before
    for words, said in (
        ("learning: {instructionFiles: []}\n", "learning.instructionFiles"),
        ("learning: {enabled: false}\n", "learning.instructionFiles"),
        ("learning: {instructionFiles: [x.yml]}\n", "invalid configuration"),
    ):
        repository.commit("Settings", {".github/assay.yml": words})
        github.push(repository, "main")
        assert said in keep_block(context, repository_id)
    assert not any(asked.method in ("PUT", "PATCH") for asked in github.requests)


def test_an_app_that_may_not_write_says_so_and_goes_on(context: Context, github: FakeGitHub):
    repository_id = with_rule(context)
    github.front.fault("PUT .*/contents/", 403)
    assert keep_block(context, repository_id).startswith("refused: github.refused: ")
    assert keep_block(context, repository_id).startswith("proposed #")


@pytest.mark.soak
def test_the_sweep_asks_once_a_day_for_repositories_that_have_rules(context: Context):
    assert blocks_due(context, "2026-11-22") == 0
    repository_id = with_rule(context)
    assert "instruction files checked: 1" in sweep(context, 1)
    day = f"{context.clock():%Y-%m-%d}"
    assert context.queues.state(block_job(repository_id, day).id) is JobState.waiting


def test_a_repository_names_its_files_and_each_counts_as_handed_out(
    context: Context, github: FakeGitHub, repository: RealRepository
):
    repository_id = with_rule(context)
    files = {".github/assay.yml": "learning: {instructionFiles: [CLAUDE.md, prompts/agent.md]}\n"}
    repository.commit("Files", files)
    github.push(repository, "main")
    assert keep_block(context, repository_id).startswith("proposed #")
    with context.repo(repository_id, FOR_PROPOSING) as repo:
        assert repo.file_on("CLAUDE.md", PROPOSAL_BRANCH) is not None
        agents = repo.file_on(FILE, PROPOSAL_BRANCH)
        assert agents is not None
        assert agents.content == b"# Agents\n"
        proposed = repo.file_on("prompts/agent.md", PROPOSAL_BRANCH)
        assert proposed is not None
        repo.write_file("prompts/agent.md", proposed.content, "Half of it", "main", None)
    keep_block(context, repository_id)
    (handout,) = context.store.rules.handouts(repository_id)
    assert (handout.rule_id, handout.how) == (LOG, AGENTS_MD)


@pytest.mark.parametrize("by", [QUORUM, "token:1f2e3d4c5b6a (ci)"])
def test_nothing_is_opened_before_a_person_has_confirmed_a_rule(context: Context, github: FakeGitHub, by: str):
    repository_id = with_rule(context, by)
    before = len(github.requests)
    assert keep_block(context, repository_id) == "no maintainer has confirmed a rule"
    assert blocks_due(context, "today") == 0
    assert len(github.requests) == before
    put_rule(context.store, "0000000000b2", "name it", facts=replace(REPOSITORY, id=repository_id), by="olivia")
    assert blocks_due(context, "today") == 1
    assert keep_block(context, repository_id).startswith("proposed #")


def test_an_installation_without_the_permission_is_skipped_with_one_line_in_the_log(
    context: Context, github: FakeGitHub, caplog: pytest.LogCaptureFixture
):
    repository_id = with_rule(context)
    github.grant(contents="read")
    before = len(github.requests)
    for _ in range(3):
        assert keep_block(context, repository_id) == "skipped: the installation does not grant contents: write"
    lines = [record for record in caplog.records if "instruction files" in record.getMessage()]
    assert [record.levelname for record in lines] == ["WARNING"]
    assert not any(asked.method in ("PUT", "PATCH") for asked in github.requests[before:])
    github.grant(contents="write")
    assert keep_block(context, repository_id).startswith("proposed #")
