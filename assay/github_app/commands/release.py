"""`/assay release reason`: release the hold of the head."""

from __future__ import annotations

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked
from assay.github_app.commands.grammar import reason_in
from assay.github_app.commands.reports import must_have_seen, open_only, refresh, report_of_head
from assay.github_app.runs.holds import Release, release
from assay.validators import as_code, as_prose


class ReleaseHold:
    """Command that releases the hold of the head that the user has seen."""

    name = "release"
    usage = "release reason"
    about = "Release the hold of the last commit; for critical risk the reason names what is accepted."

    def carry_out(self, asked: Asked) -> str:
        open_only(asked)
        reason = reason_in(asked.text)
        _check_seen(asked)
        hold = Release(
            by=asked.by,
            reason=reason,
            pull=asked.pull,
            made_by=asked.made_by,
            report=report_of_head(asked),
            repository_id=asked.repository_id,
            key=asked.key,
        )
        done = release(asked.context.store, hold, asked.at)
        refresh(asked)
        head, by = as_code(done.head_sha[:12]), as_code(asked.by.login)
        return f"The hold of {head} ({done.level} risk) is released by {by}{f': {as_prose(reason)}' if reason else '.'}"


def _check_seen(asked: Asked) -> None:
    """Raise `CommandRefused` for a head that was pushed or held after the comment, or has no verdict yet."""
    head = asked.pull.head_sha
    run = asked.context.store.runs.of_head(*asked.place, head)
    if run is not None and run.reported_at is None and not run.state.is_ended:
        raise CommandRefused(f"{as_code(head[:12])} is being validated; wait for the verdict, then repeat the command.")
    if asked.seen_head is not None and asked.seen_head != head:
        raise CommandRefused(f"That check belongs to an older commit; the last one is {as_code(head[:12])}.")
    hold = asked.context.store.holds.current(*asked.place, head)
    must_have_seen(asked, head, *([hold.placed_at] if hold else []))
