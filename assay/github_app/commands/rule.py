"""`/assay rule …`: show learned rules (write permission) and decide about them (maintainers)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import CommandRequest
from assay.github_app.commands.grammar import finding_id, first_word, reason_in
from assay.github_app.learning.checks.proposals import LETTERS
from assay.github_app.learning.handout.instruction_files import block_job
from assay.github_app.learning.rules.listing import list_rules, show_rule
from assay.github_app.store import LIVE, RuleState
from assay.validators import as_code, as_prose

MOST_LISTED = 30
MOST_SHOWN = 15
"""Maximum lines of each kind in a reply; `assay rules show` has no limit."""
_WAITING = (*LIVE, RuleState.quarantined)
PUBLISHING = "Assay checks the blocks of rules in instruction files; if one is out of date, a pull request updates it."


def rule(request: CommandRequest) -> str:
    """Carry out the subcommand that is the first word of the text; without one, list the rules."""
    word, rest = first_word(request.text)
    act = _ACTS.get(word.lower() or "list")
    if act is None:
        raise CommandRefused(f"Subcommands of `/assay rule`: {', '.join(f'`{name}`' for name in _ACTS)}.")
    return act(request, rest)


def _list(request: CommandRequest, rest: str) -> str:  # noqa: ARG001 - common signature
    found = list_rules(request.context.store, request.repository_id, states=_WAITING)["rules"]
    if not found:
        return "There are no rules yet: Assay learns them from comments of reviewers with write permission."
    rows = [
        f"| {as_code(one['rule_id'])} | {one['state']}{' (ineffective)' if one['is_ineffective'] else ''} | "
        f"{as_prose(one['text'], 160, cell=True)} | {one['num_reviewers']} on {one['num_pulls']} | "
        f"{one['num_repeats']} |"
        for one in found[:MOST_LISTED]
    ]
    more = [f"\nand {len(found) - MOST_LISTED} more"] if len(found) > MOST_LISTED else []
    head = ["| id | state | rule | reviewers, pull requests | repeats |", "|---|---|---|---|---|"]
    return "\n".join([f"Rules: {len(found)}", "", *head, *rows, *more])


def _show(request: CommandRequest, rest: str) -> str:
    rule_id = _id_in(rest)[0]
    found = show_rule(request.context.store, request.repository_id, rule_id)
    if found is None:
        raise CommandRefused(_no_such(rule_id))
    return "\n".join([*_details(found, request.repo.web_url), *_offers(request, rule_id)])


def _offers(request: CommandRequest, rule_id: str) -> Iterator[str]:
    """Yield the proposals for a rule, each with its letter."""
    from assay.github_app.learning.rules.accepting import base_of, offered

    row = request.context.store.rules.get(request.repository_id, rule_id)
    if row is None or row.state is RuleState.joined:
        return
    first = offered(request.context.store, row)
    if not first:
        return
    past = base_of(request.context.store, request.repository_id, request.context.settings.data_dir, first[0].paths)
    yield f"\nHow it can be checked (`/assay rule accept {rule_id} LETTER`, and `block` if it shall block):\n"
    for letter, one in zip(LETTERS, offered(request.context.store, row, past) if past else first, strict=False):
        yield f"- `{letter}` {as_prose(one.what, 200)}{f': {one.effect_text}' if one.effect_text else ''}"


def _accept(request: CommandRequest, rest: str) -> str:
    from assay.github_app.learning.rules.accepting import Acceptance, accept

    rule_id, rest = _id_in(rest)
    words = rest.lower().split()
    choice = Acceptance("".join(word for word in words if word != "block")[:10], is_blocking="block" in words)
    with _refusals(rule_id):
        done = accept(
            request.context.store,
            (request.repository_id, rule_id),
            choice,
            request.at,
            by=request.by.login,
            person=request.by,
            key=request.key,
        )
    told = [f"{as_code(rule_id)} is a rule of this repository {'now' if done.result.is_news else 'already'}."]
    if done.chosen is not None:
        effect = f" ({done.chosen.effect_text})" if done.chosen.effect_text else ""
        told.append(f"It is upheld by {as_prose(done.chosen.what, 200)}{effect}.")
    others = [
        f"`{letter}` {as_prose(one.what, 200)}"
        for letter, one in zip(LETTERS, done.proposals, strict=False)
        if one is not done.chosen
    ]
    if others:
        told.append(f"Instead, `/assay rule accept {rule_id} LETTER` chooses {'; '.join(others)}.")
    return " ".join(told)


def _join(request: CommandRequest, rest: str) -> str:
    from assay.github_app.learning.rules.joining import join

    rule_id, rest = _id_in(rest)
    into, reason = _id_in(rest)
    place, why = (request.repository_id, rule_id), reason_in(reason) or None
    with _refusals(rule_id):
        done = join(
            request.context.store,
            place,
            into,
            request.at,
            by=request.by.login,
            person=request.by,
            why=why,
            key=request.key,
        )
    what = "is joined" if done.is_news else "was joined before"
    return f"{as_code(rule_id)} {what} into {as_code(into)}: comments that ask for either count for {as_code(into)}."


def _reject(request: CommandRequest, rest: str) -> str:
    rule_id, reason = _id_in(rest)
    is_news = _decide(request, rule_id, "reject", reason_in(reason) or None)
    what = "is rejected" if is_news else "was rejected before"
    return f"{as_code(rule_id)} {what}: comments that ask for the same no longer count."


def _purge(request: CommandRequest, rest: str) -> str:
    rule_id, _ = _id_in(rest)
    _decide(request, rule_id, "purge")
    return f"{as_code(rule_id)} is purged: its text is deleted; the log keeps its id."


def _publish(request: CommandRequest, rest: str) -> str:  # noqa: ARG001 - common signature
    if not request.context.settings.instruction_files:
        raise CommandRefused(
            "This installation of Assay does not propose changes (`ASSAY_INSTRUCTION_FILES` is off).",
            code="command.no-proposals",
        )
    if not request.context.store.rules.was_confirmed_by_person(request.repository_id):
        raise CommandRefused(
            "Nothing is proposed before a maintainer has confirmed a rule: `/assay rule accept ID`.",
            code="command.nothing-confirmed",
        )
    request.context.queues.put(block_job(request.repository_id, request.key))
    return PUBLISHING


_ACTS: Mapping[str, Callable[[CommandRequest, str], str]] = {
    "list": _list,
    "show": _show,
    "accept": _accept,
    "join": _join,
    "reject": _reject,
    "purge": _purge,
    "publish": _publish,
}


def _decide(request: CommandRequest, rule_id: str, decision: str, why: str | None = None) -> bool:
    from assay.github_app.learning.rules.deciding import Decision, decide

    place, store = (request.repository_id, rule_id), request.context.store
    with _refusals(rule_id):
        done = decide(
            store,
            place,
            Decision(decision),
            request.at,
            by=request.by.login,
            person=request.by,
            why=why,
            key=request.key,
        )
    return done.is_news


@contextmanager
def _refusals(rule_id: str) -> Iterator[None]:
    """Raise refusals of a decision as those of the command."""
    from assay.github_app.learning.rules.deciding import CannotDecide

    try:
        yield
    except CannotDecide as refused:
        raise CommandRefused(
            f"{as_code(rule_id)}: {refused.text}. `/assay rule list` lists the rules.", code=refused.code
        ) from None


def _id_in(text: str) -> tuple[str, str]:
    """Split the rule's id from the rest. Raises `CommandRefused` without an id."""
    word, rest = first_word(text)
    rule_id = finding_id(word)  # both are 12 hex digits
    if rule_id is None:
        what = f"{as_code(word, 40)} is not a rule's id." if word else "The rule's id is missing."
        raise CommandRefused(f"{what} `/assay rule list` lists the rules with their ids.")
    return rule_id, rest


def _no_such(rule_id: str) -> str:
    return f"There is no rule {as_code(rule_id)}. `/assay rule list` lists the rules."


def _details(found: Mapping[str, Any], web_url: str) -> Iterator[str]:
    if found["state"] == "purged":
        yield f"{as_code(found['rule_id'])} was purged."
    else:
        yield f"**{as_prose(found['text'], 400)}**"
        yield ""
        why = f" ({as_prose(str(found['why']), 200)})" if found["why"] else ""
        state = f"joined into {as_code(found['joined_into'])}" if found["joined_into"] else found["state"]
        yield f"{as_code(found['rule_id'])} is {state}{why} and applies to {_scope(found)}."
        if found["is_ineffective"]:
            yield "It is *ineffective*: an agent received it and broke it."
        for one in found["also_worded_as"][-MOST_SHOWN:]:
            yield f"Also worded as {as_code(one['rule_id'])}: {as_prose(one['text'], 200)}"
        yield ""
        for one in found["sources"][-MOST_SHOWN:]:
            is_vote = "" if one["counts"] else " (does not count)"
            reviewer = as_code(one["reviewer"], 60)
            yield f"- asked for on {_pull(one, web_url)} by {reviewer}, {one['at']:%Y-%m-%d}{is_vote}"
        for one in found["repeats"][-MOST_SHOWN:]:
            by = f", agent {as_code(one['agent'], 40)}" if one["agent"] else ""
            yield f"- repeated on {_pull(one, web_url)}, {one['at']:%Y-%m-%d}{by}"
    yield ""
    for one in found["history"][-MOST_SHOWN:]:
        by = f" by {as_code(str(one['by']), 60)}" if one["by"] else ""
        yield f"- {one['at']:%Y-%m-%d %H:%M} UTC: {one['what'].replace('_', ' ')}{by}"


def _scope(found: Mapping[str, Any]) -> str:
    paths = ", ".join(as_code(path, 80) for path in found["paths"][:10])
    language = f"{as_prose(found['language'], 40)} files" if found["language"] else "everything"
    return f"{language} below {paths}" if paths else language


def _pull(one: Mapping[str, Any], web_url: str) -> str:
    return f"[#{one['number']}]({web_url}/pull/{one['number']})"
