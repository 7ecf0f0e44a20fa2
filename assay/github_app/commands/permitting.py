"""Permission checks of commands and buttons, by the rules of `assay.github.authority`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.github.authority import AUTHORITY, Act, makers, own_work, refusal
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked


def permitted(act: Act, asked: Asked) -> Asked:
    """Check the permission; return the request with the makers of the head, for acts that exclude them.

    Raises:
        CommandRefused: the user may not, with the reason.
    """
    why = refusal(act, asked.permission, is_author=is_author(asked))
    if why is not None:
        raise CommandRefused(why)
    if not AUTHORITY[act].bars_makers:
        return asked
    made = _made(asked)
    own = own_work(asked.by, made)
    if own is not None:
        raise CommandRefused(f"Another user has to do this: {own}. Nothing was done.")
    return replace(asked, made_by=tuple(sorted(made)))


def may(act: Act, asked: Asked) -> bool:
    """Return whether the user may do another act, so that replies suggest only commands the user may give."""
    try:
        permitted(act, asked)
    except CommandRefused:
        return False
    return True


def is_author(asked: Asked) -> bool:
    """Return whether the user opened the pull request, by id: a login can move to another account."""
    author = asked.pull.author
    return author.id is not None and author.id == asked.by.id


def _made(asked: Asked) -> Mapping[str, str]:
    log = asked.context.store.events.of(*asked.place)
    return makers(asked.pull, asked.repo.commits_of(asked.number), log)
