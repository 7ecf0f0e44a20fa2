"""Buttons of our Check Run, and GitHub's "Re-run", with the permissions of the commands.

A button gets its reply in the commands' comment; GitHub's "Re-run" starts a run. Only Check Runs with our App's id and
an external id from our store count.
"""

from __future__ import annotations

from assay.github.authority import Act
from assay.github.client import Button, Permission
from assay.github.errors import CommandRefused
from assay.github.events.model import CheckRunEvent, CheckSuiteEvent
from assay.github.publish import COMMIT_TEST, HAND_TO_AGENT, RELEASE_HOLD, RERUN
from assay.github_app.commands.answering import run_permitted
from assay.github_app.commands.command import Command, CommandRequest, newest_report, open_only, refresh
from assay.github_app.commands.committing import commit_test
from assay.github_app.commands.grammar import CommandLine
from assay.github_app.commands.register import COMMANDS
from assay.github_app.commands.replying import Conversation, Reply, is_answered, was_carried_out
from assay.github_app.runs.fix_cycles import CycleContext, Trigger, hand_back
from assay.github_app.runtime.context import Context
from assay.github_app.store import RunRow


def hand_to_agent(request: CommandRequest) -> str:
    """Post the blocking findings for the agent, as often as the configuration allows."""
    open_only(request)
    _, report = newest_report(request)
    cycle = CycleContext(request.context.store, request.repo, request.repository_id, request.at)
    result = hand_back(cycle, request.pull, report, Trigger.button, by=request.by.login)
    if result.comment_id is None:
        raise CommandRefused(result.message)
    refresh(request)
    return result.message


def press(event: CheckRunEvent, context: Context) -> None:
    """Run the command of a button if the user may, and reply."""
    run, sender = _our_run(event, context), event.about.sender
    pressed = BUTTONS.get(event.button or "")
    if event.about.action != "requested_action" or run is None or run.number is None or pressed is None:
        return
    button, command = pressed
    key = f"press:{event.about.delivery_id}"
    said_before = context.store.events.of(run.repository_id, run.number)
    if sender is None or sender.is_bot or is_answered(said_before, key):
        return
    with context.repo(run.repository_id) as repo:
        permission = repo.permission_of(sender.login)
        request = CommandRequest(
            context=context,
            repo=repo,
            repository_id=run.repository_id,
            pull=repo.pull(run.number),
            by=sender,
            permission=permission,
            text="",
            key=key,
            at=context.clock(),
            seen_head=event.check.head_sha,
        )
        conversation = Conversation(context.store, repo, run.repository_id, run.number, said_before)
        replies = was_carried_out(said_before, key)
        if replies is None:
            replies = [_reply(button, command, request)]
            is_guest = not permission.at_least(Permission.write)
            conversation.carried_out(key, replies, request.at, by=sender.login, is_guest=is_guest)
        conversation.say(key, replies, None, request.at)


def rerequested(event: CheckRunEvent | CheckSuiteEvent, context: Context) -> None:
    """Validate the head again after GitHub's "Re-run" of our check or of all; it needs write permission on GitHub."""
    if event.about.action != "rerequested" or event.about.repository is None:
        return
    if isinstance(event, CheckRunEvent):
        run = _our_run(event, context)
        runs = [run] if run is not None else []
    elif event.app_id == context.github.app_id:
        found = context.store.runs.with_sha(event.about.repository.id, event.head_sha)
        runs = list({run.number: run for run in found}.values())
    else:
        runs = []
    for run in runs:
        pull = context.store.pulls.get(run.repository_id, run.number) if run.number is not None else None
        if pull is not None and pull.state == "open" and not pull.is_paused and pull.head_sha == run.head_sha:
            context.ask_validation(
                run.repository_id,
                pull.number,
                run.head_sha,
                "rerequested",
                request_key=f"rerequested:{event.about.delivery_id}:{pull.number}",
                is_again=True,
            )


def _our_run(event: CheckRunEvent, context: Context) -> RunRow | None:
    check, repository = event.check, event.about.repository
    if check.app_id != context.github.app_id or not check.external_id or repository is None:
        return None
    run = context.store.runs.with_external_id(check.external_id)
    is_it = run is not None and (run.repository_id, run.head_sha) == (repository.id, check.head_sha)
    return run if is_it else None


def _reply(button: Button, command: Command, request: CommandRequest) -> Reply:
    name = f"**{button.label}**"
    try:
        if request.seen_head != request.pull.head_sha:
            raise CommandRefused("That check belongs to an older commit; nothing was done.")
        return Reply(request.by.login, name, run_permitted(command, CommandLine(command.name), request), True)
    except CommandRefused as refused:
        return Reply(request.by.login, name, str(refused), False)


def _named(name: str) -> Command:
    return next(command for command in COMMANDS if command.name == name)


BUTTONS: dict[str, tuple[Button, Command]] = {
    RERUN.identifier: (RERUN, _named("rerun")),
    HAND_TO_AGENT.identifier: (HAND_TO_AGENT, Command(Act.hand_to_agent, "", "", hand_to_agent)),
    RELEASE_HOLD.identifier: (RELEASE_HOLD, _named("release")),
    COMMIT_TEST.identifier: (COMMIT_TEST, Command(Act.commit_test, "", "", commit_test)),
}
