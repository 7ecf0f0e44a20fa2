"""What waits for a person in the repositories of a page, each with the action that ends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from assay.github.publish import held_for, is_for_missing
from assay.github_app.store import (
    FailedDelivery,
    FailedRun,
    InstallationState,
    Misconfigured,
    PutOff,
    RepositoryRow,
    WaitingHold,
)
from assay.github_app.web.dashboard.content.blocks import Cell
from assay.github_app.web.dashboard.pages.page import PageRequest, pull_cell, quoted
from assay.validators import CONFIGURATION

MOST_OF_A_KIND = 1000
"""Maximum needs read of each kind, those that wait longest; their number is counted in full."""
QUIET = timedelta(days=14)
"""Time without an event from an installation after which its webhooks are worth a look."""
_MOST_WORDS = 200


class Kind(StrEnum):
    """Kind of need, in order of urgency."""

    installation = "installation"
    configuration = "configuration"
    job = "failed job"
    hold = "hold"
    missing = "results missing"
    limit = "GitHub's limit"
    silence = "silence"


URGENCY = {kind: place for place, kind in enumerate(Kind, 1)}


@dataclass(frozen=True, slots=True)
class Need:
    """Something that waits for a person: what it is about, and the action that ends it, with a link.

    `repositories` are the ids of those it counts for.
    """

    kind: Kind
    since: datetime | None
    repositories: tuple[int, ...]
    subject: Cell
    action: Cell


@dataclass(frozen=True, slots=True)
class Needs:
    """Needs, most urgent first, then longest waiting. `totals` also counts those that were not read.

    `is_listed`: GitHub has listed the installations, so that suspended ones and missing permissions are known.
    """

    needs: tuple[Need, ...]
    totals: Mapping[Kind, int]
    is_listed: bool


def needs_of(asked: PageRequest) -> Needs:
    """Return the needs of the repositories on the page that the App has access to."""
    given = {row.id: row for row in asked.repositories if row.is_given}
    ids, attention = tuple(given), asked.store.attention
    sees_all = asked.viewer.is_operator and asked.repository is None
    names = None if sees_all else [row.full_name for row in given.values()]
    holds, runs = attention.holds(ids, MOST_OF_A_KIND), attention.failed_runs(ids, MOST_OF_A_KIND)
    wrong, lost = attention.misconfigured(ids, MOST_OF_A_KIND), attention.failed_deliveries(names, MOST_OF_A_KIND)
    words = _Words(asked, given)
    unhealthy = tuple(words.installations())
    put_off = tuple(map(words.put_off, attention.put_off(ids, asked.now)))
    held = tuple(map(words.hold, holds.items))
    found = [
        *unhealthy,
        *map(words.misconfigured, wrong.items),
        *map(words.failed_run, runs.items),
        *map(words.failed_delivery, lost.items),
        *held,
        *put_off,
    ]
    num_missing = sum(one.kind is Kind.missing for one in held)
    num_silent = sum(one.kind is Kind.silence for one in unhealthy)
    totals = {
        Kind.installation: len(unhealthy) - num_silent,
        Kind.configuration: wrong.total,
        Kind.job: runs.total + lost.total,
        Kind.hold: holds.total - num_missing,
        Kind.missing: num_missing,
        Kind.limit: len(put_off),
        Kind.silence: num_silent,
    }
    ordered = sorted(found, key=lambda one: (URGENCY[one.kind], one.since is not None, one.since or asked.now))
    return Needs(tuple(ordered), totals, asked.installations.known() is not None)


class _Words:
    """Rows of the store as needs. Titles and errors are untrusted; templates escape them."""

    def __init__(self, asked: PageRequest, given: Mapping[int, RepositoryRow]) -> None:
        self._asked = asked
        self._given = given
        self._ids = {row.full_name.lower(): row.id for row in given.values()}

    def hold(self, one: WaitingHold) -> Need:
        what = held_for(one.level, one.reasons)
        why = f"{what}: {one.title}" if one.title else what
        is_missing = is_for_missing(one.reasons)
        note = "or name the check that runs the tests in tier1.testChecks" if is_missing else ""
        action = self._on_pull(
            one.repository_id, one.number, "Review it, then comment /assay release with a reason", note
        )
        kind = Kind.missing if is_missing else Kind.hold
        return Need(kind, one.since, (one.repository_id,), self._pull(one.repository_id, one.number, why), action)

    def failed_run(self, one: FailedRun) -> Need:
        why = f"{one.error} · incident {one.incident}" if one.incident else one.error
        action = self._on_pull(one.repository_id, one.number, "Comment /assay rerun", self._retry(one.id))
        return Need(Kind.job, one.since, (one.repository_id,), self._pull(one.repository_id, one.number, why), action)

    def failed_delivery(self, one: FailedDelivery) -> Need:
        repository_id = self._ids.get((one.repository or "").lower())
        why = f"delivery {one.event}: {one.error}"[:_MOST_WORDS]
        subject = pull_cell(one.repository, one.number, note=why) if one.repository else Cell("the App", note=why)
        place = f"{quoted(one.repository)}{f'/pull/{one.number}' if one.number else ''}" if one.repository else ""
        action = Cell("Have it retried", href=f"{self._asked.github_url}/{place}", note=self._retry(one.id))
        return Need(Kind.job, one.since, () if repository_id is None else (repository_id,), subject, action)

    def misconfigured(self, one: Misconfigured) -> Need:
        num = one.num_pulls
        why = f"{num} open pull request{'s have' if num > 1 else ' has'} no verdict; the newest one's page says why"
        file = f"{quoted(self._name(one.repository_id))}/blob/{quoted(one.branch)}/{CONFIGURATION}"
        action = Cell(f"Correct {CONFIGURATION} on {one.branch}", href=f"{self._asked.github_url}/{file}")
        subject = self._pull(one.repository_id, one.number, why)
        return Need(Kind.configuration, one.since, (one.repository_id,), subject, action)

    def put_off(self, one: PutOff) -> Need:
        name = self._name(one.repository_ids[0])
        subject = f"{len(one.repository_ids)} repositor{'ies' if len(one.repository_ids) > 1 else 'y'}"
        heads = f"{one.num_heads} head{'s wait' if one.num_heads > 1 else ' waits'}"
        why = f"{heads} until {one.until:%H:%M} UTC, when GitHub allows requests again"
        action = Cell("Nothing now; if it is often so, see Sizing", note="/assay rerun is not put off")
        return Need(
            Kind.limit, one.since, one.repository_ids, Cell(f"{subject} of {name.partition('/')[0]}", note=why), action
        )

    def installations(self) -> Iterator[Need]:
        """Yield the unhealthy installations of these repositories."""
        of: dict[int, list[RepositoryRow]] = defaultdict(list)
        for row in self._given.values():
            if row.installation_id is not None:
                of[row.installation_id].append(row)
        grants = self._asked.installations.known() or {}
        for one in self._asked.store.attention.installations(tuple(of)):
            if one.state is InstallationState.removed:
                continue
            ids, grant = tuple(row.id for row in of[one.id]), grants.get(one.id)
            page = (grant and grant.page) or f"{self._asked.github_url}/settings/installations"
            subject = f"{len(ids)} repositor{'ies' if len(ids) > 1 else 'y'} of {one.account}"
            last = max(row.seen_at for row in of[one.id])
            if one.state is InstallationState.suspended or (grant and grant.is_suspended):
                since = one.changed_at if one.state is InstallationState.suspended else None
                why, action = "the installation is suspended", Cell("End the suspension", href=page)
                yield Need(Kind.installation, since, ids, Cell(subject, note=why), action)
            elif grant and grant.lacking:
                why, action = f"lacks {', '.join(grant.lacking)}", Cell("Accept the permissions", href=page)
                yield Need(Kind.installation, None, ids, Cell(subject, note=why), action)
            elif self._asked.now - last > QUIET:
                why, note = f"no event for {(self._asked.now - last).days} days", "assay doctor lists lost deliveries"
                action = Cell("See whether it lists the repositories", href=page, note=note)
                yield Need(Kind.silence, last, ids, Cell(subject, note=why), action)

    def _name(self, repository_id: int) -> str:
        return self._given[repository_id].full_name

    def _pull(self, repository_id: int, number: int, why: str) -> Cell:
        return pull_cell(self._name(repository_id), number, note=why[:_MOST_WORDS])

    def _on_pull(self, repository_id: int, number: int, words: str, note: str = "") -> Cell:
        page = f"{self._asked.github_url}/{quoted(self._name(repository_id))}/pull/{number}"
        return Cell(words, href=page, note=note)

    def _retry(self, job_id: str) -> str:
        by = "on the App's machine" if self._asked.viewer.is_operator else "asked of the App's operator"
        return f"assay jobs retry {job_id}, {by}"
