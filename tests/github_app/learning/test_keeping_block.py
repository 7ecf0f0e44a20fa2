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
from assay.github_app.learning.handout.agents_md import BRANCH, FILE, block_job, blocks_due, keep_block
from assay.github_app.learning.handout.delivery import AGENTS_MD, was_delivered
from assay.github_app.maintenance.sweep import sweep
from assay.github_app.ops.permissions import FOR_PROPOSING
from assay.github_app.ops.settings import Settings
from assay.github_app.outcomes import take_feedback
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import JobState, Queues
from tests.fakes.github import FakeGitHub
from tests.github_app.learning.rules_at_hand import put_rule
from tests.github_app.open_pull import app
from tests.github_app.remembering import REPOSITORY, after, pull, store_at
from tests.repositories import RealRepository

__all__ = ["app"]

LOG = "0000000000a1"
WANTED = "learning: {agentsMd: true}\n"


@pytest.fixture
def context(github: FakeGitHub, repository: RealRepository, app: Github, tmp_path: Path) -> Iterator[Context]:
    """A repository that wants the block, with one rule."""
    name = github.create_repository("shop")
    repository.commit("Start", {FILE: "# Agents\n", ".github/assay.yml": WANTED})
    github.push(repository, "main")
    settings = Settings(data_dir=tmp_path, agents_md=True)
    with store_at(settings.store_url()) as store, closing(Queues(settings.jobs_url())) as queues:
        facts = RepositoryFacts(github.repository_id(), name, "main")
        store.installations.put(github.installation_id, "acme", after())
        store.repositories.put(facts, github.installation_id, after())
        yield Context(store, app, settings, queues)


def with_rule(context: Context) -> int:
    """The repository's id; the rule is put under it."""
    (row,) = context.store.repositories.active()
    facts = replace(REPOSITORY, id=row.id, full_name=row.full_name)
    put_rule(context.store, LOG, "use the log, not `print`", over=["print"], facts=facts)
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
            found = repo.file_on(FILE, BRANCH)
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
        proposed = repo.file_on(FILE, BRANCH)
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
    quiet = replace(context, settings=Settings(data_dir=context.settings.data_dir))
    before = len(github.requests)
    assert "ASSAY_AGENTS_MD" in keep_block(quiet, repository_id)
    assert blocks_due(quiet, "today") == 0
    assert len(github.requests) == before
    for words, said in (
        ("learning: {agentsMd: false}\n", "learning.agentsMd"),
        ("learning: {enabled: false, agentsMd: true}\n", "learning.agentsMd"),
        ("learning: {agentsMd: 7}\n", "invalid configuration"),
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
    assert "AGENTS.md blocks checked: 1" in sweep(context, 1)
    day = f"{context.clock():%Y-%m-%d}"
    assert context.queues.state(block_job(repository_id, day).id) is JobState.waiting
