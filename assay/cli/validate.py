"""The command `assay validate`."""

from __future__ import annotations

import contextlib
import math
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from assay.cli.display.inheriting import inheriting
from assay.cli.display.outputs import STDOUT, Output, PairedCommand, discard_output, outputs_of, write
from assay.llm import AnthropicModel, Budget, ConversingModel, ModelUnavailable
from assay.validators import (
    FORMATS,
    WORKTREE,
    ChangeSet,
    FailOn,
    Inherited,
    LineContexts,
    LoadedConfiguration,
    Options,
    Progress,
    Repository,
    Silent,
    Tier,
    ToolsResult,
    UnreadableCoverage,
    ValidationReport,
    change_between,
    exit_code,
    is_on_default_branch,
    known_names,
    load_configuration,
    load_file,
    read_contexts,
    read_coverage,
    report_as,
    validate,
    with_tests,
)

TIERS = {"tools": Tier.tools, "quality": Tier.quality, "risk": Tier.risk}


class TierNames(click.ParamType[tuple[Tier, ...]]):
    """Comma-separated list of tiers."""

    name = "tiers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Tier, ...]:
        """Convert `tools,risk` to tiers in order of execution; fail on an unknown name and on an empty list."""
        if isinstance(value, tuple):
            return value
        names = [name.strip() for name in str(value).split(",") if name.strip()]
        unknown = [name for name in names if name not in TIERS]
        if unknown or not names:
            wrong = ", ".join(unknown) or "nothing"
            self.fail(f"{wrong}: the tiers are {', '.join(TIERS)} (separated by commas)", param, ctx)
        return tuple(tier for name, tier in TIERS.items() if name in names)


@click.command("validate", cls=PairedCommand)
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--base", metavar="REF", help="Revision to compare against. Default: the default branch.")
@click.option("--head", metavar="REF", help=f"Revision to validate; {WORKTREE}: working tree. Default: HEAD.")
@click.option(
    "--config", "config_file", type=click.Path(path_type=Path), help="Configuration file. Default: the base's."
)
@inheriting
@click.option("--tiers", type=TierNames(), default="tools,quality,risk", show_default=True, help="Tiers to run.")
@click.option("-f", "--format", "formats", multiple=True, type=click.Choice(FORMATS), help="Output format, repeatable.")
@click.option(
    "-o", "--output", "files", multiple=True, metavar="FILE", help="Output file of the format before it; - is stdout."
)
@click.option(
    "--coverage", "coverage_files", multiple=True, type=click.Path(path_type=Path), help="Coverage file, repeatable."
)
@click.option("--fix-with", metavar="CMD", help="Command that receives findings and may edit the working tree.")
@click.option("--no-model", is_flag=True, help="Do not use a language model.")
@click.option("-v", "--verbose", is_flag=True, help="Show the whole report on the terminal.")
@click.option("--explain-tools", is_flag=True, help="List the commands Tier 1 would run, without running them.")
@click.option("--fail-on", type=click.Choice([*FailOn]), default=FailOn.hold, help="Verdicts that exit with 1.")
@click.pass_context
def validate_command(
    ctx: click.Context,
    path: Path,
    base: str | None,
    head: str | None,
    config_file: Path | None,
    inherited: Inherited,
    tiers: tuple[Tier, ...],
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    coverage_files: Sequence[Path],
    fix_with: str | None,
    no_model: bool,
    verbose: bool,
    explain_tools: bool,
    fail_on: str,
) -> int:
    """Validate a change between two revisions of a repository.

    Exit code: 0 success, 1 the change failed or is held, 2 usage or configuration, 3 could not run.
    """
    outputs = outputs_of(ctx)
    with Repository(path) as repository:
        change = replace(change_between(repository, base, head), inherited=inherited)
        loaded = _loaded(change, config_file)
        if _is_on_default_branch(repository, change, loaded):
            loaded = replace(loaded, config=with_tests(loaded.config, "all"))
        if explain_tools:
            from assay.cli.display.found_commands import show_tools  # loads rich and what finds commands

            show_tools(change, loaded.config)
            return 0
        with reviewing_model(is_wanted=not no_model) as model, _progress(keeps_steps=verbose) as progress:
            options = Options(
                tiers=tiers,
                progress=progress,
                model=model,
                coverage=_coverage(coverage_files, change),
                notes=loaded.notes,
                sources=loaded.sources,
            )
            report = _validated(repository, change, loaded, options, fix_with)
    publish(report, outputs, whole=verbose)
    return exit_code(
        report.conclusion,
        hold=report.hold,
        configuration_at_fault=report.configuration_at_fault,
        fail_on=FailOn(fail_on),
    )


def _is_on_default_branch(repository: Repository, change: ChangeSet, loaded: LoadedConfiguration) -> bool:
    if loaded.config.tier1.tests == "all":
        return False
    head = repository.resolve("HEAD") if change.head_is_worktree else change.head_sha
    return is_on_default_branch(repository, head, change.branch)


def _loaded(change: ChangeSet, file: Path | None) -> LoadedConfiguration:
    if file is not None:
        return load_file(file, known_names(), change.inherited)
    return load_configuration(change.in_force, known_names(), inherited=change.inherited)


def publish(report: ValidationReport, outputs: Sequence[Output], *, whole: bool = True) -> None:
    """Render the report into each output; on the terminal its first screen, unless `whole`.

    A closed pipe (`| head -1`) does not change the exit code.
    """
    for output in outputs:
        try:
            if output.format == "terminal" and output.path == STDOUT:
                from assay.cli.display.drawing import Terminal
                from assay.validators import show_in_terminal

                terminal = Terminal()
                show_in_terminal(report, terminal, whole=whole)
                if not whole:
                    terminal.print("\n--verbose shows the whole report", style="dim")
            else:
                write(output.path, report_as(report, output.format))
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()


def _progress(*, keeps_steps: bool) -> contextlib.AbstractContextManager[Progress]:
    """Return progress on standard error; without a terminal, avoid importing rich."""
    if not sys.stderr.isatty() and not os.environ.get("FORCE_COLOR"):
        return contextlib.nullcontext(Silent())
    from assay.cli.display.drawing import Drawn

    return Drawn(keeps_steps=keeps_steps)


def _validated(
    repository: Repository,
    change: ChangeSet,
    loaded: LoadedConfiguration,
    options: Options,
    fix_with: str | None,
) -> ValidationReport:
    if fix_with is None:
        return validate(change, loaded.config, options)
    from assay.validators import validate_and_fix

    return validate_and_fix(repository, change, loaded.config, options, fix_with)


def _coverage(files: Sequence[Path], change: ChangeSet) -> ToolsResult | None:
    if not files:
        return None
    merged: dict[str, dict[int, bool]] = {}
    for file in files:
        for name, lines in read_coverage(file, change.head.paths).items():
            known = merged.setdefault(name, {})
            for number, covered in lines.items():
                known[number] = covered or known.get(number, False)
    return ToolsResult(
        line_coverage=merged,
        line_contexts=_contexts(files, change),
        coverage_source=", ".join(str(file) for file in files),
    )


def _contexts(files: Sequence[Path], change: ChangeSet) -> LineContexts | None:
    """Return the contexts of the first file that has some."""
    for file in files:
        with contextlib.suppress(UnreadableCoverage):
            return read_contexts(file, change.head.paths)
    return None


VARIABLE = "ASSAY_REVIEW_MODEL"
BUDGET_VARIABLE = "ASSAY_REVIEW_BUDGET_USD"
MOST_USD = 1.0
"""Default budget of one validation in US dollars; `tier2.review.maxUsd` limits the review further."""


def _budget_usd() -> float:
    value = os.environ.get(BUDGET_VARIABLE, "").strip()
    try:
        budget = float(value or MOST_USD)
    except ValueError:
        budget = math.nan
    if not 0 < budget <= 1000:
        raise click.UsageError(f"{BUDGET_VARIABLE}: {value[:40]!r} is not a number of US dollars above 0, at most 1000")
    return budget


@contextlib.contextmanager
def reviewing_model(*, is_wanted: bool = True, max_usd: float | None = None) -> Iterator[ConversingModel | None]:
    """Open the model named by `ASSAY_REVIEW_MODEL`; None if unset, not wanted, or unavailable (printed).

    Its budget is `max_usd`, by default that of one validation.
    """
    name = os.environ.get(VARIABLE, "").strip()
    if not is_wanted or not name:
        yield None
        return
    try:
        model = AnthropicModel(name, budget=Budget(max_usd=_budget_usd() if max_usd is None else max_usd))
    except ModelUnavailable as error:
        click.echo(f"assay: no model review: {error}", err=True)
        yield None
        return
    with model:
        yield model
