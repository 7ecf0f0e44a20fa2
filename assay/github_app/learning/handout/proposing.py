"""Update the block of rules in AGENTS.md with a pull request that people merge or close.

Idempotent. A proposal that people closed is not opened again until the rules change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from assay.github.client import Repo
from assay.github.events.model import PullFacts
from assay.github_app.learning.handout.agents_block import BlockDamaged, block_of, fingerprint, ids_in, with_block
from assay.github_app.learning.handout.delivery import DeliveredRule

FILE = "AGENTS.md"
BRANCH = "assay/agents-md"
TITLE = "What reviewers ask for, in AGENTS.md"


class Outcome(StrEnum):
    """Result of an update."""

    up_to_date = "up_to_date"
    proposed = "proposed"
    updated = "updated"
    waiting = "waiting"
    declined = "declined"
    damaged = "damaged"
    nothing_to_say = "nothing_to_say"


@dataclass(frozen=True, slots=True)
class Proposal:
    """Result of an update, its pull request if any, and the rules in the base's file now."""

    outcome: Outcome
    number: int | None = None
    ids_on_base: frozenset[str] = frozenset()
    why: str = ""


def propose(repo: Repo, base_branch: str, rules: Sequence[DeliveredRule]) -> Proposal:
    """Propose changes to the block from the branch `assay/agents-md`.

    Raises the errors of GitHub; a repeated call continues where it stopped.
    """
    block = block_of(rules)
    on_base = repo.file_on(FILE, base_branch)
    known = ids_in(on_base.content) if on_base is not None else frozenset()
    if on_base is None and not rules:
        return Proposal(Outcome.nothing_to_say)
    try:
        wanted = with_block(on_base.content if on_base is not None else None, block)
    except BlockDamaged as error:
        return Proposal(Outcome.damaged, None, known, f"{FILE} was not changed: {error}")
    ours = next(iter(repo.proposals_from(BRANCH, "open")), None)
    if on_base is not None and wanted == on_base.content:
        if ours is not None:
            repo.edit_proposal(ours.number, is_open=False)
        return Proposal(Outcome.up_to_date, None, known)
    if not rules and not known:
        return Proposal(Outcome.nothing_to_say, None, known)
    if ours is None:
        return _opened(repo, base_branch, block, wanted, known)
    return _brought_up_to_date(repo, ours, block, known)


def _opened(repo: Repo, base_branch: str, block: str, wanted: bytes, known: frozenset[str]) -> Proposal:
    last = next(iter(repo.proposals_from(BRANCH, "closed")), None)
    if last is not None and not last.is_merged and _marker(block) in last.body:
        return Proposal(Outcome.declined, last.number, known)
    base_sha = repo.tip_of(base_branch)
    if base_sha is None:
        return Proposal(Outcome.nothing_to_say, None, known, f"branch {base_branch} does not exist")
    repo.put_branch(BRANCH, base_sha, is_new=repo.tip_of(BRANCH) is None)
    repo.write_file(FILE, wanted, TITLE, BRANCH, repo.file_on(FILE, BRANCH))
    made = repo.open_proposal(BRANCH, base_branch, TITLE, _body(block))
    return Proposal(Outcome.proposed, made.number, known)


def _brought_up_to_date(repo: Repo, ours: PullFacts, block: str, known: frozenset[str]) -> Proposal:
    """Replace the block in an open proposal if it changed; edits by people around it stay."""
    there = repo.file_on(FILE, BRANCH)
    try:
        wanted = with_block(there.content if there is not None else None, block)
    except BlockDamaged as error:
        return Proposal(Outcome.damaged, ours.number, known, f"{FILE} on {BRANCH} was not changed: {error}")
    if there is not None and wanted == there.content:
        return Proposal(Outcome.waiting, ours.number, known)
    repo.write_file(FILE, wanted, TITLE, BRANCH, there)
    repo.edit_proposal(ours.number, body=_body(block))
    return Proposal(Outcome.updated, ours.number, known)


def _body(block: str) -> str:
    return (
        "Reviewers asked for these things on several pull requests, so agents should read them before they write code. "
        "Assay changes only the text between the two markers.\n\n"
        "Close this pull request if you do not want it: Assay proposes it again once the rules change. "
        "`/assay rule list` shows where each rule comes from.\n\n"
        f"{_marker(block)}\n"
    )


def _marker(block: str) -> str:
    return f"<!-- assay agents-md {fingerprint(block)} -->"
