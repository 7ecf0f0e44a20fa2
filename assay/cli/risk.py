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
from assay.validators import (
    MOST_PAST_CHANGES,
    NUM_PAST_NEEDED,
    Evaluation,
    LikelihoodModel,
    PastLevel,
    Repository,
    RepositoryHistory,
    RiskLevel,
    UsageError,
    evaluate_levels,
    likelihood_factors,
    replay_history,
    replay_row,
)

_BAR_WIDTH = 30
_NAMES = {"score": "score", "level": "level", "added": "added lines", "churn": "changed lines"}
_STYLES = {RiskLevel.low: "green", RiskLevel.medium: "yellow", RiskLevel.high: "red", RiskLevel.critical: "bold red"}
_path = click.argument("path", default=".", type=click.Path(path_type=Path))
_ref = click.option("--ref", metavar="REF", help="Branch or commit to start from. Default: the default branch.")


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
            changes, model = replay_history(history)
        kept = _since(history, since)
    shown = [one for one in changes if kept is None or one.past.change.sha in kept]
    shown = shown[-limit:] if limit is not None else shown
    if format_ == "jsonl":
        for one in shown:
            click.echo(json.dumps(replay_row(one, model)))
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
        changes, model = replay_history(history)
        found = evaluate_levels(changes)
    if format_ == "json":
        click.echo(json.dumps(_as_data(found), indent=2))
        return
    _print_evaluation(found, model)


@risk_command.command("explain")
@click.argument("sha")
@click.argument("path", default=".", type=click.Path(path_type=Path))
def explain_command(sha: str, path: Path) -> None:
    """Explain the score of one landed change of the repository around PATH."""
    with _history(path, sha) as history, _working("Reading the history"):
        changes, model = replay_history(history)
    one = next((one for one in reversed(changes) if one.past.change.sha == history.tip), None)
    if one is None:
        raise UsageError(f"{sha} changes no source code, or its contents are missing from this clone")
    _print_explanation(one, model)


@contextmanager
def _history(path: Path, ref: str | None) -> Iterator[RepositoryHistory]:
    with Repository(path) as repository:
        tip = repository.resolve(ref or repository.default_branch() or "HEAD")
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
    return None if since is None else {change.sha for change in history.landed(MOST_PAST_CHANGES, since)}


def _replay_table(changes: Sequence[PastLevel]) -> Table:
    table = Table("commit", "level", Column("score above", justify="right"), "outcome", "title", "mostly because it")
    for one in changes:
        factors = [factor.text for factor in likelihood_factors(one.past.score) if factor.contribution > 0]
        table.add_row(
            one.past.change.sha[:10],
            _level(one.level),
            f"{one.past.score.percentile:.0f} %",
            _outcome(one),
            escape(one.past.change.title[:60]),
            factors[0] if factors and one.level is not None else "",
        )
    return table


def _level(level: RiskLevel | None) -> Text:
    return Text("too early") if level is None else Text(str(level), style=_STYLES[level])


def _outcome(one: PastLevel) -> str:
    if one.reverted:
        return "reverted"
    if one.fixed:
        return "fixed"
    return "" if one.fixed is None else "kept"


def _print_evaluation(found: Evaluation, model: LikelihoodModel) -> None:
    console = Terminal()
    if not found.num:
        console.print(
            f"No change can be evaluated: it needs {NUM_PAST_NEEDED} changes before it and a year after it. "
            f"{found.num_unknown} are younger."
        )
        return
    fixed = sum(rates.fixed for rates in found.by_level.values())
    console.print(f"{found.num} changes; {fixed / found.num:.1%} needed a fix within a year")
    table = Table("level", "changes", "share", "fixed", "95 %", "reverted", "public", "")
    for level, rates in found.by_level.items():
        share = rates.fixed / rates.num if rates.num else 0.0
        interval = rates.interval
        between = f"{100 * interval.low:.0f}-{interval.high:.0%}" if interval is not None else ""
        table.add_row(
            _level(level),
            str(rates.num),
            f"{rates.num / found.num:.1%}",
            f"{share:.1%}" if rates.num else "",
            between,
            f"{rates.reverted / rates.num:.1%}" if rates.num else "",
            f"{model.rates[level].share:.1%}",
            Text("█" * round(share * _BAR_WIDTH), style=_STYLES[level]),
        )
    console.print(table)
    ranks = Table("", "AUC", "same size", title="How well each ranks the changes that needed a fix")
    for name, value in found.auc.items():
        ranks.add_row(_NAMES[name], f"{value:.3f}", f"{found.same_size[name]:.3f}")
    console.print(ranks)
    console.print(
        "AUC: chance that a fixed change ranks above another one; 0.5 is a coin. Same size: among changes with about "
        f"as many changed lines. public: fixed in {len(model.repositories)} public repositories."
    )


def _as_data(found: Evaluation) -> dict[str, object]:
    return {
        "num": found.num,
        "num_unknown": found.num_unknown,
        "levels": {
            str(level): {"num": rates.num, "fixed": rates.fixed, "reverted": rates.reverted}
            for level, rates in found.by_level.items()
        },
        "auc": found.auc,
        "same_size_auc": found.same_size,
    }


def _print_explanation(one: PastLevel, model: LikelihoodModel) -> None:
    console = Terminal()
    score = one.past.score
    console.print(f"{one.past.change.sha[:12]} {escape(one.past.change.title)}")
    if one.level is None:
        console.print(f"No level: only {score.num_compared} changes before it, {NUM_PAST_NEEDED} are needed.")
        return
    console.print(Text.assemble("Level ", _level(one.level), f": {_meaning(one.level, one, model)}"))
    table = Table("it", "log-odds", title="Compared with a change in the middle")
    for factor in likelihood_factors(score):
        table.add_row(factor.text, f"{factor.contribution:+.2f}")
    console.print(table)
    for flag in one.past.flags:
        console.print(f"Rollback flag: {escape(flag.text)}")


def _meaning(level: RiskLevel, one: PastLevel, model: LikelihoodModel) -> str:
    score = one.past.score
    above = f"its score is above that of {score.percentile:.0f} % of the {score.num_compared} changes before it."
    public = f"{len(model.repositories)} public repositories"
    return f"{above} Of such changes in {public} {model.rates[level].share:.0%} needed a fix within a year."
