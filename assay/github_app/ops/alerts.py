"""Alerts to the operator's channels (chat, mail, webhooks) by Apprise.

Sent once per head for critical risk, once per rule for repeated mistakes, once per regression of a memory. Addresses
contain secrets, so they are never logged or stored: channels are named by kind and position. A failing channel is
retried; a lasting failure is recorded and stops nothing else.
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
from pydantic import SecretStr

from assay.github_app.ops.observability import hide
from assay.github_app.store import EventKind, Store
from assay.validators import STATEMENT_KINDS, RiskLevel, ValidationReport, as_visible, risk_set_by

log = logging.getLogger(__name__)

KIND = "critical_risk"
PAUSES_S = (1.0, 4.0)
"""Pauses between the attempts for one channel."""
MOST_STATEMENTS = 5
_ACTS = {"@": "(at)", "<": "(", ">": ")", "[": "(", "]": ")", "`": "'", "://": ":/ /", "www.": "www "}


@dataclass(frozen=True, slots=True)
class Subject:
    """Pull request of an alert. `title` and `author` are untrusted text; `url` is ours."""

    repository_id: int
    repository: str
    number: int
    title: str
    author: str
    url: str


@dataclass(frozen=True, slots=True)
class ChannelResult:
    """Result for one channel: its position from 1, its kind (`slack`, `mailtos` …), and the number of attempts."""

    channel: int
    kind: str
    is_sent: bool
    num_tries: int


@dataclass(frozen=True, slots=True)
class Notice:
    """Alert to send once per `kind` and `key`; `place` is (repository id, number of the pull request or None).

    Untrusted text in `title` and `body` must be escaped by `plain`; `data` goes into the event log.
    """

    kind: str
    key: str
    title: str
    body: str
    place: tuple[int, int | None]
    data: Mapping[str, Any] = field(default_factory=dict)


def addresses_in(urls: SecretStr | None) -> tuple[str, ...]:
    """Return the Apprise addresses of a setting: one per line, without blank lines and `#` comments."""
    lines = (line.strip() for line in (urls.get_secret_value() if urls else "").splitlines())
    return tuple(line for line in lines if line and not line.startswith("#"))


def alert_if_critical(
    store: Store,
    report: ValidationReport,
    subject: Subject,
    addresses: Sequence[str],
    at: datetime,
    sleep: Callable[[float], None] = wait,
) -> tuple[ChannelResult, ...]:
    """Alert every channel on a head of critical risk, once; return the results."""
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
) -> tuple[ChannelResult, ...]:
    """Send a notice to every channel, once per kind and key; return the results."""
    if not addresses or not store.alerts.once(notice.kind, notice.key, at):
        return ()
    sent = tuple(_send(place, address, notice.title, notice.body, sleep) for place, address in enumerate(addresses, 1))
    is_first = True
    for one in sent:
        data = {"channel": one.channel, "kind": one.kind, "num_tries": one.num_tries, **notice.data}
        what = EventKind.alert_sent if one.is_sent else EventKind.alert_failed
        is_first &= store.events.append(what, f"{notice.key}:{one.channel}", at, *notice.place, data=data)
    if is_first and not any(one.is_sent for one in sent):
        # No channel succeeded, so the next caller may send it.
        store.alerts.take_back(notice.kind, notice.key)
    return sent


def plain(text: str, most: int) -> str:
    """Escape untrusted text so that no chat finds a mention, a link or markup in it."""
    text = as_visible(text, most * 2)
    for active, escaped in _ACTS.items():
        text = text.replace(active, escaped)
    return as_visible(text, most)


def _words(report: ValidationReport, subject: Subject) -> tuple[str, str]:
    title = f"Critical risk: {plain(subject.repository, 140)}#{subject.number}"
    risk = report.risk
    found = [one for one in (report.risk.statements if report.risk else ()) if one.level is RiskLevel.critical]
    lines = [f"{plain(subject.title, 200)} (by {plain(subject.author, 80)}, commit {report.head.sha[:12]})"]
    lines += [f"set by {plain(risk_set_by(risk), 300)}"] if risk is not None else []
    lines += [f"- {STATEMENT_KINDS[one.kind].label}: {plain(one.text, 300)}" for one in found[:MOST_STATEMENTS]]
    if len(found) > MOST_STATEMENTS:
        lines.append(f"- and {len(found) - MOST_STATEMENTS} more")
    lines += ["approval required"] if report.hold else []
    return title, "\n".join([*lines, "", subject.url])


def _send(place: int, address: str, title: str, body: str, sleep: Callable[[float], None]) -> ChannelResult:
    """Send to one channel; exceptions of an Apprise plug-in count as failures."""
    hide(address)
    _silence()
    kind = _kind(address)
    channel = apprise.Apprise()
    if not _added(channel, address):
        log.warning("alert channel %d (%s): not an address that Apprise supports", place, kind)
        return ChannelResult(place, kind, is_sent=False, num_tries=0)
    for number, pause in enumerate((*PAUSES_S, None), 1):
        if _notified(channel, title, body):
            return ChannelResult(place, kind, is_sent=True, num_tries=number)
        log.warning("alert channel %d (%s): attempt %d failed", place, kind, number)
        if pause is not None:
            sleep(pause)
    return ChannelResult(place, kind, is_sent=False, num_tries=len(PAUSES_S) + 1)


def _added(channel: apprise.Apprise, address: str) -> bool:
    try:
        return bool(channel.add(address))
    except Exception as error:  # noqa: BLE001 - any error of a plug-in; its text may contain the address
        log.warning("Apprise could not read an address: %s", type(error).__name__)
        return False


def _notified(channel: apprise.Apprise, title: str, body: str) -> bool:
    try:
        return bool(channel.notify(title=title, body=body, body_format=apprise.NotifyFormat.TEXT))
    except Exception as error:  # noqa: BLE001 - any error of a plug-in; its text may contain the address
        log.warning("Apprise could not send: %s", type(error).__name__)
        return False


def _kind(address: str) -> str:
    """Return the scheme of an address (`slack`, `mailtos`, `json`), the only part that is not secret."""
    try:
        scheme = urlsplit(address).scheme
    except ValueError:
        scheme = ""
    return scheme[:20] if scheme.isalnum() else "unknown"


def _silence() -> None:
    """Silence Apprise and urllib3, which log addresses; this module logs the results."""
    # Adding the same filter twice has no effect.
    logging.getLogger("apprise").addFilter(_nothing)
    logging.getLogger("urllib3.connectionpool").addFilter(_no_details)


def _nothing(record: logging.LogRecord) -> bool:  # noqa: ARG001 - signature of a filter
    return False


def _no_details(record: logging.LogRecord) -> bool:
    return record.levelno > logging.DEBUG
