"""Whether a command or button may be carried out for who asked: `authority` decides, this finds the facts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from assay.github.authority import AUTHORITY, Act, makers, own_work, refusal
from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked


def permitted(act: Act, asked: Asked) -> Asked:
    """Return the request with who made the head in it, where that matters to the act.

    Raises:
        CommandRefused: who asked may not, with the reason.
    """
    why = refusal(act, asked.permission, is_author=is_author(asked))
    if why is not None:
        raise CommandRefused(why)
    if not AUTHORITY[act].bars_makers:
        return asked
    made = _made(asked)
    own = own_work(asked.by, made)
    if own is not None:
        raise CommandRefused(f"Somebody else has to do this: {own}. Nothing was done.")
    return replace(asked, made_by=tuple(sorted(made)))


def may(act: Act, asked: Asked) -> bool:
    """Return whether who asked may also do another act, so that only commands they can give are told to them."""
    try:
        permitted(act, asked)
    except CommandRefused:
        return False
    return True


def is_author(asked: Asked) -> bool:
    """Return whether the account opened the pull request, by number: a login can pass to another account."""
    author = asked.pull.author
    return author.id is not None and author.id == asked.by.id


def _made(asked: Asked) -> Mapping[str, str]:
    log = asked.context.store.events.of(*asked.place)
    return makers(asked.pull, asked.repo.commits_of(asked.number), log)
