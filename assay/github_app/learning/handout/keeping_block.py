"""Scheduled update of the block of rules in AGENTS.md, if operator and repository enable it."""

from __future__ import annotations

import logging

from assay.github.errors import GithubRefused
from assay.github_app.learning.handout.delivery import AGENTS_MD, relevant
from assay.github_app.learning.handout.proposing import Proposal, propose
from assay.github_app.learning.repository_settings import settings_on
from assay.github_app.permissions import FOR_CHECKOUT, FOR_PROPOSING
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.queues import Job, Line
from assay.github_app.store import RuleState
from assay.validators import ConfigurationError

_log = logging.getLogger(__name__)


def block_job(repository_id: int, key: str) -> Job:
    """Return the job that updates one repository's AGENTS.md; idempotent per key."""
    return Job("keep_block", f"agents_md:{repository_id}:{key}", Line.chores, (repository_id,))


def blocks_due(context: Context, day: str) -> int:
    """Enqueue a daily update for every repository with rules; return their number, 0 if disabled."""
    if not context.settings.agents_md:
        return 0
    num_asked = 0
    for row in context.store.repositories.active():
        if context.store.rules.of(row.id, [RuleState.confirmed]) or _is_published(context, row.id):
            context.queues.put(block_job(row.id, day))
            num_asked += 1
    return num_asked


def keep_block(context: Context, repository_id: int) -> str:
    """Update one repository's AGENTS.md and return a short status. Raises the errors of GitHub and the store."""
    if not context.settings.agents_md:
        return "disabled by the operator (ASSAY_AGENTS_MD)"
    row, _ = context.given(repository_id)
    branch = row.default_branch
    if not branch:
        return "its default branch is unknown"
    with context.repo(repository_id, FOR_CHECKOUT) as reader:
        try:
            settings = settings_on(reader, branch)
        except ConfigurationError as error:
            return f"invalid configuration: {str(error).splitlines()[0][:200]}"
    if not settings.agents_md or not settings.enabled:
        return "disabled by the repository (learning.agentsMd)"
    rules = relevant(context.store, repository_id, [])
    try:
        with context.repo(repository_id, FOR_PROPOSING) as repo:
            done = propose(repo, branch, rules)
    except GithubRefused as refused:
        _log.warning("AGENTS.md of %s could not be updated: %s", row.full_name, refused)
        return f"refused: {refused}"[:300]
    _note_handed_out(context, repository_id, done)
    if done.why:
        _log.warning("%s: %s", row.full_name, done.why)
    return f"{done.outcome}" + (f" #{done.number}" if done.number else "")


def _note_handed_out(context: Context, repository_id: int, done: Proposal) -> None:
    """Record rules on the base as delivered, from the first time they are seen there."""
    store = context.store
    known = {one.rule_id for one in store.rules.handouts(repository_id) if one.how == AGENTS_MD}
    living = {row.rule_id for row in store.rules.of(repository_id)}
    store.rules.handed_out(repository_id, sorted((done.ids_on_base & living) - known), AGENTS_MD, context.clock())


def _is_published(context: Context, repository_id: int) -> bool:
    return any(one.how == AGENTS_MD for one in context.store.rules.handouts(repository_id))
