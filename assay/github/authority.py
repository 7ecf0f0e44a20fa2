"""Permissions of every act that overrides a finding, a hold or a rule.

    AUTHORITY   act -> required permission, whether authors of the change are barred, and where it is available
    refusal     why a permission does not suffice for an act
    makers      the accounts that made the head of a pull request
    own_work    why an account counts as one of them

Comments and buttons use `commands.permitting`; the pages, the API and the command line have no pull request and use
this module. `docs/app/commands.md` shows `table()`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Protocol

from assay.github.client import CommitFacts, Permission
from assay.github.errors import CommandRefused
from assay.github.events.model import Person, PullFacts

WEB_FLOW = "web-flow"
"""GitHub's committer of merges and edits made in the browser."""
TEST_COMMIT = "Add a test that demonstrates a finding"
"""Subject of the App's commits to a pull request; who made the commit below it is a maker of the head too."""
_PUSHED = "head_pushed"

_FLAGS = re.IGNORECASE | re.MULTILINE
_CO_AUTHOR = re.compile(r"^co-authored-by:[ \t]*[^<\n]{0,200}<([^<>\s]{1,254})>[ \t]*\r?$", _FLAGS)
_NOREPLY = re.compile(r"(?:(\d{1,20})\+)?([A-Za-z0-9-]{1,60}(?:\[bot\])?)@users\.noreply\.[a-z0-9.-]{1,200}", _FLAGS)
NOTHING_DONE = "Nothing was done."
MAINTAINERS = "maintainers of this repository"
WRITERS = "people with write permission"
OPENED_IT = "you opened this pull request"
PUSHED_LAST = "you pushed the last commit"


class PastAction(Protocol):
    """Entry of a pull request's log: its kind and details."""

    @property
    def kind(self) -> str: ...
    @property
    def data(self) -> Mapping[str, Any]: ...


class Act(StrEnum):
    """Act a person can request, named after its command; acts of `rule` include the subcommand."""

    rerun = "rerun"
    explain = "explain"
    fp = "fp"
    accept = "accept"
    hold = "hold"
    release = "release"
    pause = "pause"
    resume = "resume"
    rule_list = "rule list"
    rule_show = "rule show"
    rule_accept = "rule accept"
    rule_join = "rule join"
    rule_reject = "rule reject"
    rule_purge = "rule purge"
    rule_publish = "rule publish"
    help = "help"
    hand_to_agent = "hand to agent"
    commit_test = "commit test"


class Door(StrEnum):
    """Interface for an act. `api` needs a token with the scope `rules:write`, `cli` is the operator's machine."""

    comment = "comment"
    button = "button"
    page = "page"
    api = "API"
    cli = "command line"


@dataclass(frozen=True, slots=True)
class Authority:
    """Permission for an act.

    `least` is the permission on GitHub; `author_too` also allows the pull request's author. `bars_makers` excludes the
    author and makers of the last commit. `bars_own_rules` excludes users with an open pull request the rule blocks.
    """

    least: Permission = Permission.write
    author_too: bool = False
    bars_makers: bool = False
    bars_own_rules: bool = False
    doors: tuple[Door, ...] = (Door.comment,)


_ASKING = Authority(author_too=True)
_DECIDING = Authority(bars_makers=True)
_ON_RULES = Authority(Permission.maintain, doors=(Door.comment, Door.page, Door.api, Door.cli))

AUTHORITY: Mapping[Act, Authority] = MappingProxyType(
    {
        Act.rerun: Authority(author_too=True, doors=(Door.comment, Door.button)),
        Act.explain: _ASKING,
        Act.help: _ASKING,
        Act.fp: _DECIDING,
        Act.accept: _DECIDING,
        Act.release: Authority(bars_makers=True, doors=(Door.comment, Door.button)),
        Act.hold: Authority(),
        Act.pause: Authority(),
        Act.resume: Authority(),
        Act.hand_to_agent: Authority(doors=(Door.button,)),
        Act.commit_test: Authority(doors=(Door.button,)),
        Act.rule_list: Authority(doors=(Door.comment, Door.page, Door.api, Door.cli)),
        Act.rule_show: Authority(doors=(Door.comment, Door.page, Door.api, Door.cli)),
        Act.rule_accept: _ON_RULES,
        Act.rule_join: replace(_ON_RULES, bars_own_rules=True),
        Act.rule_reject: replace(_ON_RULES, bars_own_rules=True),
        Act.rule_purge: replace(_ON_RULES, bars_own_rules=True),
        Act.rule_publish: Authority(),
    }
)

OTHERS = "a user with write permission who made neither this pull request nor its last commit"
"""Users who may do the acts of `bars_makers`, for messages."""


def act_of(command: str, text: str = "") -> Act | None:
    """Return the act of a command and the first word after it; None if there is none."""
    word = text.strip().partition(" ")[0].lower()
    for name in (f"{command} {word or 'list'}", command, f"{command} list"):
        if name in tuple(Act):
            return Act(name)
    return None


def who(act: Act) -> str:
    """Return the users who may do an act, as a noun phrase for help, documents and refusals."""
    rule, text = AUTHORITY[act], _by_permission(act)
    if rule.bars_makers:
        text += ", but not the author or who made the last commit"
    if rule.bars_own_rules:
        text += ", but not while the rule blocks an open pull request of theirs"
    return text


def refusal(act: Act, permission: Permission, *, is_author: bool = False) -> str | None:
    """Return why a permission does not suffice for an act; None if it suffices."""
    rule = AUTHORITY[act]
    if permission.at_least(rule.least) or (rule.author_too and is_author):
        return None
    return f"Sorry, this is for {_by_permission(act)}. {NOTHING_DONE}"


def _by_permission(act: Act) -> str:
    rule = AUTHORITY[act]
    text = MAINTAINERS if rule.least is Permission.maintain else WRITERS
    return f"{text}, and the author" if rule.author_too else text


def table() -> str:
    """Return the table of the documents."""
    rows = [f"| `{act}` | {who(act)} | {', '.join(AUTHORITY[act].doors)} |" for act in AUTHORITY]
    return "\n".join(("| act | who | where |", "|---|---|---|", *rows))


def own_work(by: Person, made: Mapping[str, str]) -> str | None:
    """Return why an account counts as a maker of the head; None if it does not."""
    return next((made[key] for key in keys_of(by) if key in made), None)


def makers(pull: PullFacts, commits: Sequence[CommitFacts], log: Iterable[PastAction]) -> Mapping[str, str]:
    """Return the makers of a pull request's head with the reason, by the keys of `keys_of`.

    Makers opened the pull request, or wrote, committed, co-wrote or pushed its last commit. An address without an
    account, or a second account of the same person, cannot be detected.

    Args:
        pull: the pull request as GitHub describes it now.
        commits: its commits, oldest first.
        log: its events, which show who pushed; the names in a commit are free text.

    Raises:
        CommandRefused: the head is not among the commits, so its makers are unknown.
    """
    last = _last(pull.head_sha, commits)
    if not last:
        raise CommandRefused(
            "GitHub does not list the last commit, so its author is unknown.", code="command.unknown-author"
        )
    made: dict[str, str] = {}
    events = tuple(log)
    for commit in last:
        made |= _pushers(commit.sha, events)
        made |= dict.fromkeys(_co_authors(commit, commits), "you are a co-author of the last commit")
        for person in (commit.author, commit.committer):
            if person is not None and person.login.lower() != WEB_FLOW:
                made |= dict.fromkeys(keys_of(person), "the last commit is yours")
    return made | dict.fromkeys(keys_of(pull.author), OPENED_IT)


def keys_of(person: Person) -> tuple[str, ...]:
    """Return the keys of an account: its login in lower case, and `id:NUMBER`, which survives a renaming."""
    return (person.login.lower(),) if person.id is None else (person.login.lower(), f"id:{person.id}")


def _last(head_sha: str, commits: Sequence[CommitFacts]) -> Sequence[CommitFacts]:
    """Return the head's commit, and those below while they are the App's tests; none if the head is not listed.

    A forged subject only adds makers.
    """
    place = next((number for number, commit in enumerate(commits) if commit.sha == head_sha), None)
    if place is None:
        return ()
    first = place
    while first > 0 and commits[first].message.startswith(TEST_COMMIT):
        first -= 1
    return commits[first : place + 1]


def _pushers(head_sha: str, log: Iterable[PastAction]) -> dict[str, str]:
    pushed: dict[str, str] = {}
    for event in log:
        if event.kind == _PUSHED and event.data.get("head_sha") == head_sha:
            login, id_ = event.data.get("by"), event.data.get("by_id")
            keys = [str(login).lower()] if login else []
            keys += [f"id:{id_}"] if id_ else []
            pushed |= dict.fromkeys(keys, PUSHED_LAST)
    return pushed


def _co_authors(head: CommitFacts, commits: Iterable[CommitFacts]) -> Iterable[str]:
    """Yield the keys of co-authors whose account follows from the address or another commit."""
    known = {one.author_email.lower(): one.author for one in commits if one.author is not None}
    for address in _CO_AUTHOR.findall(head.message[:65_536]):
        person = known.get(address.lower())
        if person is not None:
            yield from keys_of(person)
        noreply = _NOREPLY.fullmatch(address)
        if noreply:
            yield noreply[2].lower()
            if noreply[1]:
                yield f"id:{noreply[1]}"
