"""Record of a snapshot: keyed hashes and marks of its entries, and of the requests to forget; no text of them.

A value or a whole text has a hash of 48 bits. A word has a mark of 12 bits: about one in 4,096 words shares it, so that
marks compare entries and do not spell them out.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from assay.memory_eval.adapters.snapshots.health import plain_of, problems_of
from assay.memory_eval.adapters.snapshots.reading import read_bytes, shown
from assay.memory_eval.adapters.snapshots.signs import secrets_in
from assay.memory_eval.adapters.snapshots.snapshot import STATES, Entry, Snapshot
from assay.memory_eval.adapters.snapshots.statements import Statement, names_within, statements_of
from assay.memory_eval.errors import WorldUnreadable
from assay.memory_eval.report.drift import EntryMark, ForgetMark, Record, StatementMark

# ------------------ marks

KEY_VARIABLE = "ASSAY_MEMORY_KEY"
"""Environment variable with the secret key of the hashes."""
MARK_CHARS = 3
_HASH_BYTES = 6
_MOST_REMEMBERED = 200_000


class Key:
    """The key of one series of records; records are comparable only if they have the same key."""

    def __init__(self, secret: str, *, is_secret: bool) -> None:
        self.is_secret = is_secret
        self.salt = "" if is_secret else secret
        self._key = hashlib.sha256(b"assay memory drift\0" + secret.encode("utf-8", "surrogatepass")).digest()
        self._marks: dict[str, str] = {}

    @property
    def check(self) -> str:
        """A hash by which records of another key are recognized."""
        return self.hashed("check", "")

    def hashed(self, what: str, text: str) -> str:
        """Return 12 hexadecimal digits; the same text has another hash as another `what`."""
        data = f"{what}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(data, digest_size=_HASH_BYTES, key=self._key).hexdigest()

    def marks(self, words: Iterable[str]) -> str:
        """Return the marks of distinct words, sorted and without separators."""
        return "".join(sorted({self._mark(word) for word in words}))

    def _mark(self, word: str) -> str:
        known = self._marks.get(word)
        if known is None:
            if len(self._marks) >= _MOST_REMEMBERED:
                self._marks.clear()
            known = self._marks[word] = self.hashed("word", word)[:MARK_CHARS]
        return known


def split_marks(marks: str) -> frozenset[str]:
    """Return the single marks of a text of marks."""
    return frozenset(marks[place : place + MARK_CHARS] for place in range(0, len(marks), MARK_CHARS))


# ------------------ recording

MOST_BYTES = 1024 * 1024
MOST_REQUESTS = 5_000
LEAST_WORDS = 3
"""Words by which a text is recognized in an entry that says more."""

_Read = tuple[Entry, str, tuple[Statement, ...]]


def record_of(
    snapshot: Snapshot, key: Key, *, requests: Sequence[str] = (), taken_at: datetime | None = None
) -> Record:
    """Return the record of a snapshot; `requests` are lines of what the memory has to forget."""
    names = names_within(entry.text for entry in snapshot.entries)
    read = [
        (entry, plain_of(entry.text), statements_of(entry.text, names))
        for entry in snapshot.entries
        if entry.text.strip()
    ]
    return Record(
        key_check=key.check,
        salt=key.salt,
        taken_at=(taken_at or datetime.now(UTC)).isoformat(timespec="seconds"),
        format=snapshot.format,
        num_bytes=snapshot.num_bytes,
        num_unread=snapshot.num_unread,
        states={state: sum(entry.state == state for entry in snapshot.entries) for state in STATES},
        health={one.name: one.count for one in problems_of(snapshot.live, snapshot.entries)},
        notes=snapshot.notes,
        requests=tuple(_request(line, read, names, key) for line in requests),
        entries=tuple(_marked(*one, key) for one in read),
    )


def read_requests(path: Path) -> tuple[str, ...]:
    """Return the lines of a file of requests, without empty ones and comments (`#`). Raises `WorldUnreadable`."""
    data = read_bytes(path, MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise WorldUnreadable(f"{shown(path)}: larger than {MOST_BYTES >> 20} MB", code="drift.requests")
    try:
        lines = [line.strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise WorldUnreadable(f"{shown(path)}: not UTF-8", code="drift.requests") from None
    found = tuple(dict.fromkeys(line for line in lines if line and not line.startswith("#")))
    if len(found) > MOST_REQUESTS:
        raise WorldUnreadable(f"{shown(path)}: more than {MOST_REQUESTS:,} requests", code="drift.requests")
    return found


def _marked(entry: Entry, plain: str, statements: Sequence[Statement], key: Key) -> EntryMark:
    return EntryMark(
        id=key.hashed("id", entry.id),
        text=key.hashed("text", plain),
        state=entry.state,
        ended=entry.valid_to.isoformat(timespec="seconds") if entry.valid_to else None,
        secrets=tuple(key.hashed("secret", one) for one in secrets_in(entry.text)),
        statements=tuple(
            StatementMark(key.marks(one.words), key.marks(one.names), one.is_denied) for one in statements
        ),
    )


def _request(line: str, read: Sequence[_Read], names: frozenset[str], key: Key) -> ForgetMark:
    """Count the entries that a line names by id, or that say it: its words in one statement, or its text."""
    plain = plain_of(line)
    words = frozenset(word for one in statements_of(line, names) for word in one.all_words)
    found: Counter[str] = Counter()
    for entry, text, statements in read:
        is_named = line in (entry.id, entry.id.rpartition("/")[2])
        is_said = len(words) >= LEAST_WORDS and any(words <= one.all_words for one in statements)
        found[entry.state] += is_named or is_said or text == plain
    return ForgetMark(
        key.hashed("id", line), key.hashed("text", plain), key.marks(words), found["live"], found["history"]
    )
