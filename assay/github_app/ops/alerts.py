"""Telling people elsewhere (chat, mail, webhooks, by Apprise): of a change of critical risk once for each head, of a
mistake that keeps coming back once for each rule, of a memory that got worse once for each fall.

The addresses are the operator's and hold secrets: they are never logged or stored, a channel is known by its kind and
place in the list. A channel that fails is tried again; if it keeps failing that is written down, and nothing stops.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from time import sleep as wait
from typing import Any
from urllib.parse import urlsplit

import apprise

from assay.github_app.observability import hide
from assay.github_app.store import EventKind, Store
from assay.validators import RiskLevel, ValidationReport, as_visible

log = logging.getLogger(__name__)

KIND = "critical_risk"
PAUSES_S = (1.0, 4.0)
"""Between the tries of one channel, which are one more."""
MOST_FACTORS = 5
_ACTS = {"@": "(at)", "<": "(", ">": ")", "[": "(", "]": ")", "`": "'", "://": ":/ /", "www.": "www "}


@dataclass(frozen=True, slots=True)
class Subject:
    """The pull request the alert is about. `title` and `author` were written by strangers; `url` is ours."""

    repository_id: int
    repository: str
    number: int
    title: str
    author: str
    url: str


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of one channel: its place in the list from 1, its kind (`slack`, `mailtos` …), how often tried."""

    channel: int
    kind: str
    is_sent: bool
    num_tries: int


@dataclass(frozen=True, slots=True)
class Notice:
    """What is told: once for each `kind` and `key`, about a repository or pull request (`place`: its id, the number).

    `title` and `body` are ours, with strangers' words in them only as `plain` leaves them; `data` goes into the log.
    """

    kind: str
    key: str
    title: str
    body: str
    place: tuple[int, int | None]
    data: Mapping[str, Any] = field(default_factory=dict)


def addresses_in(text: str | None) -> tuple[str, ...]:
    """The Apprise addresses of a setting: one a line; blank lines and lines that begin with `#` are none."""
    lines = (line.strip() for line in (text or "").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def alert_if_critical(
    store: Store,
    report: ValidationReport,
    subject: Subject,
    addresses: Sequence[str],
    at: datetime,
    sleep: Callable[[float], None] = wait,
) -> tuple[Sent, ...]:
    """Tell every channel about a critical head that nobody was told about yet; what became of each."""
    if report.risk is None or report.risk.level is not RiskLevel.critical:
        return ()
    key = f"{subject.repository_id}#{subject.number}@{report.head.sha}"
    title, body = _words(report, subject)
    place = (subject.repository_id, subject.number)
    notice = Notice(KIND, key, title, body, place, {"head_sha": report.head.sha})
    return alert_once(store, notice, addresses, at, sleep)


def alert_once(
    store: Store,
    notice: Notice,
    addresses: Sequence[str],
    at: datetime,
    sleep: Callable[[float], None] = wait,
) -> tuple[Sent, ...]:
    """Tell every channel what nobody was told yet under this kind and key; what became of each."""
    if not addresses or not store.alerts.once(notice.kind, notice.key, at):
        return ()
    sent = tuple(_send(place, address, notice.title, notice.body, sleep) for place, address in enumerate(addresses, 1))
    is_first = True
    for one in sent:
        data = {"channel": one.channel, "kind": one.kind, "num_tries": one.num_tries, **notice.data}
        what = EventKind.alert_sent if one.is_sent else EventKind.alert_failed
        is_first &= store.events.append(what, f"{notice.key}:{one.channel}", at, *notice.place, data=data)
    if is_first and not any(one.is_sent for one in sent):
        # Nobody heard: whoever comes to this again may try once more.
        store.alerts.take_back(notice.kind, notice.key)
    return sent


def plain(text: str, most: int) -> str:
    """A stranger's text in which no chat finds a mention, a link or markup that hides one."""
    text = as_visible(text, most * 2)
    for acting, harmless in _ACTS.items():
        text = text.replace(acting, harmless)
    return as_visible(text, most)


def _words(report: ValidationReport, subject: Subject) -> tuple[str, str]:
    title = f"Critical risk: {plain(subject.repository, 140)}#{subject.number}"
    factors = [one for one in (report.risk.factors if report.risk else ()) if one.level is RiskLevel.critical]
    lines = [f"{plain(subject.title, 200)} (by {plain(subject.author, 80)}, commit {report.head.sha[:12]})"]
    lines += [f"- {one.signal}: {plain(one.reason, 300)}" for one in factors[:MOST_FACTORS]]
    if len(factors) > MOST_FACTORS:
        lines.append(f"- and {len(factors) - MOST_FACTORS} more")
    lines += ["approval required"] if report.hold else []
    return title, "\n".join([*lines, "", subject.url])


def _send(place: int, address: str, title: str, body: str, sleep: Callable[[float], None]) -> Sent:
    """Try one channel. Apprise answers by True or False; whatever else a plug-in does counts as False."""
    hide(address)
    _silence()
    kind = _kind(address)
    channel = apprise.Apprise()
    if not _added(channel, address):
        log.warning("alert channel %d (%s) is no address Apprise knows", place, kind)
        return Sent(place, kind, is_sent=False, num_tries=0)
    for number, pause in enumerate((*PAUSES_S, None), 1):
        if _notified(channel, title, body):
            return Sent(place, kind, is_sent=True, num_tries=number)
        log.warning("alert channel %d (%s) failed, try %d", place, kind, number)
        if pause is not None:
            sleep(pause)
    return Sent(place, kind, is_sent=False, num_tries=len(PAUSES_S) + 1)


def _added(channel: apprise.Apprise, address: str) -> bool:
    try:
        return bool(channel.add(address))
    except Exception as error:  # noqa: BLE001 - a plug-in's own error, whose text may hold the address
        log.warning("Apprise could not read an address: %s", type(error).__name__)
        return False


def _notified(channel: apprise.Apprise, title: str, body: str) -> bool:
    try:
        return bool(channel.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT))
    except Exception as error:  # noqa: BLE001 - a plug-in's own error, whose text may hold the address
        log.warning("Apprise could not send: %s", type(error).__name__)
        return False


def _kind(address: str) -> str:
    """The word before `://`: `slack`, `mailtos`, `json`; never more of the address."""
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        scheme = ""
    return scheme[:20] if scheme.isalnum() else "unknown"


def _silence() -> None:
    """Apprise and the connections below it write addresses into their logs; what matters of it we say ourselves."""
    # The same filter twice is one.
    logging.getLogger("apprise").addFilter(_nothing)
    logging.getLogger("urllib3.connectionpool").addFilter(_no_details)


def _nothing(record: logging.LogRecord) -> bool:  # noqa: ARG001 - the shape of a filter
    return False


def _no_details(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG
