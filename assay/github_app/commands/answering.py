"""A comment comes in, commands are carried out, one reply goes out.

Only a new comment of a person is listened to. Each comment is answered once, however often its delivery comes; an
edited or deleted one changes nothing. What a comment says reaches GitHub only escaped, and nothing else at all.
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
from assay.github_app.commands.command import Asked, Command
from assay.github_app.commands.grammar import MOST_COMMANDS, MOST_LINE, Typed, commands_in
from assay.github_app.commands.permitting import is_author, permitted
from assay.github_app.commands.register import COMMANDS
from assay.github_app.commands.replying import CARRIED_OUT, Conversation, Said, is_answered, was_carried_out
from assay.github_app.runtime.context import Context
from assay.github_app.store import EventRow
from assay.validators import as_code

log = logging.getLogger(__name__)

CommentEvent: TypeAlias = IssueCommentEvent | ReviewCommentEvent

GUEST_PERIOD = timedelta(hours=1)
MOST_FROM_A_GUEST = 5
MOST_FROM_GUESTS = 20
"""Comments of people without write permission that are answered on one pull request within `GUEST_PERIOD`."""


def answer(event: CommentEvent, context: Context) -> None:
    """Carry out what a comment asks for, and answer it; nothing where it asks for nothing."""
    comment, repository = event.comment, event.about.repository
    number = event.number if isinstance(event, IssueCommentEvent) else event.pull.number
    is_elsewhere = isinstance(event, IssueCommentEvent) and not event.is_pull
    if event.about.action != "created" or repository is None or is_elsewhere:
        return
    typed, has_more = commands_in(comment.body)
    if not typed or not _speaks_for_itself(event):
        return
    key = f"{'comment' if comment.path is None else 'line-comment'}:{comment.id}"
    said_before = context.store.events.of(repository.id, number)
    if is_answered(said_before, key) or _too_many(said_before, comment.author, context):
        return
    with context.repo(repository.id) as repo:
        if not repo.us.wrote(comment):
            _answer(event, _Heard(context, repo, repository.id, number, key, said_before), typed, has_more)


@dataclass(frozen=True, slots=True)
class _Heard:
    """Where something was said, under which key, and what was said there before."""

    context: Context
    repo: Repo
    repository_id: int
    number: int
    key: str
    before: Sequence[EventRow]


def _answer(event: CommentEvent, heard: _Heard, typed: Sequence[Typed], has_more: bool) -> None:
    comment, context, repo = event.comment, heard.context, heard.repo
    conversation = Conversation(context.store, repo, heard.repository_id, heard.number, heard.before)
    permission = repo.permission_of(comment.author.login)
    at = context.clock()
    asked = Asked(
        context=context,
        repo=repo,
        repository_id=heard.repository_id,
        pull=repo.pull(heard.number),
        by=comment.author,
        permission=permission,
        text="",
        key=heard.key,
        at=at,
        said_at=comment.created_at,
    )
    told = was_carried_out(heard.before, heard.key)
    if told is None:
        is_machine = _is_machine(comment)
        if not is_machine and (permission.at_least(Permission.write) or is_author(asked)):
            _react(asked, comment, "eyes")
        told = _carry_out(typed, asked, is_machine)
        if not told:
            return
        if has_more:
            told.append(Said(comment.author.login, "…", f"Only the first {MOST_COMMANDS} commands were read.", False))
        is_guest = not permission.at_least(Permission.write)
        conversation.carried_out(heard.key, told, at, by=comment.author.login, is_guest=is_guest)
    conversation.say(heard.key, told, _link(asked, comment), at)
    _react(asked, comment, "+1" if all(one.is_done for one in told) else "confused")


def _speaks_for_itself(event: CommentEvent) -> bool:
    """The one who sent it wrote it."""
    sender, author = event.about.sender, event.comment.author
    return sender is None or sender.id is None or sender.id == author.id


def _is_machine(comment: CommentFacts) -> bool:
    """Written by a bot, or through an App in a person's name: nobody read what they answer for."""
    return comment.author.is_bot or comment.app_id is not None


def _too_many(log_: Sequence[EventRow], author: Person, context: Context) -> bool:
    """Whether guests have had their share: further comments of theirs cost us nothing, and are not answered."""
    since = context.clock() - GUEST_PERIOD
    guests = [
        str(event.data.get("by"))
        for event in log_
        if event.kind == CARRIED_OUT and event.at >= since and event.data.get("is_guest")
    ]
    return guests.count(author.login) >= MOST_FROM_A_GUEST or (
        len(guests) >= MOST_FROM_GUESTS and author.login in guests
    )


def _carry_out(typed: Sequence[Typed], asked: Asked, is_machine: bool) -> list[Said]:
    """Each command in turn, with its answer. A machine gets none, except where it may ask for a rerun."""
    told: list[Said] = []
    for position, one in enumerate(typed):
        command = next((each for each in COMMANDS if each.name == one.word), None)
        if is_machine and (command is None or command.name != "rerun" or not is_author(asked)):
            continue
        this = replace(asked, text=one.rest, key=f"{asked.key}:{position}")
        told.append(_told(command, one, this))
    return told


def _told(command: Command | None, typed: Typed, asked: Asked) -> Said:
    name = as_code(f"/assay {typed.word}".strip(), 60)
    try:
        return Said(asked.by.login, name, may_and_does(command, typed, asked), True)
    except CommandRefused as refused:
        return Said(asked.by.login, name, str(refused), False)


def may_and_does(command: Command | None, typed: Typed, asked: Asked) -> str:
    """What a command answers, if the one who gave it may. Raises `CommandRefused` otherwise."""
    act = act_of(command.name, typed.rest) if command is not None else None
    # What is no command is answered to those who may ask for help; to others nothing is told of what there is.
    asked = permitted(act or Act.help, asked)
    if typed.is_too_long:
        raise CommandRefused(f"That line is longer than {MOST_LINE} characters.")
    if command is None or act is None:
        raise CommandRefused(_unknown(typed.word))
    return command.carry_out(asked)


def _unknown(word: str) -> str:
    names = [one.name for one in COMMANDS]
    near = difflib.get_close_matches(word[:40].lower(), names, n=1, cutoff=0.5) if word else []
    hint = f" Did you mean `/assay {near[0]}`?" if near else ""
    said = f"There is no command {as_code(word, 40)}." if word else "Which command?"
    return f"{said}{hint} There are: {', '.join(f'`{name}`' for name in names)}; `/assay help` tells more."


def _link(asked: Asked, comment: CommentFacts) -> str:
    kind = "issuecomment-" if comment.path is None else "discussion_r"
    return f"{asked.repo.web_url}/pull/{asked.number}#{kind}{comment.id}"


def _react(asked: Asked, comment: CommentFacts, emoji: str) -> None:
    """The reply is the answer; that a comment was deleted meanwhile, or is locked, takes nothing from it."""
    try:
        asked.repo.react(comment, emoji)
    except GithubRefused as error:
        log.warning("no reaction to comment %d: GitHub says %d", comment.id, error.status)
