"""The commands `assay rules list`, `show`, `accept`, `join`, `reject` and `purge`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from assay.cli.app.store import BY, DATA_DIR, FORMAT, REPOSITORY, known, opened_store, operator, settings_at, table_of
from assay.github_app.learning.checks.proposals import LETTERS, Proposal
from assay.github_app.learning.rules.accepting import Acceptance, accept, base_of, offered
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.joining import join
from assay.github_app.learning.rules.listing import list_candidates, list_rules, show_rule
from assay.github_app.runtime.context import now
from assay.github_app.store import RepositoryRow, RuleState, Store
from assay.validators import as_visible

MOST_REASON = 500
REASON = click.option("--reason", metavar="TEXT", help=f"Reason, at most {MOST_REASON} characters.")
RULE_ID = click.argument("rule_id", metavar="ID")


@click.command("list", short_help="List a repository's rules")
@DATA_DIR
@click.option(
    "--state", "states", multiple=True, type=click.Choice([str(one) for one in RuleState]), help="Only these."
)
@click.option("--path", "paths", multiple=True, metavar="PATH", help="Only rules that apply to this file.")
@click.option("--candidates", is_flag=True, help="Rules that wait for a maintainer, most asked for first.")
@FORMAT
@REPOSITORY
def list_command(
    data_dir: Path | None,
    states: tuple[str, ...],
    paths: tuple[str, ...],
    candidates: bool,
    format_: str,
    repository: str,
) -> None:
    """List a repository's rules with state, sources and repeats."""
    if candidates and (states or paths):
        raise click.UsageError("--candidates goes with neither --state nor --path")
    with opened_store(data_dir) as store:
        row = known(store, repository)
        if candidates:
            found = list_candidates(store, row.id)
        else:
            wanted = [RuleState(one) for one in states] or None
            found = list_rules(store, row.id, states=wanted, paths=paths or None)["rules"]
    if format_ == "json":
        click.echo(as_json({"repository": row.full_name, "rules": found}))
        return
    Console().print(table_of([_row(rule) for rule in found]) if found else Text("no rules"))


@click.command("show", short_help="Show a rule and its history")
@DATA_DIR
@FORMAT
@REPOSITORY
@RULE_ID
def show_command(data_dir: Path | None, format_: str, repository: str, rule_id: str) -> int:
    """Show a rule, how it can be checked, and its history.

    Sources, repeats, deliveries and decisions are listed. Exit code: 0 success, 1 unknown rule.
    """
    with opened_store(data_dir) as store:
        place = known(store, repository).id, rule_id
        found, row = show_rule(store, *place), store.rules.get(*place)
        past = None if row is None else base_of(store, place[0], settings_at(data_dir).data_dir, ("**",))
        proposals = () if row is None or format_ == "json" else offered(store, row, past)
    lines = [f"{letter}) {proposal_line(one)}" for letter, one in zip(LETTERS, proposals, strict=False)]
    if found is None:
        click.echo(f"unknown rule {rule_id!r}", err=True)
        return 1
    if format_ == "json":
        click.echo(as_json(found))
        return 0
    console = Console()
    for line in lines:
        console.print(Text(line))
    for name, value in found.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            console.print(Text(f"{name} ({len(value)})", style="bold"))
            for one in value:
                console.print(Text("  " + "  ".join(f"{key}: {_plain(each)}" for key, each in one.items())))
        elif value not in (None, [], {}):
            console.print(Text(f"{name}: {_plain(value)}"))
    return 0


def _deciding(decision: Decision, about: str) -> click.Command:
    """Create the command for a decision."""

    @click.command(str(decision), short_help=about)
    @DATA_DIR
    @BY
    @REASON
    @REPOSITORY
    @click.argument("rule_ids", metavar="ID...", nargs=-1, required=True)
    def command(
        data_dir: Path | None, by: str | None, reason: str | None, repository: str, rule_ids: tuple[str, ...]
    ) -> int:
        _check_reason(reason)
        with opened_store(data_dir) as store:
            row = known(store, repository)
            results = [_decide(store, row, one, decision, operator(by), reason) for one in rule_ids]
        return 0 if all(results) else 1

    command.help = f"{about}.\n\nExit code: 0 done or already done, 1 a decision is not possible."
    return command


@click.command("join", short_help="Join a rule into one that says the same")
@DATA_DIR
@BY
@REASON
@REPOSITORY
@RULE_ID
@click.argument("into", metavar="INTO")
def join_command(
    data_dir: Path | None, by: str | None, reason: str | None, repository: str, rule_id: str, into: str
) -> int:
    """Join the rule ID into the rule INTO, which says the same.

    Its comments, and later ones like it, count for INTO. Exit code: 0 done or already done, 1 not possible.
    """
    _check_reason(reason)
    with opened_store(data_dir) as store:
        row = known(store, repository)
        try:
            done = join(store, (row.id, rule_id), into, now(), by=operator(by), why=reason)
        except CannotDecide as refused:
            click.echo(f"{rule_id!r}: {refused}", err=True)
            return 1
    click.echo(f"{rule_id}: {'' if done.is_news else 'already '}joined into {into}")
    return 0


def _check_reason(reason: str | None) -> None:
    if reason is not None and len(reason) > MOST_REASON:
        raise click.UsageError(f"--reason: at most {MOST_REASON} characters")


@click.command("accept", short_help="Confirm rules, with a check for each")
@DATA_DIR
@BY
@REASON
@click.option("--check", "letter", default="", metavar="LETTER", help="Proposal of `rules show`. Default: the first.")
@click.option("--text", help="New wording; for one rule.")
@click.option("--path", "paths", multiple=True, metavar="GLOB", help="Only in these files.")
@click.option("--block", is_flag=True, help="A finding blocks the pull request.")
@REPOSITORY
@click.argument("rule_ids", metavar="ID...", nargs=-1, required=True)
def accept_command(
    data_dir: Path | None,
    by: str | None,
    reason: str | None,
    letter: str,
    text: str | None,
    paths: tuple[str, ...],
    block: bool,
    repository: str,
    rule_ids: tuple[str, ...],
) -> int:
    """Confirm rules without waiting for more reviewers, and say what checks them.

    Of a confirmed rule the check is replaced. Exit code: 0 done or already done, 1 a decision is not possible.
    """
    _check_reason(reason)
    if len(rule_ids) > 1 and (text is not None or letter):
        raise click.UsageError("--text and --check go with one ID")
    choice = Acceptance(letter, text, paths or None, block)
    is_done = True
    with opened_store(data_dir) as store:
        row = known(store, repository)
        for rule_id in rule_ids:
            try:
                done = accept(store, (row.id, rule_id), choice, now(), by=operator(by), why=reason)
            except CannotDecide as refused:
                click.echo(f"{rule_id!r}: {refused}", err=True)
                is_done = False
                continue
            click.echo(f"{rule_id}: {'' if done.result.is_news else 'already '}accepted")
            if done.chosen is not None:
                click.echo(f"  {proposal_line(done.chosen)}")
    return 0 if is_done else 1


def proposal_line(one: Proposal) -> str:
    """Format a proposal with its effect."""
    return _plain(f"{one.what}: {one.effect_text}" if one.effect_text else one.what)


reject_command = _deciding(Decision.reject, "Reject rules, also when the same comment comes again")
purge_command = _deciding(Decision.purge, "Delete the text of rules from the database permanently")


def as_json(value: Any) -> str:
    """Serialize data to JSON, times as ISO 8601."""
    return json.dumps(value, indent=2, default=str)


def _decide(store: Store, row: RepositoryRow, rule_id: str, decision: Decision, by: str, reason: str | None) -> bool:
    try:
        done = decide(store, (row.id, rule_id), decision, now(), by=by, why=reason)
    except CannotDecide as refused:
        click.echo(f"{rule_id!r}: {refused}", err=True)
        return False
    click.echo(f"{rule_id}: {_DONE[decision]}" if done.is_news else f"{rule_id}: already {_DONE[decision]}")
    return True


_DONE = {Decision.reject: "rejected", Decision.purge: "purged"}


def _row(rule: dict[str, Any]) -> dict[str, str]:
    return {
        "id": rule["rule_id"],
        "state": " ".join(filter(None, (rule["state"], _state_note(rule)))),
        "rule": _plain(rule["text"]),
        "said by": f"{rule['num_reviewers']} on {rule['num_pulls']}",
        "came back": str(rule["num_repeats"]),
        "checked by": _plain(rule["checked_by"] or f"nothing: {rule['why_unchecked']}"),
        "may repeat": ", ".join(f"{one['rule_id']} ({one['score']:.2f})" for one in rule["like"]),
    }


def _state_note(rule: dict[str, Any]) -> str:
    into = f"into {rule['joined_into']}" if rule["joined_into"] else ""
    return into or ("(ineffective)" if rule["is_ineffective"] else "")


def _plain(value: Any) -> str:
    return as_visible(str(value))
