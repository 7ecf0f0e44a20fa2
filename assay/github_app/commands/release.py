"""`/assay release reason`: release the hold of the head."""

from __future__ import annotations

from assay.github.errors import CommandRefused
from assay.github.publish import held_for
from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.request.grammar import reason_in
from assay.github_app.commands.request.reports import must_have_seen, open_only, refresh, report_of_head
from assay.github_app.runs.holds import Release, release
from assay.validators import as_code, as_prose


class ReleaseHold:
    """Command that releases the hold of the head that the user has seen."""

    name = "release"
    usage = "release reason"
    about = "Release the hold of the last commit; for critical risk the reason names what is accepted."

    def carry_out(self, request: CommandRequest) -> str:
        open_only(request)
        reason = reason_in(request.text)
        _check_seen(request)
        hold = Release(
            by=request.by,
            reason=reason,
            pull=request.pull,
            made_by=request.made_by,
            report=report_of_head(request),
            repository_id=request.repository_id,
            key=request.key,
        )
        done = release(request.context.store, hold, request.at)
        refresh(request)
        head, by = as_code(done.head_sha[:12]), as_code(request.by.login)
        what = held_for(done.level, done.reasons)
        return f"The hold of {head} ({what}) is released by {by}{f': {as_prose(reason)}' if reason else '.'}"


def _check_seen(request: CommandRequest) -> None:
    """Raise `CommandRefused` for a head that was pushed or held after the comment, or has no verdict yet."""
    head = request.pull.head_sha
    run = request.context.store.runs.of_head(*request.place, head)
    if run is not None and run.reported_at is None and not run.state.is_ended:
        raise CommandRefused(
            f"{as_code(head[:12])} is being validated; wait for the verdict, then repeat the command.",
            code="command.being-validated",
        )
    if request.seen_head is not None and request.seen_head != head:
        raise CommandRefused(f"That check belongs to an older commit; the last one is {as_code(head[:12])}.")
    hold = request.context.store.holds.current(*request.place, head)
    must_have_seen(request, head, *([hold.placed_at] if hold else []))
