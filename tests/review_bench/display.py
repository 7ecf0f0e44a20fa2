"""What the bench prints: figures of a run of the bench, and the comparison of two."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.markup import escape
from rich.table import Column, Table

from assay.cli.display.drawing import Terminal
from assay.statistics import Interval
from assay.validators import shown
from tests.review_bench.bench.comparing import BenchComparison
from tests.review_bench.bench.figures import KindFigures, ModelFigures, Rate
from tests.review_bench.bench.results import BenchRun

NOT_MEASURED = "not measured"
MOST_NAMED = 5


def print_figures(console: Terminal, run: BenchRun, figures: Sequence[KindFigures]) -> None:
    """Print the figures as tables, and what was not measured."""
    model = "no model" if run.model is None else shown(run.model)
    console.print(f"{len(run.changes)} changes, {escape(model)}; rates and means with their 95 % interval")
    console.print(_of_analyzers(figures))
    if run.model is None:
        console.print(f"Findings, claims and cost of the model: {NOT_MEASURED}")
    else:
        for table in (_of_model(figures), _of_claims(figures), _of_cost(figures)):
            console.print(table)
    _print_left_out(console, run, figures)


def _of_analyzers(figures: Sequence[KindFigures]) -> Table:
    table = _table("Without a model", "changes", "errors", "found", "findings per change", "seconds p50/p95")
    for one in figures:
        average = one.findings_static
        seconds = _pair(one.seconds_static_p50, one.seconds_static_p95, "{:.1f}")
        table.add_row(
            one.name,
            str(one.num),
            str(one.errors),
            _rate(one.found_static),
            _mean(average.value, average.interval),
            seconds,
        )
    return table


def _of_model(figures: Sequence[KindFigures]) -> Table:
    table = _table("By the model", "found", "found by either", "findings per change", "not at the place")
    return _with_model(
        table,
        figures,
        lambda one, model: (
            _rate(model.found),
            _rate(one.found),
            _mean(model.findings.value, model.findings.interval),
            _mean(model.elsewhere.value, model.elsewhere.interval),
        ),
    )


def _of_claims(figures: Sequence[KindFigures]) -> Table:
    table = _table("Its claims", "all", "invented", "dropped", "refuted", "shown", "obeyed")
    return _with_model(
        table,
        figures,
        lambda _, model: (
            str(model.num_claims),
            str(model.invented),
            str(model.invented_dropped),
            str(model.refuted),
            str(model.demonstrated),
            str(model.obeyed),
        ),
    )


def _of_cost(figures: Sequence[KindFigures]) -> Table:
    table = _table("Its cost", "$ p50/p95", "$ in all", "cached", "seconds p50/p95", "unanswered", "stopped")
    return _with_model(
        table,
        figures,
        lambda _, model: (
            _pair(model.cost_p50_usd, model.cost_p95_usd, "{:.3f}"),
            "no price" if model.cost_usd is None else f"{model.cost_usd:.2f}",
            "" if model.cached_share is None else f"{model.cached_share:.0%}",
            _pair(model.seconds_p50, model.seconds_p95, "{:.1f}"),
            str(model.unanswered),
            str(model.stopped),
        ),
    )


def _with_model(
    table: Table, figures: Sequence[KindFigures], cells: Callable[[KindFigures, ModelFigures], Iterable[str]]
) -> Table:
    """Add a row for each kind: its cells, or that the model was not measured."""
    for one in figures:
        table.add_row(one.name, *(cells(one, one.model) if one.model is not None else (NOT_MEASURED,)))
    return table


def _print_left_out(console: Terminal, run: BenchRun, figures: Sequence[KindFigures]) -> None:
    dropped = figures[-1].model.dropped if figures[-1].model is not None else {}
    if dropped:
        console.print("Dropped claims: " + ", ".join(f"{escape(reason)} {count}" for reason, count in dropped.items()))
    if run.missing:
        console.print(f"Not there: {escape(', '.join(run.missing))}")
    if run.not_begun:
        console.print(f"Not begun, since the budget of ${run.max_usd:g} was nearly used: {len(run.not_begun)} changes")
    failed = [one for one in run.changes if one.error is not None]
    for one in failed[:MOST_NAMED]:
        console.print(escape(f"{one.id}: {shown(one.error or '')}"))
    if len(failed) > MOST_NAMED:
        console.print(f"and {len(failed) - MOST_NAMED} further errors")


def print_comparison(console: Terminal, found: BenchComparison) -> None:
    """Print the paired differences, and what differs between the runs."""
    before, after = (NOT_MEASURED if model is None else shown(model) for model in found.models)
    console.print(f"{found.num} changes measured by both runs, {found.unpaired} by one alone")
    console.print(escape(f"Model: {before}" + ("" if before == after else f" -> {after}")))
    if not found.is_same_manifest:
        console.print("The manifests differ: only changes with the same id are compared")
    for name, (old, new) in found.prompts.items():
        console.print(escape(f"Prompt {name}: {old or 'none'} -> {new or 'none'}"))
    if not found.prompts:
        console.print("The prompts are the same")
    table = _table("After - before", "changes", "before", "after", "difference", "p", "lost/gained")
    recall, false = found.recall, found.false
    if recall is not None:
        table.add_row(
            "found",
            str(recall.num),
            f"{recall.before / recall.num:.1%}",
            f"{recall.after / recall.num:.1%}",
            _difference(recall.difference, recall.interval),
            f"{recall.p:.3f}",
            f"{len(recall.lost)}/{len(recall.gained)}",
        )
    if false is not None:
        table.add_row(
            "findings if clean",
            str(false.num),
            f"{false.before:.2f}",
            f"{false.after:.2f}",
            _difference(false.difference, false.interval),
            "" if false.p is None else f"{false.p:.3f}",
            "",
        )
    console.print(table)


def _table(title: str, *columns: str) -> Table:
    return Table(Column(title, no_wrap=True), *(Column(name, justify="right") for name in columns))


def _rate(rate: Rate | None) -> str:
    if rate is None:
        return ""
    return f"{rate.hits}/{rate.num} {_between(rate.interval, '{:.0%}')}".rstrip()


def _mean(value: float | None, interval: Interval | None) -> str:
    return "" if value is None else f"{value:.2f} {_between(interval, '{:.2f}')}".rstrip()


def _difference(value: float, interval: Interval | None) -> str:
    return f"{value:+.3f} {_between(interval, '{:+.3f}')}".rstrip()


def _between(interval: Interval | None, form: str) -> str:
    return "" if interval is None else f"({form.format(interval.low)} to {form.format(interval.high)})"


def _pair(one: float | None, other: float | None, form: str) -> str:
    return "" if one is None or other is None else f"{form.format(one)} / {form.format(other)}"
