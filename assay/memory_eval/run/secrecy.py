"""Terms of a run's exam: secret or public, its commitment, and whether its score is comparable with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assay.escape import utf8
from assay.memory_eval.adapters.isolation import Isolation
from assay.memory_eval.errors import ExamUsageError
from assay.memory_eval.exam.commitment import SALT_BYTES, commitment_of
from assay.memory_eval.report.model import EvalReport

PUBLIC_SEED = "public seed, from which the agent can regenerate the exam"
OWN_WORLD = "the exam is in files, which the agent could have read"
NO_ISOLATION = {
    Isolation.readable: "this system cannot keep the agent's process from reading the one that holds the exam",
    Isolation.server: "a server on this machine could have opened the memory of the process that holds the exam",
    Isolation.in_process: "the agent ran in the process that holds the exam",
    Isolation.root: "the agent ran as root, which can read the process that holds the exam",
}
KEEPS_SALT = (Isolation.remote, Isolation.other_user, Isolation.built_in)
"""Where the agent cannot read a file that only this user can read: the salt is kept, to resume the run."""


@dataclass(frozen=True, slots=True)
class Terms:
    """What is fixed before the first turn; `salt` is None for a public exam."""

    isolation: Isolation
    why_not_comparable: str | None
    commitment: str | None = None
    salt: bytes | None = field(default=None, repr=False)


def public_terms(isolation: Isolation, *, is_drawn: bool) -> Terms:
    """Return the terms of an exam from a seed (`is_drawn`) or from files."""
    return Terms(isolation, PUBLIC_SEED if is_drawn else OWN_WORLD)


def secret_terms(salt: bytes, isolation: Isolation, options: Mapping[str, object]) -> Terms:
    """Return the terms of a secret exam; `options` come from `committed`."""
    if len(salt) != SALT_BYTES:
        raise ExamUsageError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return Terms(isolation, NO_ISOLATION.get(isolation), commitment_of(salt, options), salt)


def revealed(report: EvalReport, terms: Terms, notes: Sequence[str]) -> EvalReport:
    """Return the report with the exam's terms, which reveal the salt: call it after the last answer."""
    return replace(
        report,
        notes=notes,
        isolation=str(terms.isolation),
        comparable=terms.why_not_comparable is None,
        why_not_comparable=terms.why_not_comparable,
        commitment=terms.commitment,
        salt=None if terms.salt is None else terms.salt.hex(),
    )


def options_of(report: EvalReport) -> dict[str, object]:
    """Return the committed options, as a report has them."""
    return committed(
        agent=report.agent,
        grader_votes=report.grader_votes,
        grading=report.grading,
        isolation=report.isolation,
        questions=report.num_questions,
        turns=report.num_turns,
    )


def committed(
    *, agent: str, grader_votes: int, grading: str, isolation: str, questions: int, turns: int
) -> dict[str, object]:
    """Return the options that determine the exam and its grading, as they are committed."""
    return {
        "agent": utf8(agent),
        "grader_votes": grader_votes,
        "grading": grading,
        "isolation": isolation,
        "questions": questions,
        "turns": turns,
    }
