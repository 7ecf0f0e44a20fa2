"""Blocks of rules in files such as AGENTS.md, kept up to date by pull requests that people merge or close.

Updates are idempotent, and a proposal that people closed is not opened again until its content changes. Nothing is
proposed before a maintainer confirmed a rule of the repository.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.github.client import FileOnBranch, Repo
from assay.github.errors import GithubRefused, PermissionMissing
from assay.github.events.model import PullFacts
from assay.github_app.learning.handout.delivery import AGENTS_MD, DeliveredRule, relevant
from assay.github_app.learning.handout.managed_block import (
    BlockDamaged,
    block_of,
    fingerprint,
    has_block,
    ids_in,
    with_block,
)
from assay.github_app.learning.repository_settings import settings_on
from assay.github_app.ops.permissions import FOR_CHECKOUT, FOR_PROPOSING
from assay.github_app.runtime.context import Context
from assay.github_app.runtime.organization import inheriting
from assay.github_app.runtime.queues import Job, Queue
from assay.github_app.store import PROPOSAL_BRANCH, InsightRow, InsightType, RuleState, Store
from assay.validators import ConfigurationError, as_code

TITLE = "Update what reviewers ask for"
MOST_INSIGHTS = 20
"""Maximum answers of agents in the block, newest first."""
_NO_PERMISSION = "instruction_files_permission"
_log = logging.getLogger(__name__)


class Outcome(StrEnum):
    """Result of an update."""

    up_to_date = "up_to_date"
    proposed = "proposed"
    updated = "updated"
    waiting = "waiting"
    declined = "declined"
    skipped = "skipped"
    nothing_to_say = "nothing_to_say"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Result of an update, its pull request if any, and the rules in the base's files now.

    `skipped` says of each file that could not be written why.
    """

    outcome: Outcome
    number: int | None = None
    ids_on_base: frozenset[str] = frozenset()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Base:
    """Files at one commit of the base: those to write with their content (None: missing), and why others are not.

    `sha` is None if the branch does not exist.
    """

    branch: str
    sha: str | None
    files: dict[str, FileOnBranch | None]
    skipped: tuple[str, ...]
    is_damaged: bool

    @property
    def ids(self) -> frozenset[str]:
        return frozenset[str]().union(*(ids_in(file.content) for file in self.files.values() if file is not None))


def propose(
    repo: Repo,
    base_branch: str,
    paths: Sequence[str],
    rules: Sequence[DeliveredRule],
    insights: Sequence[InsightRow] = (),
) -> Proposal:
    """Propose changes to the blocks of these files from the App's branch; a file's first block needs a rule.

    Raises the errors of GitHub; a repeated call continues where it stopped.
    """
    block = block_of(rules, insights)
    base = _read_base(repo, base_branch, paths)
    wanted = {
        path: with_block(file.content if file is not None else None, block)
        for path, file in base.files.items()
        if rules or (file is not None and has_block(file.content))
    }
    ours = next(iter(repo.proposals_from(PROPOSAL_BRANCH, "open")), None)
    if all(_is_same(base.files[path], content) for path, content in wanted.items()):
        if ours is not None and wanted and not base.is_damaged:
            repo.edit_proposal(ours.number, is_open=False)
        nothing = Outcome.skipped if base.skipped else Outcome.nothing_to_say
        return Proposal(Outcome.up_to_date if wanted else nothing, None, base.ids, base.skipped)
    if ours is None:
        return _open_proposal(repo, base, block, wanted)
    return _update_proposal(repo, ours, base, block, tuple(wanted))


def _read_base(repo: Repo, branch: str, paths: Sequence[str]) -> _Base:
    """Read the files; a link, a folder, a large file and a damaged block are left alone."""
    files: dict[str, FileOnBranch | None] = {}
    skipped: list[str] = []
    is_damaged = False
    sha = repo.tip_of(branch)
    links = _links(repo, paths, sha)
    for path in paths:
        try:
            file = _plain_file(repo, path, sha, links)
            if file is not None:
                has_block(file.content)
        except BlockDamaged as error:
            skipped.append(f"{path} was not changed: {error}")
            is_damaged = True
        except _NotPlain as error:
            skipped.append(f"{path} was not changed: {error}")
        else:
            files[path] = file
    return _Base(branch, sha, files, tuple(skipped), is_damaged)


class _NotPlain(Exception):
    """Path of a link, a folder or a large file."""


def _links(repo: Repo, paths: Sequence[str], sha: str | None) -> frozenset[str]:
    return repo.links_among(paths, sha) if sha is not None else frozenset()


def _plain_file(repo: Repo, path: str, sha: str | None, links: frozenset[str]) -> FileOnBranch | None:
    """Return a file at a commit; None if one of them does not exist.

    GitHub returns the target of a symbolic link as the file, and a write would replace the link by a copy.
    """
    if path in links:
        raise _NotPlain("it is a symbolic link, or in one; name its target instead")
    try:
        return repo.file_on(path, sha) if sha is not None else None
    except GithubRefused as refused:
        if refused.code != "github.not-a-file":
            raise
        raise _NotPlain(refused.why) from None


def _is_same(file: FileOnBranch | None, content: bytes) -> bool:
    return file is not None and file.content == content


def _open_proposal(repo: Repo, base: _Base, block: str, wanted: dict[str, bytes]) -> Proposal:
    marker = _marker(block, tuple(wanted))
    last = next(iter(repo.proposals_from(PROPOSAL_BRANCH, "closed")), None)
    if last is not None and not last.is_merged and marker in last.body:
        return Proposal(Outcome.declined, last.number, base.ids, base.skipped)
    if base.sha is None:
        return Proposal(Outcome.nothing_to_say, None, base.ids, (f"branch {base.branch} does not exist",))
    repo.put_branch(PROPOSAL_BRANCH, base.sha, is_new=repo.tip_of(PROPOSAL_BRANCH) is None)
    for path, content in wanted.items():
        if not _is_same(base.files[path], content):
            repo.write_file(path, content, TITLE, PROPOSAL_BRANCH, base.files[path])
    made = repo.open_proposal(PROPOSAL_BRANCH, base.branch, TITLE, _body(block, tuple(wanted)))
    return Proposal(Outcome.proposed, made.number, base.ids, base.skipped)


def _update_proposal(repo: Repo, ours: PullFacts, base: _Base, block: str, paths: Sequence[str]) -> Proposal:
    """Replace the blocks in an open proposal if they changed; edits by people around them stay."""
    skipped = list(base.skipped)
    num_written = 0
    sha = repo.tip_of(PROPOSAL_BRANCH)
    links = _links(repo, paths, sha)
    for path in paths:
        try:
            there = _plain_file(repo, path, sha, links)
            known = there or base.files[path]
            wanted = with_block(known.content if known is not None else None, block)
        except (BlockDamaged, _NotPlain) as error:
            skipped.append(f"{path} on {PROPOSAL_BRANCH} was not changed: {error}")
            continue
        if not _is_same(there, wanted):
            repo.write_file(path, wanted, TITLE, PROPOSAL_BRANCH, there)
            num_written += 1
    if num_written:
        repo.edit_proposal(ours.number, body=_body(block, paths))
    outcome = Outcome.updated if num_written else Outcome.waiting
    return Proposal(outcome, ours.number, base.ids, tuple(skipped))


def _body(block: str, paths: Sequence[str]) -> str:
    return (
        "Reviewers asked for these things, and agents lacked these facts, so agents should read them before they write "
        f"code. Assay changes only the text between the two markers in {', '.join(as_code(path) for path in paths)}.\n"
        "\nClose this pull request if you do not want it: Assay proposes it again once they change. "
        "`/assay rule list` shows where each rule comes from.\n\n"
        f"{_marker(block, paths)}\n"
    )


def _marker(block: str, paths: Sequence[str]) -> str:
    return f"<!-- assay instruction-files {fingerprint(block, paths)} -->"


def block_job(repository_id: int, key: str) -> Job:
    """Return the job that updates one repository's files; idempotent per key."""
    return Job("keep_block", f"instruction_files:{repository_id}:{key}", Queue.chores, (repository_id,))


def blocks_due(context: Context, day: str) -> int:
    """Enqueue a daily update for every repository with rules; return their number, 0 if disabled."""
    if not context.settings.instruction_files:
        return 0
    num_asked = 0
    for row in context.store.repositories.active():
        has_rules = context.store.rules.of(row.id, [RuleState.confirmed]) or _is_published(context, row.id)
        if has_rules and context.store.rules.was_confirmed_by_person(row.id):
            context.queues.put(block_job(row.id, day))
            num_asked += 1
    return num_asked


def keep_block(context: Context, repository_id: int) -> str:
    """Update one repository's files and return a short status. Raises the errors of GitHub and the store."""
    if not context.settings.instruction_files:
        return "disabled by the operator (ASSAY_INSTRUCTION_FILES)"
    if not context.store.rules.was_confirmed_by_person(repository_id):
        return "no maintainer has confirmed a rule"
    row, installation_id = context.given(repository_id)
    branch = row.default_branch
    if not branch:
        return "its default branch is unknown"
    with context.repo(repository_id, FOR_CHECKOUT) as reader:
        try:
            settings = settings_on(reader, branch, inheriting(context, repository_id))
        except ConfigurationError as error:
            return f"invalid configuration: {str(error).splitlines()[0][:200]}"
    if not settings.instruction_files or not settings.enabled:
        return "disabled by the repository (learning.instructionFiles)"
    rules, told = relevant(context.store, repository_id, []), _confirmed(context.store, repository_id)
    alert = (_NO_PERMISSION, str(installation_id))
    try:
        with context.repo(repository_id, FOR_PROPOSING) as repo:
            done = propose(repo, branch, settings.instruction_files, rules, told)
    except PermissionMissing as missing:
        # The owner decides about the permission; one line for each installation is enough.
        if context.store.alerts.once(*alert, context.clock()):
            _log.warning("instruction files of %s are not kept: %s", row.full_name.partition("/")[0], missing)
        return "skipped: the installation does not grant contents: write"
    except GithubRefused as refused:
        _log.warning("instruction files of %s could not be updated: %s", row.full_name, refused)
        return f"refused: {refused}"[:300]
    context.store.alerts.take_back(*alert)
    _record_delivery(context, repository_id, done)
    for why in done.skipped:
        _log.info("%s: %s", row.full_name, why)
    return f"{done.outcome}" + (f" #{done.number}" if done.number else "")


def _record_delivery(context: Context, repository_id: int, done: Proposal) -> None:
    """Record rules on the base as delivered, from the first time they are seen there."""
    store = context.store
    known = {one.rule_id for one in store.rules.handouts(repository_id) if one.how == AGENTS_MD}
    living = {row.rule_id for row in store.rules.of(repository_id)}
    store.rules.handed_out(repository_id, sorted((done.ids_on_base & living) - known), AGENTS_MD, context.clock())


def _confirmed(store: Store, repository_id: int) -> tuple[InsightRow, ...]:
    """Return the newest answers of agents that a maintainer confirmed."""
    return store.insights.newest(repository_id, MOST_INSIGHTS, insight_type=InsightType.agent_self_feedback)


def _is_published(context: Context, repository_id: int) -> bool:
    return any(one.how == AGENTS_MD for one in context.store.rules.handouts(repository_id))
