"""The commands `assay rules export` and `import`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from assay.cli.app.store import BY, DATA_DIR, REPOSITORY, known, opened_store, operator
from assay.cli.display.outputs import STDOUT, write
from assay.github_app.learning.handout.checked_rules import learned_rules
from assay.github_app.learning.rules.exchanging import NotRules, export_rules, import_rules
from assay.github_app.runtime.context import now
from assay.github_app.store import RuleState
from assay.validators import MOST_LEARNED_RULES, learned_file

MOST_BYTES = 16 * 1024 * 1024
_STATES = [str(one) for one in RuleState if one is not RuleState.joined]


@click.command("export", short_help="Export rules to a file")
@DATA_DIR
@click.option("--state", "states", multiple=True, type=click.Choice(_STATES), help="Only these.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(["json", "checks"]),
    default="json",
    show_default=True,
    help="json: for `assay rules import`; checks: for validation.",
)
@click.option("-o", "--output", default=STDOUT, metavar="FILE", help="Output file. Default: standard output.")
@REPOSITORY
def export_command(data_dir: Path | None, states: tuple[str, ...], format_: str, output: str, repository: str) -> None:
    """Export confirmed rules, or those of another --state."""
    if states and format_ == "checks":
        raise click.UsageError("--state needs --format json: checks contain confirmed rules only")
    wanted = [RuleState(one) for one in states] or [RuleState.confirmed]
    with opened_store(data_dir) as store:
        row = known(store, repository)
        if format_ == "checks":
            rules = learned_rules(store, row.id)
            text = learned_file(rules[:MOST_LEARNED_RULES])
            if len(rules) > MOST_LEARNED_RULES:
                click.echo(f"left out: {len(rules) - MOST_LEARNED_RULES} rules over the limit", err=True)
        else:
            text = json.dumps(export_rules(store, row.id, row.full_name, now(), wanted), indent=2) + "\n"
    write(output, text)


@click.command("import", short_help="Import rules from a file")
@DATA_DIR
@click.option("--accept", is_flag=True, help="Confirm the rules at once, without reviewers.")
@BY
@REPOSITORY
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
def import_command(data_dir: Path | None, accept: bool, by: str | None, repository: str, file: Path) -> None:
    """Import rules from a file into a repository.

    FILE comes from `assay rules export`, or is a text with a rule on each line or in each item of a Markdown list. Its
    reviewers do not count as reviewers here. Rules with hidden characters, markup or secrets are quarantined.

    Exit code: 0 success, 2 not a rules file.
    """
    with file.open("rb") as stream:
        data = stream.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise click.UsageError(f"{file}: more than {MOST_BYTES // 1024**2} MiB")
    with opened_store(data_dir) as store:
        try:
            done = import_rules(store, known(store, repository).id, data, now(), by=operator(by), is_accepted=accept)
        except NotRules as error:
            raise click.UsageError(f"{file}: {error}") from None
    click.echo(f"new: {len(done.new)}, already known: {done.num_known}, in quarantine: {len(done.quarantined)}")
