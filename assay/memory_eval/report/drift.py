"""How a production memory changed: the record of a snapshot, and what two records show.

A record has hashes and marks of the entries (`drift.marks`), and no text of them.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, NamedTuple

DRIFT_SCHEMA_VERSION = 3

Verdict = Literal["findings", "no findings", "no verdict"]
Weight = Literal["finding", "review"]
"""A finding needs action. A person checks a review."""


class StatementMark(NamedTuple):
    """A sentence of an entry: marks of its words and of its names, and whether it denies."""

    words: str
    names: str
    is_denied: bool


class EntryMark(NamedTuple):
    """An entry: hashes of its id, text and secrets; `ended` is when it was replaced, deleted or expired, in ISO."""

    id: str
    text: str
    state: Literal["live", "history"]
    ended: str | None
    secrets: tuple[str, ...]
    statements: tuple[StatementMark, ...]


class ForgetMark(NamedTuple):
    """A request to forget: hashes of the line as an id and as a text, its words, and the live and history matches."""

    id: str
    text: str
    words: str
    num_live: int
    num_history: int


@dataclass(frozen=True, slots=True)
class Record:
    """A snapshot without its text. `salt` is empty with a secret key; `key_check` differs for another key.

    `num_unread` counts parts of the store that could not be read, `states` entries by state, `health` problems by name
    (None: not measured).
    """

    key_check: str
    salt: str
    taken_at: str
    format: str
    num_bytes: int
    num_unread: int
    states: dict[str, int]
    health: dict[str, int | None]
    notes: tuple[str, ...]
    requests: tuple[ForgetMark, ...]
    entries: tuple[EntryMark, ...]


@dataclass(frozen=True, slots=True)
class EntryCounts:
    """What became of the `num_before` live entries of the older snapshot; the newer one has `num_now`.

    `num_kept` have their words in an entry now, `num_changed` have other words under the same id or nearly the same
    ones, `num_on_record` were deleted, replaced or expired on record or on request, and `num_gone` are none of these.
    `num_new` of the newer ones match none of them. `share` is kept or changed, of those not on record. `num_comparable`
    have enough words to be recognized when they are reworded.
    """

    num_before: int
    num_now: int
    num_kept: int
    num_changed: int
    num_on_record: int
    num_gone: int
    num_new: int
    num_comparable: int
    share: float | None


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
class Drift:
    """The result of `assay memory drift`. The counts are None without an older snapshot."""

    verdict: Verdict
    why: str
    old_taken_at: str | None
    entries: EntryCounts | None
    health: tuple[HealthChange, ...]
    signs: tuple[Sign, ...]
    record: Record

    @property
    def share_kept(self) -> float | None:
        """Share of the older entries that were kept; None without an older snapshot."""
        return self.entries.share if self.entries is not None else None

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
