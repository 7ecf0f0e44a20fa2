"""`/assay rule …`: the rules that review comments taught; everybody who may write sees them, maintainers decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from assay.github.errors import CommandRefused
from assay.github_app.commands.command import Asked
from assay.github_app.commands.grammar import finding_id, first_word
from assay.github_app.commands.reasons import reason_in
from assay.github_app.learning.handout.keeping_block import block_job
from assay.github_app.learning.handout.listing import list_rules, show_rule
from assay.github_app.learning.repository_settings import learning_settings
from assay.github_app.store import LIVE, RuleState
from assay.validators import ConfigurationError, Learning, as_code, as_prose

MOST_LISTED = 30
MOST_SHOWN = 15
"""Lines of each kind in an answer: a comment is no archive; `assay rules show` tells everything."""
_WAITING = (*LIVE, RuleState.quarantined)


class Rule:
    """Lists, shows, accepts, rejects and purges rules."""

    name = "rule"
    usage = "rule list, show ID, accept ID, reject ID [reason], purge ID, publish"
    about = (
        "The rules that reviews taught: list them, show one; for maintainers: accept, reject, or purge its words; "
        "publish: bring the block in AGENTS.md up to date."
    )

    def carry_out(self, asked: Asked) -> str:
        word, rest = first_word(asked.text)
        act = _ACTS.get(word.lower() or "list")
        if act is None:
            raise CommandRefused(f"`/assay rule` knows {', '.join(f'`{name}`' for name in _ACTS)}.")
        return act(asked, rest)


def _list(asked: Asked, rest: str) -> str:  # noqa: ARG001 - each act has this shape
    found = list_rules(asked.context.store, asked.repository_id, states=_WAITING)["rules"]
    if not found:
        return "There are no rules yet: they come from what reviewers with write permission ask for."
    rows = [
        f"| {as_code(one['rule_id'])} | {one['state']}{' (ineffective)' if one['is_ineffective'] else ''} | "
        f"{as_prose(one['text'], 160, cell=True)} | {one['num_reviewers']} on {one['num_pulls']} | "
        f"{one['num_repeats']} |"
        for one in found[:MOST_LISTED]
    ]
    more = [f"\nand {len(found) - MOST_LISTED} more"] if len(found) > MOST_LISTED else []
    head = ["| id | state | rule | said by, on pull requests | came back |", "|---|---|---|---|---|"]
    return "\n".join([f"Rules: {len(found)}", "", *head, *rows, *more])


def _show(asked: Asked, rest: str) -> str:
    rule_id = _id_in(rest)[0]
    found = show_rule(asked.context.store, asked.repository_id, rule_id)
    if found is None:
        raise CommandRefused(_no_such(rule_id))
    return "\n".join(_shown(found, asked.repo.web_url))


def _accept(asked: Asked, rest: str) -> str:
    rule_id, _ = _id_in(rest)
    is_news = _decide(asked, rule_id, "accept")
    return f"{as_code(rule_id)} is a rule of this repository {'now' if is_news else 'already'}."


def _reject(asked: Asked, rest: str) -> str:
    rule_id, reason = _id_in(rest)
    is_news = _decide(asked, rule_id, "reject", reason_in(reason) or None)
    what = "is rejected" if is_news else "was rejected before"
    return f"{as_code(rule_id)} {what}: what says the same teaches nothing from now on."


def _purge(asked: Asked, rest: str) -> str:
    rule_id, _ = _id_in(rest)
    _decide(asked, rule_id, "purge")
    return f"{as_code(rule_id)} is purged: its words are gone, and that there was a rule stays in the log."


def _publish(asked: Asked, rest: str) -> str:  # noqa: ARG001 - each act has this shape
    if not asked.context.settings.agents_md:
        raise CommandRefused("This installation of Assay proposes no changes of its own (`ASSAY_AGENTS_MD`).")
    asked.context.queues.put(block_job(asked.repository_id, asked.key))
    return "AGENTS.md is looked at; where its block of rules is out of date, a pull request proposes the new one."


_ACTS: Mapping[str, Callable[[Asked, str], str]] = {
    "list": _list,
    "show": _show,
    "accept": _accept,
    "reject": _reject,
    "purge": _purge,
    "publish": _publish,
}


def _decide(asked: Asked, rule_id: str, decision: str, why: str | None = None) -> bool:
    from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide

    place, store = (asked.repository_id, rule_id), asked.context.store
    try:
        done = decide(
            store,
            place,
            Decision(decision),
            asked.at,
            by=asked.by.login,
            person=asked.by,
            why=why,
            key=asked.key,
            settings=_settings(asked),
        )
    except CannotDecide as refused:
        raise CommandRefused(f"{as_code(rule_id)}: {refused}. `/assay rule list` lists them.") from None
    return done.is_news


def _settings(asked: Asked) -> Learning:
    pull = asked.context.store.pulls.get(*asked.place)
    try:
        return learning_settings(asked.context, pull) if pull is not None else Learning()
    except ConfigurationError:
        raise CommandRefused(
            "The configuration of this repository is wrong; `assay config check` tells where."
        ) from None


def _id_in(text: str) -> tuple[str, str]:
    """(the id a text begins with, what follows it)."""
    word, rest = first_word(text)
    rule_id = finding_id(word)  # both are 12 hex digits
    if rule_id is None:
        said = f"{as_code(word, 40)} is no rule's id." if word else "Say which rule."
        raise CommandRefused(f"{said} `/assay rule list` lists them with their ids.")
    return rule_id, rest


def _no_such(rule_id: str) -> str:
    return f"There is no rule {as_code(rule_id)}. `/assay rule list` lists them."


def _shown(found: Mapping[str, Any], web_url: str) -> Iterator[str]:
    if found["state"] == "purged":
        yield f"{as_code(found['rule_id'])} was purged."
    else:
        yield f"**{as_prose(found['text'], 400)}**"
        yield ""
        why = f" ({as_prose(str(found['why']), 200)})" if found["why"] else ""
        yield f"{as_code(found['rule_id'])} is {found['state']}{why}, holds for {_scope(found)}."
        if found["is_ineffective"]:
            yield "It is *ineffective*: it was handed to an agent and broken all the same."
        yield ""
        for one in found["sources"][-MOST_SHOWN:]:
            is_vote = "" if one["counts"] else " (does not count)"
            yield f"- said on {_pull(one, web_url)} by {as_code(one['reviewer'], 60)}, {one['at']:%Y-%m-%d}{is_vote}"
        for one in found["repeats"][-MOST_SHOWN:]:
            by = f", agent {as_code(one['agent'], 40)}" if one["agent"] else ""
            yield f"- came back on {_pull(one, web_url)}, {one['at']:%Y-%m-%d}{by}"
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
