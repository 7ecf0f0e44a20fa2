"""Whether deletions hold: what the store deleted on record, what it was asked to forget, and secrets."""

from __future__ import annotations

from dataclasses import dataclass

from assay.memory_eval.drift.matching import Holder, deletions_of
from assay.memory_eval.report.drift import Deleted, EntryMark, Record


@dataclass(frozen=True, slots=True)
class Deletions:
    """The counts, and the entries of the newer record behind those that matter."""

    counts: Deleted
    back: tuple[EntryMark, ...]
    restated: tuple[EntryMark, ...]
    secrets_kept: tuple[EntryMark, ...]
    secrets_back: tuple[EntryMark, ...]


def deletions(earlier: Record | None, old: Record | None, new: Record) -> Deletions:
    """Check the deletions of all records against the newer one."""
    records = [record for record in (earlier, old, new) if record is not None]
    recorded = deletions_of(records)
    live, before = Holder(new), Holder(old) if old is not None else None
    back: dict[str, EntryMark] = {}
    again: dict[str, EntryMark] = {}
    for gone in deletions_of([record for record in (earlier, old) if record is not None]):
        entry = _live_again(gone, before, live)
        if entry is not None:
            is_later = gone.ended is not None and entry.at is not None and entry.at >= gone.ended
            (again if is_later and entry.id != gone.id else back)[gone.text] = entry
    others = [entry for entry in new.entries if entry.state != "live"]
    texts = {entry.text for entry in others}
    kept = _secrets_kept(recorded, new)
    returned = _secrets_back(earlier, old, new)
    requests = new.requests
    counts = Deleted(
        num_recorded=len(recorded),
        num_back=len(back),
        num_restated=len(again),
        num_on_record=sum(entry.text in texts for entry in recorded),
        num_requests=len(requests),
        num_requests_live=sum(one.num_live > 0 for one in requests),
        num_requests_history=sum(one.num_history > 0 for one in requests),
        num_requests_residue=sum(one.num_residue > 0 for one in requests),
        num_secrets_kept=len(kept),
        num_secrets_back=len(returned),
    )
    return Deletions(
        counts, tuple(back.values()), tuple(again.values()), tuple(kept.values()), tuple(returned.values())
    )


def _live_again(gone: EntryMark, before: Holder | None, live: Holder) -> EntryMark | None:
    """Return the live entry with id, text or all facts of a deleted one, which was not live in the older record."""
    if before is None or gone.id in before.ids or gone.text in before.texts:
        return None  # first record, deleted later, or a copy that was live all the time
    same = live.texts.get(gone.text) or next((part.entry for part in live.parts if part.entry.id == gone.id), None)
    if same is not None or not gone.facts or any(before.has(fact) for fact in gone.facts):
        return same
    found = [next(live.holding(fact), None) for fact in gone.facts]
    return found[0] if all(entry is not None for entry in found) else None


def _secrets_kept(recorded: list[EntryMark], new: Record) -> dict[str, EntryMark]:
    """Return the entries of the newer record, in any state, that have a secret of a deleted entry."""
    secrets = {secret for entry in recorded for secret in entry.secrets}
    return {secret: entry for entry in new.entries for secret in entry.secrets if secret in secrets}


def _secrets_back(earlier: Record | None, old: Record | None, new: Record) -> dict[str, EntryMark]:
    """Return the live entries with a secret that the older record no longer had live and an earlier one had."""
    if earlier is None or old is None:
        return {}
    gone = _live_secrets(earlier) - _live_secrets(old)
    return {
        secret: entry for entry in new.entries if entry.state == "live" for secret in entry.secrets if secret in gone
    }


def _live_secrets(record: Record) -> set[str]:
    return {secret for entry in record.entries if entry.state == "live" for secret in entry.secrets}
