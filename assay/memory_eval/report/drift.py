"""How a production memory changed: the record of a snapshot, and what two or three records show.

A record has hashes and marks of the entries (`drift.marks`), and no text of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

DRIFT_SCHEMA_VERSION = 2
MOST_POINTS = 100
"""Runs that a report keeps for its history."""

Verdict = Literal["findings", "no findings", "no verdict"]
Weight = Literal["finding", "review"]
"""A finding needs action. A person checks a review."""


class FactMark(NamedTuple):
    """A typed value with its subject, as hashes and marks.

    `value` are the keys of the value, of which one is enough. `words` are the marks of a name of several words, which
    hold it too. `subject` and `context` are marks; an entry holds the fact if it has at least half of the subject, all
    of it for a weak value, and `need` marks of the context.
    """

    kind: str
    value: tuple[str, ...]
    words: str
    subject: str
    context: str
    need: int
    is_weak: bool


class EntryMark(NamedTuple):
    """An entry, or a part of a long one: hashes of its id and text, marks of its words, hashes of its values.

    `at` is when it was created or changed, `ended` when it was replaced, deleted or expired, both in ISO form. Only
    live entries and recorded deletions have facts.
    """

    id: str
    text: str
    state: Literal["live", "history", "residue"]
    at: str | None
    ended: str | None
    is_deleted: bool
    words: str
    values: tuple[str, ...]
    secrets: tuple[str, ...]
    facts: tuple[FactMark, ...]


class ForgetMark(NamedTuple):
    """A request to forget: hashes of the line as an id and as a text, and the live, history and residue matches."""

    id: str
    text: str
    words: str
    values: tuple[str, ...]
    num_live: int
    num_history: int
    num_residue: int


class AskedMark(NamedTuple):
    """A question made from the memory itself: its hash, and the rank of its entry; None if it was not found."""

    question: str
    rank: int | None


@dataclass(frozen=True, slots=True)
class Record:
    """A snapshot without its text. `salt` is empty with a secret key; `key_check` differs for another key.

    `num_unread` counts parts of the store that could not be read, `states` entries by state, `health` problems by name
    (None: not measured). `retriever` is who answered the questions. `tolerated` is the share of facts that may be lost
    from run to run without a record.
    """

    key_check: str
    salt: str
    taken_at: str
    format: str
    num_bytes: int
    num_unread: int
    states: dict[str, int]
    num_facts: int
    tolerated: float
    health: dict[str, int | None]
    notes: tuple[str, ...]
    retriever: str
    asked: tuple[AskedMark, ...]
    requests: tuple[ForgetMark, ...]
    entries: tuple[EntryMark, ...]


@dataclass(frozen=True, slots=True)
class Kept:
    """What became of the facts that were live in the older snapshot.

    `share` is kept of those that were neither updated nor deleted on record; `low` and `high` its 95 % interval.
    `p_value` is the probability of so many lost facts, or more, at the tolerated rate, with facts of an entry counted
    as lost together; `least_shown` is the smallest loss that this memory can show.
    """

    num_facts: int
    num_kept: int
    num_updated: int
    num_deleted: int
    num_lost: int
    share: float | None
    low: float | None
    high: float | None
    tolerated: float
    p_value: float | None
    least_shown: int | None


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """Live entries of the older snapshot, `num_before`, and of the newer one, `num_now`.

    `num_comparable` of the older ones hold a typed fact. `num_held` have their text, or all its words and values, in an
    entry now. `num_gone` is how many fewer there are than deletions on record, requests to forget, expiry and merges
    explain. `share` is those not gone of `num_before`.
    """

    num_before: int
    num_now: int
    num_comparable: int
    num_held: int
    num_gone: int
    share: float | None


@dataclass(frozen=True, slots=True)
class Updated:
    """Values that changed before the older snapshot, as the newer one has them."""

    num_changed: int
    num_current: int
    num_both: int
    num_gone_back: int
    num_neither: int
    num_changed_since: int


@dataclass(frozen=True, slots=True)
class Deleted:
    """Deletions that the store recorded, and requests to forget.

    `num_back` are live again; `num_restated` are live in an entry written after the deletion; `num_on_record` are
    still in history. `num_secrets_kept` are secrets of deleted entries that the store still has, in any state, and
    `num_secrets_back` secrets that had gone and returned.
    """

    num_recorded: int
    num_back: int
    num_restated: int
    num_on_record: int
    num_requests: int
    num_requests_live: int
    num_requests_history: int
    num_requests_residue: int
    num_secrets_kept: int
    num_secrets_back: int


@dataclass(frozen=True, slots=True)
class Found:
    """Retrieval of the questions of one snapshot; shares from 0 to 1, None without a question."""

    num_questions: int
    recall_at: dict[str, float | None]
    mrr: float | None


@dataclass(frozen=True, slots=True)
class Retrieval:
    """Retrieval of the newer snapshot, and over the questions that both snapshots have."""

    retriever: str
    now: Found
    num_pairs: int
    before: float | None
    after: float | None
    num_lost: int
    num_gained: int
    p_value: float | None


@dataclass(frozen=True, slots=True)
class HealthChange:
    """Entries with a problem, as `assay memory inspect` counts them; None if it was not measured."""

    name: str
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class Sign:
    """Something that happened to the memory: a finding, or a review. `examples` are hashes, or entries on request."""

    name: str
    weight: Weight
    count: int
    meaning: str
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Point:
    """One run in the history of the memory; `kept` is the smaller of the shares of facts and of entries kept."""

    at: str
    num_live: int
    num_facts: int
    kept: float | None
    recall: float | None
    num_findings: int
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Drift:
    """The result of `assay memory drift`. The figures are None without an older snapshot."""

    verdict: Verdict
    why: str
    old_taken_at: str | None
    earlier_taken_at: str | None
    old_states: dict[str, int] | None
    kept: Kept | None
    updated: Updated | None
    deleted: Deleted | None
    retrieval: Retrieval
    health: tuple[HealthChange, ...]
    signs: tuple[Sign, ...]
    history: tuple[Point, ...]
    record: Record
    entries: EntryCounts | None = None

    @property
    def share_kept(self) -> float | None:
        """The smaller of the shares of facts and of entries that were kept; None without an older snapshot."""
        return self.history[-1].kept if self.history else None

    @property
    def has_findings(self) -> bool:
        """Whether anything needs action."""
        return self.verdict == "findings"

    @property
    def findings(self) -> tuple[Sign, ...]:
        """Signs that need action."""
        return tuple(sign for sign in self.signs if sign.weight == "finding")

    @property
    def reviews(self) -> tuple[Sign, ...]:
        """Signs for a person to check."""
        return tuple(sign for sign in self.signs if sign.weight == "review")

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with the schema version."""
        return {"schema_version": DRIFT_SCHEMA_VERSION, **asdict(self)}
