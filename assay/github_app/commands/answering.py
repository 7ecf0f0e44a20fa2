"""Run the commands of a comment and reply.

Only new comments of users count; edits and deletions change nothing. Each comment gets one reply, however often GitHub
delivers it. Text of a comment is only used escaped, in the reply on GitHub.
"""

from __future__ import annotations

import difflib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

from assay.github.authority import Act, act_of
from assay.github.client import Permission, Repo
from assay.github.errors import CommandRefused, GithubRefused
from assay.github.events.model import CommentFacts, IssueCommentEvent, Person, ReviewCommentEvent
from assay.github_app.commands.command import Command, CommandRequest, is_author, permitted
from assay.github_app.commands.grammar import MOST_COMMANDS, MOST_LINE, CommandLine, commands_in
from assay.github_app.commands.register import COMMANDS
from assay.github_app.commands.replying import CARRIED_OUT, Conversation, Reply, is_answered, was_carried_out
from assay.github_app.runtime.context import Context
from assay.github_app.store import EventRow
from assay.validators import as_code

log = logging.getLogger(__name__)

CommentEvent: TypeAlias = IssueCommentEvent | ReviewCommentEvent

GUEST_PERIOD = timedelta(hours=1)
MOST_FROM_A_GUEST = 5
MOST_FROM_GUESTS = 20
"""Comments of users without write permission that get a reply per pull request within `GUEST_PERIOD`."""


def answer(event: CommentEvent, context: Context) -> None:
    """Run the commands of a comment and reply; do nothing for a comment without commands."""
    comment, repository = event.comment, event.about.repository
    number = event.number if isinstance(event, IssueCommentEvent) else event.pull.number
    is_elsewhere = isinstance(event, IssueCommentEvent) and not event.is_pull
    if event.about.action != "created" or repository is None or is_elsewhere:
        return
    typed, has_more = commands_in(comment.body)
    if not typed or not _is_by_sender(event):
        return
    key = f"{'comment' if comment.path is None else 'line-comment'}:{comment.id}"
    said_before = context.store.events.of(repository.id, number)
    if is_answered(said_before, key) or _too_many(said_before, comment.author, context):
        return
    with context.repo(repository.id) as repo:
        if not repo.us.wrote(comment):
            _answer(event, _Thread(context, repo, repository.id, number, key, said_before), typed, has_more)


@dataclass(frozen=True, slots=True)
class _Thread:
    """Pull request of a comment, the comment's key, and the earlier events."""

    context: Context
    repo: Repo
    repository_id: int
    number: int
    key: str
    before: Sequence[EventRow]


def _answer(event: CommentEvent, thread: _Thread, typed: Sequence[CommandLine], has_more: bool) -> None:
    comment, context, repo = event.comment, thread.context, thread.repo
    conversation = Conversation(context.store, repo, thread.repository_id, thread.number, thread.before)
    permission = repo.permission_of(comment.author.login)
    at = context.clock()
    request = CommandRequest(
        context=context,
        repo=repo,
        repository_id=thread.repository_id,
        pull=repo.pull(thread.number),
        by=comment.author,
        permission=permission,
        text="",
        key=thread.key,
        at=at,
        said_at=comment.created_at,
    )
    replies = was_carried_out(thread.before, thread.key)
    if replies is None:
        is_machine = _is_machine(comment)
        if not is_machine and (permission.at_least(Permission.write) or is_author(request)):
            _react(request, comment, "eyes")
        replies = _carry_out(typed, request, is_machine)
        if not replies:
            return
        if has_more:
            note = f"Only the first {MOST_COMMANDS} commands were read."
            replies.append(Reply(comment.author.login, "…", note, False))
        is_guest = not permission.at_least(Permission.write)
        conversation.carried_out(thread.key, replies, at, by=comment.author.login, is_guest=is_guest)
    conversation.say(thread.key, replies, _link(request, comment), at)
    _react(request, comment, "+1" if all(one.is_done for one in replies) else "confused")


def _is_by_sender(event: CommentEvent) -> bool:
    """Return whether the sender of the event wrote the comment."""
    sender, author = event.about.sender, event.comment.author
    return sender is None or sender.id is None or sender.id == author.id


def _is_machine(comment: CommentFacts) -> bool:
    """Return whether a bot wrote the comment, or an App in a user's name: the user may not have read it."""
    return comment.author.is_bot or comment.app_id is not None


def _too_many(log_: Sequence[EventRow], author: Person, context: Context) -> bool:
    """Return whether guests reached their limit; further comments of theirs get no reply."""
    since = context.clock() - GUEST_PERIOD
    guests = [
        str(event.data.get("by"))
        for event in log_
        if event.kind == CARRIED_OUT and event.at >= since and event.data.get("is_guest")
    ]
    return guests.count(author.login) >= MOST_FROM_A_GUEST or (
        len(guests) >= MOST_FROM_GUESTS and author.login in guests
    )


def _carry_out(typed: Sequence[CommandLine], request: CommandRequest, is_machine: bool) -> list[Reply]:
    """Run each command in turn and return the replies. Machines get none, except authors who ask for a rerun."""
    replies: list[Reply] = []
    for position, one in enumerate(typed):
        command = next((each for each in COMMANDS if each.name == one.word), None)
        if is_machine and (command is None or command.name != "rerun" or not is_author(request)):
            continue
        this = replace(request, text=one.rest, key=f"{request.key}:{position}")
        replies.append(_reply(command, one, this))
    return replies


def _reply(command: Command | None, typed: CommandLine, request: CommandRequest) -> Reply:
    name = as_code(f"/assay {typed.word}".strip(), 60)
    try:
        return Reply(request.by.login, name, run_permitted(command, typed, request), True)
    except CommandRefused as refused:
        return Reply(request.by.login, name, str(refused), False)


def run_permitted(command: Command | None, typed: CommandLine, request: CommandRequest) -> str:
    """Run a command if the user may, and return its reply. Raises `CommandRefused` otherwise."""
    act = act_of(command.name, typed.rest) if command is not None else None
    # Replies to unknown commands list the commands, so they need the permission for `help`.
    request = permitted(act or Act.help, request)
    if typed.is_too_long:
        raise CommandRefused(f"The line is longer than {MOST_LINE} characters.")
    if command is None or act is None:
        raise CommandRefused(_unknown(typed.word))
    return command.carry_out(request)


def _unknown(word: str) -> str:
    names = [one.name for one in COMMANDS]
    near = difflib.get_close_matches(word[:40].lower(), names, n=1, cutoff=0.5) if word else []
    hint = f" Did you mean `/assay {near[0]}`?" if near else ""
    what = f"There is no command {as_code(word, 40)}." if word else "Which command?"
    return f"{what}{hint} Commands: {', '.join(f'`{name}`' for name in names)}; `/assay help` describes them."


def _link(request: CommandRequest, comment: CommentFacts) -> str:
    kind = "issuecomment-" if comment.path is None else "discussion_r"
    return f"{request.repo.web_url}/pull/{request.number}#{kind}{comment.id}"


def _react(request: CommandRequest, comment: CommentFacts, emoji: str) -> None:
    """React to the comment; failing to, because it was deleted or locked, is only logged."""
    try:
        request.repo.react(comment, emoji)
    except GithubRefused as error:
        log.warning("no reaction to comment %d: GitHub returned %d", comment.id, error.status)
