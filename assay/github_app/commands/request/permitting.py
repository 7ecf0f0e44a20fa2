"""Permission checks of commands and buttons, by the rules of `assay.github.authority`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.github.authority import AUTHORITY, Act, makers, own_work, refusal
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import CommandRequest


def permitted(act: Act, request: CommandRequest) -> CommandRequest:
    """Check the permission; return the request with the makers of the head, for acts that exclude them.

    Raises:
        CommandRefused: the user may not, with the reason.
    """
    why = refusal(act, request.permission, is_author=is_author(request))
    if why is not None:
        raise CommandRefused(why)
    if not AUTHORITY[act].bars_makers:
        return request
    made = _made(request)
    own = own_work(request.by, made)
    if own is not None:
        raise CommandRefused(
            f"Another user has to do this: {own}. Nothing was done.", code="command.needs-another-user"
        )
    return replace(request, made_by=tuple(sorted(made)))


def may(act: Act, request: CommandRequest) -> bool:
    """Return whether the user may do another act, so that replies suggest only commands the user may give."""
    try:
        permitted(act, request)
    except CommandRefused:
        return False
    return True


def is_author(request: CommandRequest) -> bool:
    """Return whether the user opened the pull request, by id: a login can move to another account."""
    author = request.pull.author
    return author.id is not None and author.id == request.by.id


def _made(request: CommandRequest) -> Mapping[str, str]:
    log = request.context.store.events.of(*request.place)
    return makers(request.pull, request.repo.commits_of(request.number), log)
