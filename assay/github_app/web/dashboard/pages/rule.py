"""Page of one rule: text, sources, repeats, history, and forms to decide about it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.github.events.model import Person
from assay.github_app.learning.checks.proposals import LETTERS
from assay.github_app.learning.rules.accepting import Acceptance, accept, base_of, offered
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.joining import join, may_join
from assay.github_app.learning.rules.listing import alike, joined_rules
from assay.github_app.store import MatchRow, RepositoryRow, RuleAuditRow, RuleRow, RuleState, SourceRow
from assay.github_app.web.dashboard.content.blocks import (
    Block,
    Cell,
    Choice,
    Fact,
    Facts,
    Field,
    Form,
    Sheet,
    Table,
    columns_of,
)
from assay.github_app.web.dashboard.pages.page import Page, PageRequest, RejectedForm, pull_cell, quoted, rule_address

_ID = re.compile(r"[0-9a-f]{12}")
MOST_REASON = 500
JOIN = "join"
MOST_HOSTS = 200
MOST_LABEL = 100
MOST_CHOICE = 250


def view(asked: PageRequest) -> Sheet | None:
    """Show the rule; only its history if it was purged."""
    repository, rule_id = asked.repository, asked.path["rule_id"]
    if repository is None or not _ID.fullmatch(rule_id):
        return None
    rule, log = asked.store.rules.get(repository.id, rule_id), asked.store.rules.audit(repository.id, rule_id)
    if rule is None:
        return Sheet("Purged rule", "Its text was deleted.", (_history(log),)) if log else None
    sources = asked.store.rules.sources(repository.id, rule_id)
    matches = asked.store.rules.matches(repository.id, rule_id=rule_id)
    blocks: list[Block] = [_facts(rule, len(matches), asked, repository)]
    rows = asked.store.rules.of(repository.id)
    found = alike(rule, joined_rules(rows))
    if asked.viewer.may_decide(repository.id):
        hosts = _hosts(may_join(rule, rows), [one["rule_id"] for one in found])
        address = rule_address(repository.full_name, rule_id)
        blocks += [_acceptance(asked, rule, address), *_forms(rule, address, hosts)]
    if rule.state is RuleState.pending and found:
        blocks.append(_alike(repository, rows, found))
    wordings = [one for one in rows if one.joined_into == rule_id]
    if wordings:
        blocks.append(_wordings(repository, wordings))
    blocks += [_sources(repository, sources), _repeats(repository, matches), _history(log)]
    who = "" if asked.viewer.may_decide(repository.id) else " Deciding about it requires maintain permission."
    return Sheet(rule.text, f"A rule of {repository.full_name}.{who}", tuple(blocks))


def act(asked: PageRequest, sent: Mapping[str, str]) -> str | RejectedForm:
    """Accept, join, reject or purge the rule as the viewer."""
    repository, rule_id = asked.repository, asked.path["rule_id"]
    if repository is None or not _ID.fullmatch(rule_id) or asked.store.rules.get(repository.id, rule_id) is None:
        return RejectedForm(404, "")
    if not asked.viewer.may_decide(repository.id):
        return RejectedForm(403, "Deciding about rules requires maintain permission on the repository.")
    chosen = sent.get("decision", "")
    into = sent.get("into", "") if chosen == JOIN else None
    if (into is None and chosen not in tuple(Decision)) or (into is not None and not _ID.fullmatch(into)):
        return RejectedForm(400, "This form names no decision.")
    if chosen == Decision.purge and sent.get("sure") != "yes":
        return RejectedForm(400, "Tick the box to purge a rule: its text cannot be restored.")
    why = sent.get("why", "").strip()[:MOST_REASON] or None
    person = Person(asked.viewer.login) if asked.viewer.login is not None else None
    place, by = (repository.id, rule_id), asked.viewer.name
    try:
        if chosen == Decision.accept:
            accept(asked.store, place, _choice(sent), asked.now, by=by, person=person, why=why)
        elif into is not None:
            join(asked.store, place, into, asked.now, by=by, person=person, why=why)
        else:
            decide(asked.store, place, Decision(chosen), asked.now, by=by, person=person, why=why)
    except CannotDecide as refused:
        return RejectedForm(409, f"{refused.text}.".capitalize())
    name = repository.full_name
    return f"/rules?repo={quoted(name)}" if chosen == Decision.purge else rule_address(name, into or rule_id)


def _choice(sent: Mapping[str, str]) -> Acceptance:
    paths = None if "paths" not in sent else tuple(sent["paths"].split())
    return Acceptance(sent.get("check", "")[:10], sent.get("text"), paths, is_blocking=sent.get("block") == "yes")


def _facts(rule: RuleRow, num_repeats: int, asked: PageRequest, repository: RepositoryRow) -> Facts:
    num_handed = len(asked.store.rules.handouts(rule.repository_id, rule_id=rule.rule_id))
    facts = [
        _standing(rule, repository),
        Fact("Scope", rule.language or "any language", ", ".join(rule.scope_paths) or "all paths"),
        Fact("Repeats", str(num_repeats)),
        Fact("Delivered", str(num_handed), "ineffective: violated all the same" if rule.is_ineffective else ""),
    ]
    if rule.expires_at is not None:
        facts.append(Fact("Expires", f"{rule.expires_at:%Y-%m-%d}"))
    check, why = rule.checked
    what = (rule.check or {}).get("what", "")
    said = ("no", why) if check is None else (check["kind"], what or "on the lines that a change adds")
    return Facts((*facts, Fact("Checked in code", *said)))


def _standing(rule: RuleRow, repository: RepositoryRow) -> Fact:
    if rule.joined_into is not None:
        into = rule_address(repository.full_name, rule.joined_into)
        return Fact("Stands", str(rule.state), f"into {rule.joined_into}", into)
    return Fact("Stands", str(rule.state), rule.why or (f"by {rule.confirmed_by}" if rule.confirmed_by else ""))


def _hosts(rows: Sequence[RuleRow], first: Sequence[str]) -> tuple[Choice, ...]:
    """Return the rules to choose from, those that the rule may repeat first."""
    order = {rule_id: place for place, rule_id in enumerate(first)}
    rows = sorted(rows, key=lambda row: (order.get(row.rule_id, len(order)), row.text))
    return tuple(Choice(row.rule_id, row.text[:MOST_LABEL]) for row in rows[:MOST_HOSTS])


def _acceptance(asked: PageRequest, rule: RuleRow, address: str) -> Form:
    """Return the form that accepts a rule as worded, with a check chosen from the proposals."""
    proposals = () if rule.state is RuleState.joined else offered(asked.store, rule)
    past = base_of(asked.store, rule.repository_id, asked.data_dir, proposals[0].paths) if proposals else None
    proposals = offered(asked.store, rule, past) if past is not None else proposals
    ways = tuple(
        Choice(letter, f"{one.what}{f': {one.effect_text}' if one.effect_text else ''}"[:MOST_CHOICE])
        for letter, one in zip(LETTERS, proposals, strict=False)
    )
    fields = (
        Field("check", "How it is checked", ways),
        Field("text", "Wording", value=rule.text, is_required=True),
        Field("paths", "Only in these paths (empty: as proposed)", value=" ".join(rule.scope_paths)),
        Field("block", "A finding blocks the pull request", is_tick=True),
    )
    is_known = rule.state is RuleState.confirmed
    title, button = ("Check", "Use this check") if is_known else ("Accept", "Accept this rule")
    note = "The rule takes effect on the lines that a change adds, and is delivered to agents."
    return Form(title, address, button, fields if ways else fields[1:], (("decision", "accept"),), note)


def _forms(rule: RuleRow, address: str, hosts: tuple[Choice, ...]) -> list[Form]:
    why = Field("why", "Why (kept in the history)")
    forms = []
    if hosts:
        note = "Its comments, and later ones like it, count for the other rule, which says the same."
        fields = (Field("into", "Into", hosts), why)
        forms.append(Form("Join", address, "Join this rule", fields, (("decision", JOIN),), note))
    if rule.state is not RuleState.rejected:
        note = "The rule is discarded, and comments that match it are ignored from now on."
        forms.append(Form("Reject", address, "Reject this rule", (why,), (("decision", "reject"),), note))
    sure = Field("sure", "I understand that its text cannot be restored", is_tick=True, is_required=True)
    note = "Its text and all related data are deleted. The history keeps that it existed."
    hidden = (("decision", "purge"),)
    forms.append(Form("Purge", address, "Purge this rule", (why, sure), hidden, note, is_grave=True))
    return forms


def _alike(repository: RepositoryRow, known: Sequence[RuleRow], found: Sequence[Mapping[str, Any]]) -> Table:
    """Return the rules that a pending one may repeat; join it into one if it does."""
    texts = {row.rule_id: row.text for row in known}
    rows = tuple(
        (Cell(texts[one["rule_id"]], href=rule_address(repository.full_name, one["rule_id"])), one["score"])
        for one in found
        if one["rule_id"] in texts
    )
    return Table("alike", "May repeat", columns_of("rule", "score"), rows, "The rules that it resembled are gone.")


def _wordings(repository: RepositoryRow, rows: Sequence[RuleRow]) -> Table:
    """Return the rules joined into this one."""
    name = repository.full_name
    cells = tuple((Cell(row.text, href=rule_address(name, row.rule_id)), row.changed_at) for row in rows)
    return Table("wordings", "Also worded as", columns_of("rule", "at=Joined"), cells, "")


def _sources(repository: RepositoryRow, sources: tuple[SourceRow, ...]) -> Table:
    columns = columns_of("pull_request", "reviewer", "permission", "counts", "at=When")
    rows = tuple(
        (pull_cell(repository.full_name, one.number), one.reviewer, one.permission, one.counts, one.at)
        for one in sources
    )
    return Table("sources", "Sources", columns, rows, "No comments: the rule was imported, or its comments are gone.")


def _repeats(repository: RepositoryRow, matches: tuple[MatchRow, ...]) -> Table:
    columns = columns_of(
        "pull_request", "before=Earlier pull requests", "agent", "after_handout=After delivery", "at=When"
    )
    rows = tuple(
        (
            pull_cell(repository.full_name, one.number),
            one.num_pulls_before,
            one.agent or "unknown",
            one.is_after_handout,
            one.at,
        )
        for one in matches
    )
    return Table("repeats", "Repeats", columns, rows, "No repeats.")


def _history(log: tuple[RuleAuditRow, ...]) -> Table:
    columns = columns_of("at=When", "what", "by", "why")
    rows = tuple(
        (
            Cell(one.at, text=f"{one.at:%Y-%m-%d %H:%M}"),
            str(one.what),
            one.by or "Assay",
            str(one.data.get("why") or ""),
        )
        for one in log
    )
    return Table("history", "History", columns, rows, "")


PAGE = Page("rule", "/rules/{owner}/{name}/{rule_id}", view, act=act)
