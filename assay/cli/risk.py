"""The command `assay risk`: risk levels of past changes, and how well they predicted fixes here."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Column, Table
from rich.text import Text

from assay.cli.display.drawing import Terminal
from assay.cli.display.risk_evaluation import evaluation_data, level_text, print_evaluation
from assay.validators import (
    MOST_PAST_CHANGES,
    NUM_PAST_NEEDED,
    Repository,
    RepositoryHistory,
    RiskLevel,
    ScoredChange,
    UsageError,
    default_branch,
    evaluate_levels,
    likelihood_model,
    replay_history,
    replay_row,
)

_path = click.argument("path", default=".", type=click.Path(path_type=Path))
_ref = click.option("--ref", metavar="REF", help="Branch or commit to start from. Default: the default branch or HEAD.")


@click.group("risk")
def risk_command() -> None:
    """Show risk levels of past changes, and what became of them.

    Levels are those of the likelihood, computed from git alone, with only what was known before each change.
    """


@risk_command.command("replay")
@_path
@_ref
@click.option("--since", metavar="DATE", help="Show changes from this date on, as git reads dates.")
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Show the newest N changes.")
@click.option("--format", "format_", type=click.Choice(["jsonl", "table"]), default="table", show_default=True)
def replay_command(path: Path, ref: str | None, since: str | None, limit: int | None, format_: str) -> None:
    """Score the landed changes of the repository around PATH, oldest first."""
    with _history(path, ref) as history:
        with _working("Reading the history"):
            changes = replay_history(history)
        kept = _since(history, since)
    shown = [one for one in changes if kept is None or one.change.sha in kept]
    shown = shown[-limit:] if limit is not None else shown
    if format_ == "jsonl":
        for one in shown:
            click.echo(json.dumps(replay_row(one)))
        return
    Terminal().print(_replay_table(shown))


@risk_command.command("evaluate")
@_path
@_ref
@click.option("--format", "format_", type=click.Choice(["json", "table"]), default="table", show_default=True)
def evaluate_command(path: Path, ref: str | None, format_: str) -> None:
    """Compare the levels of past changes with later fixes and reverts.

    A change was fixed if a later fix edits lines it wrote within a year. Changes of the past year are left out.
    """
    with _history(path, ref) as history, _working("Reading the history"):
        found = evaluate_levels(replay_history(history))
    if format_ == "json":
        click.echo(json.dumps(evaluation_data(found), indent=2))
        return
    print_evaluation(Terminal(), found)


@risk_command.command("explain")
@click.argument("sha")
@click.argument("path", default=".", type=click.Path(path_type=Path))
def explain_command(sha: str, path: Path) -> None:
    """Explain the score of one landed change of the repository around PATH."""
    with _history(path, sha) as history, _working("Reading the history"):
        changes = replay_history(history)
    one = next((one for one in reversed(changes) if one.change.sha == history.tip), None)
    if one is None:
        raise UsageError(f"{sha} changes no source code, or its contents are missing from this clone")
    _print_explanation(one)


@contextmanager
def _history(path: Path, ref: str | None) -> Iterator[RepositoryHistory]:
    with Repository(path) as repository:
        tip = repository.resolve(ref or (default_branch(repository) or ("HEAD",))[0])
        yield RepositoryHistory(repository, tip, tip, tip)


@contextmanager
def _working(what: str) -> Iterator[None]:
    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(what):
        yield


def _since(history: RepositoryHistory, since: str | None) -> set[str] | None:
    return None if since is None else set(history.line(MOST_PAST_CHANGES, since))


def _replay_table(changes: Sequence[ScoredChange]) -> Table:
    table = Table("commit", "level", Column("score above", justify="right"), "outcome", "title", "mostly because it")
    for one in changes:
        factors = [factor.text for factor in one.score.factors() if factor.contribution > 0]
        table.add_row(
            one.change.sha[:10],
            level_text(one.level),
            f"{one.score.percentile:.0f} %",
            _outcome(one),
            escape(one.change.title[:60]),
            factors[0] if factors and one.level is not None else "",
        )
    return table


def _outcome(one: ScoredChange) -> str:
    if one.reverted:
        return "reverted"
    if one.fixed:
        return "fixed"
    return "kept" if one.is_over else ""


def _print_explanation(one: ScoredChange) -> None:
    console = Terminal()
    score = one.score
    console.print(f"{one.change.sha[:12]} {escape(one.change.title)}")
    if one.level is None:
        console.print(f"No level: only {score.num_compared} changes before it, {NUM_PAST_NEEDED} are needed.")
        return
    console.print(Text.assemble("Level ", level_text(one.level), f": {_meaning(one.level, one)}"))
    table = Table("it", "log-odds", title="Compared with a change in the middle")
    for factor in score.factors():
        table.add_row(factor.text, f"{factor.contribution:+.2f}")
    console.print(table)
    for flag in one.flags:
        console.print(f"Rollback flag: {escape(flag.text)}")


def _meaning(level: RiskLevel, one: ScoredChange) -> str:
    score, model = one.score, likelihood_model()
    above = f"its score is above that of {score.percentile:.0f} % of the {score.num_compared} changes before it."
    return f"{above} Of such changes in {model.source} {model.rates[level].share:.0%} needed a fix within a year."
