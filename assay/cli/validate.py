"""`assay validate`: judge one change of a repository and say so in one or more formats."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from assay.cli.outputs import STDOUT, Output, PairedCommand, discard_output, outputs_of, write
from assay.cli.reviewing_model import reviewing_model
from assay.validators import (
    FORMATS,
    WORKTREE,
    ChangeSet,
    FailOn,
    LineCoverage,
    LoadedConfiguration,
    Options,
    Progress,
    Repository,
    Silent,
    Tier,
    ValidationReport,
    change_between,
    exit_code,
    known_names,
    load_configuration,
    load_file,
    read_coverage,
    validate,
)

TIERS = {"tools": Tier.tools, "quality": Tier.quality, "risk": Tier.risk}


class TierNames(click.ParamType[tuple[Tier, ...]]):
    """A comma-separated choice of tiers."""

    name = "tiers"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> tuple[Tier, ...]:
        """`tools,risk` -> the tiers, in their own order; fails on an unknown name, and on none."""
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
@click.option("--base", metavar="REF", help="What the change is made against. Default: the default branch.")
@click.option("--head", metavar="REF", help=f"The change; {WORKTREE} judges uncommitted work. Default: HEAD.")
@click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this file, not the base's own.")
@click.option("--tiers", type=TierNames(), default="tools,quality,risk", show_default=True, help="Which tiers run.")
@click.option("-f", "--format", "formats", multiple=True, type=click.Choice(list(FORMATS)), help="May repeat, with -o.")
@click.option("-o", "--output", "files", multiple=True, metavar="FILE", help="Where the format goes; - is stdout.")
@click.option("--coverage", "coverage_files", multiple=True, type=click.Path(path_type=Path), help="Coverage to use.")
@click.option("--fix-with", metavar="CMD", help="A command that is handed the findings and may mend the work tree.")
@click.option("--no-model", is_flag=True, help="Use no language model even where one is set up.")
@click.option("--explain-tools", is_flag=True, help="Say which commands Tier 1 would run, and run none.")
@click.option("--fail-on", type=click.Choice([str(choice) for choice in FailOn]), help="Which verdicts exit with 1.")
@click.pass_context
def validate_command(
    ctx: click.Context,
    path: Path,
    base: str | None,
    head: str | None,
    config_file: Path | None,
    tiers: tuple[Tier, ...],
    formats: Sequence[str],  # noqa: ARG001 - read in order by `outputs_of`
    files: Sequence[str],  # noqa: ARG001
    coverage_files: Sequence[Path],
    fix_with: str | None,
    no_model: bool,
    explain_tools: bool,
    fail_on: str | None,
) -> int:
    """Judge the change between two revisions of the repository at PATH.

    Exit code: 0 fine, 1 the change failed or is held, 2 usage or configuration, 3 could not run.
    """
    outputs = outputs_of(ctx)
    with Repository(path) as repository:
        change = change_between(repository, base, head)
        known = known_names()
        loaded = load_file(config_file, known) if config_file else load_configuration(change.in_force, known)
        if explain_tools:
            from assay.cli.explain_tools import show_tools

            show_tools(change, loaded.config)
            return 0
        with reviewing_model(is_wanted=not no_model) as model, _progress() as progress:
            options = Options(
                tiers=tiers,
                progress=progress,
                model=model,
                coverage=_coverage(coverage_files, change),
                notes=loaded.notes,
            )
            report = _judged(repository, change, loaded, options, fix_with)
    publish(report, outputs)
    chosen = FailOn(fail_on) if fail_on else loaded.config.fail_on
    return exit_code(
        report.conclusion,
        hold=report.hold,
        configuration_at_fault=report.configuration_at_fault,
        fail_on=chosen,
    )


def publish(report: ValidationReport, outputs: Sequence[Output]) -> None:
    """Render the report into each output. A reader that leaves early (`| head -1`) does not change the exit code."""
    for output in outputs:
        try:
            if output.format == "terminal" and output.path == STDOUT:
                from assay.cli.drawing import Terminal
                from assay.validators import show_in_terminal

                show_in_terminal(report, Terminal())
            else:
                write(output.path, FORMATS[output.format].render(report))
            sys.stdout.flush()
        except BrokenPipeError:
            discard_output()


def _progress() -> contextlib.AbstractContextManager[Progress]:
    """Draw on standard error; without a terminal there, load nothing that draws."""
    if not sys.stderr.isatty() and not os.environ.get("FORCE_COLOR"):
        return contextlib.nullcontext(Silent())
    from assay.cli.drawing import Drawn

    return Drawn()


def _judged(
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


def _coverage(files: Sequence[Path], change: ChangeSet) -> tuple[LineCoverage, str] | None:
    if not files:
        return None
    merged: dict[str, dict[int, bool]] = {}
    for file in files:
        for name, lines in read_coverage(file, change.head.paths).items():
            known = merged.setdefault(name, {})
            for number, covered in lines.items():
                known[number] = covered or known.get(number, False)
    return merged, ", ".join(str(file) for file in files)
