"""Reply in a thread that repeats earlier feedback: where it was given, by whom and how often.

There is one reply per thread, and one per rule and pull request: a second thread there would tell nothing new.

The reply quotes the rule's text, escaped, and never the comment it answers. It is identified by its marker and its
author, so it is edited instead of duplicated if a response of GitHub was lost.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.github.client import Repo
from assay.github.errors import GithubRefused
from assay.github.events.model import CommentFacts
from assay.github.publish import REPEAT, marker, read_marker
from assay.github_app.ops.alerts import ChannelResult, Notice, alert_once, plain
from assay.github_app.runtime.context import Context
from assay.github_app.store import MatchRow, PullRow, RuleRow, RuleState, SourceRow, Store
from assay.validators import Learning, RepeatAlerts, as_code, as_prose

log = logging.getLogger(__name__)

NOTIFY_AFTER = 3
"""Repeats of a mistake before the operator's channels are notified."""
MAX_REPLY_AGE = timedelta(days=7)
"""Maximum age of a comment that gets a reply; imported history stays silent."""
MOST_SHOWN = 10
KIND = "mistake_repeated"
TAKEN_BACK = "reply_taken_back"
"""Event kind that records the withdrawal."""
_GONE = (404, 410, 422)
_ANCHORS = {"line": "discussion_r", "conversation": "issuecomment-", "review": "pullrequestreview-"}


@dataclass(frozen=True, slots=True)
class Thread:
    """Thread of a pull request, by its name in the store (`line:12`, `conversation:12`, `review:12`)."""

    repository_id: int
    number: int
    name: str

    @property
    def kind(self) -> str:
        return self.name.partition(":")[0]

    @property
    def root_id(self) -> int:
        return int(self.name.partition(":")[2])


def update_reply(thread: Thread, store: Store, repo: Repo, pull: PullRow, settings: Learning, at: datetime) -> None:
    """Create, edit or empty the reply in a thread to match the stored repeats.

    There is none without a repeat of a confirmed rule, if another thread of the pull request shows it, if replies are
    disabled (`learning.repeatAlerts`), or if the thread is gone.
    """
    on_pull = store.rules.matches(thread.repository_id, number=thread.number, with_withdrawn=True)
    matches = [one for one in on_pull if one.thread == thread.name]
    known_id = next((one.reply_id for one in matches if one.reply_id is not None), None)
    confirmed = [(one, row) for one in matches if one.withdrawn_at is None and (row := _confirmed(store, one))]
    if known_id is None:
        told = {one.rule_id for one in on_pull if one.reply_id is not None and one.withdrawn_at is None}
        confirmed = [pair for pair in confirmed if pair[0].rule_id not in told]
    if not confirmed:
        if known_id is not None:
            take_back(thread, repo, known_id)
        return
    standing, row = confirmed[0]
    is_quiet = settings.repeat_alerts is RepeatAlerts.none or pull.state != "open" or at - standing.at > MAX_REPLY_AGE
    if is_quiet and known_id is None:
        return
    reply = _publish(thread, repo, repeat_text(store, standing, row, repo.web_url), known_id)
    if reply is not None:
        store.rules.replied(standing.repository_id, standing.thread, standing.rule_id, reply)


def _confirmed(store: Store, match: MatchRow) -> RuleRow | None:
    """Return the repeated rule if it is confirmed; a reply names no other one."""
    row = store.rules.get(match.repository_id, match.rule_id)
    return row if row is not None and row.state is RuleState.confirmed else None


def notify(
    store: Store,
    match: MatchRow,
    full_name: str,
    web_url: str,
    addresses: Sequence[str],
    at: datetime,
) -> tuple[ChannelResult, ...]:
    """Notify the operator's channels once per rule, when a mistake was repeated often enough."""
    matches = store.rules.matches(match.repository_id, rule_id=match.rule_id)
    row = store.rules.get(match.repository_id, match.rule_id)
    if row is None or len(matches) < NOTIFY_AFTER or at - match.at > MAX_REPLY_AGE:
        return ()
    agents = sorted({plain(one.agent, 40) for one in matches if one.agent})
    lines = [
        plain(row.text, 300),
        f"came back {len(matches)} times, last on #{match.number}"
        + (f"; agents: {', '.join(agents)}" if agents else ""),
        "the rule had been delivered to the agent" if row.is_ineffective else "",
        f"{web_url}/pull/{match.number}",
    ]
    title = f"Repeated mistake: {plain(full_name, 140)}"
    key = f"{match.repository_id}:{match.rule_id}:{NOTIFY_AFTER}"
    place, data = (match.repository_id, match.number), {"rule_id": match.rule_id, "num_repeats": len(matches)}
    return alert_once(store, Notice(KIND, key, title, "\n".join(filter(None, lines)), place, data), addresses, at)


def repeat_text(store: Store, match: MatchRow, row: RuleRow, web_url: str) -> str:
    """Format the reply: the rule, the earlier pull requests, and the author of this one."""
    before = _earlier(store.rules.sources(row.repository_id, row.rule_id), match)
    num_pulls = len({one.number for one in before})
    times = f"{num_pulls} earlier pull request{'' if num_pulls == 1 else 's'}"
    parts = [
        marker(REPEAT, match.thread),
        f"🔁 **Repeated mistake**: {as_prose(row.text, 300)}",
        f"Reviewers asked for this on {times}:",
        "\n".join(_proof(store, before, web_url)),
        " ".join(_standing(row, match)),
        _more(row.rule_id),
    ]
    return "\n\n".join(parts)


def _more(rule_id: str) -> str:
    ends = f"a maintainer rejects it with `/assay rule reject {rule_id} reason`"
    return f"<sub>`/assay rule show {rule_id}` shows more; {ends}.</sub>"


def _earlier(sources: Sequence[SourceRow], match: MatchRow) -> list[SourceRow]:
    """Return the first comment on each other pull request before this one."""
    found: dict[int, SourceRow] = {}
    for one in sources:
        if one.comment_kind == match.comment_kind and one.comment_id == match.comment_id:
            break
        if one.number != match.number:
            found.setdefault(one.number, one)
    return list(found.values())


def _proof(store: Store, before: Sequence[SourceRow], web_url: str) -> Iterator[str]:
    for one in before[-MOST_SHOWN:]:
        pull = store.pulls.get(one.repository_id, one.number)
        made = _made_by(pull.agent, pull.prompt_version) if pull else ""
        link = f"[#{one.number}]({web_url}/pull/{one.number}#{_ANCHORS[one.comment_kind]}{one.comment_id})"
        yield f"- {link} by {as_code(one.reviewer, 60)}, {one.at:%Y-%m-%d}{f' ({made})' if made else ''}"
    if len(before) > MOST_SHOWN:
        yield f"- and {len(before) - MOST_SHOWN} more"


def _standing(row: RuleRow, match: MatchRow) -> Iterator[str]:
    made = _made_by(match.agent, match.prompt_version)
    if made:
        yield f"This one: {made}."
    if row.confirmed_at is not None:
        yield f"It has been a rule of this repository since {row.confirmed_at:%Y-%m-%d}."
    if match.is_after_handout:
        yield "It was delivered to the agent before, so it is marked as ineffective."


def _made_by(agent: str | None, prompt_version: str | None) -> str:
    """Return `agent x, prompt version y`, as far as known."""
    parts = []
    if agent and agent != "unknown":
        parts.append(f"agent {as_code(agent, 40)}")
    if prompt_version:
        parts.append(f"prompt version {as_code(prompt_version[:12], 20)}")
    return ", ".join(parts)


def _publish(thread: Thread, repo: Repo, body: str, known_id: int | None) -> int | None:
    """Create or edit the reply and return its id; None if the thread is gone."""
    try:
        known = _find_reply(thread, repo, known_id)
        if known is not None:
            return known.id if known.body == body else _edit(thread, repo, known.id, body).id
        if thread.kind == "line":
            return repo.reply_in_thread(thread.number, thread.root_id, body).id
        return repo.create_comment(thread.number, body).id
    except GithubRefused as error:
        if error.status not in _GONE:
            raise
        log.warning("no reply in a thread of #%d: GitHub returned %d", thread.number, error.status)
        return None


def take_back(thread: Thread, repo: Repo, known_id: int | None = None) -> None:
    """Empty the reply in a thread, if any: its comment or rule is gone."""
    body = f"{marker(REPEAT, thread.name)}\n\nWithdrawn: this reported a repeated mistake and no longer counts."
    try:
        known = _find_reply(thread, repo, known_id)
        if known is not None and known.body != body:
            _edit(thread, repo, known.id, body)
    except GithubRefused as error:
        if error.status not in _GONE:
            raise


def _find_reply(thread: Thread, repo: Repo, known_id: int | None) -> CommentFacts | None:
    """Return the App's reply in this thread, by marker and author (any user can copy a marker)."""
    said = repo.review_comments(thread.number) if thread.kind == "line" else repo.comments(thread.number)
    ours = [one for one in said if read_marker(one.body) == (REPEAT, thread.name) and repo.us.wrote(one)]
    return next((one for one in ours if one.id == known_id), ours[0] if ours else None)


def _edit(thread: Thread, repo: Repo, comment_id: int, body: str) -> CommentFacts:
    return (repo.edit_review_comment if thread.kind == "line" else repo.edit_comment)(comment_id, body)


def take_back_replies(context: Context, _turn: int) -> int:
    """Empty the replies that quote rules purged since the last call; return their number."""
    num_taken_back = 0
    for line in context.store.rules.purged_with_replies():
        if not context.store.alerts.once(TAKEN_BACK, str(line.id), context.clock()):
            continue
        try:
            with context.repo(line.repository_id) as repo:
                for number, thread in line.data["replies"]:
                    take_back(Thread(line.repository_id, int(number), str(thread)), repo)
                    num_taken_back += 1
        except Exception:
            context.store.alerts.take_back(TAKEN_BACK, str(line.id))
            raise
    return num_taken_back
