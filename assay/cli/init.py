"""The command `assay init`."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.adopting.files import (
    REPORT_WORKFLOW,
    WORKFLOW,
    Written,
    configuration,
    remove_unchanged,
    source_of,
    workflows,
    write_new,
)
from assay.cli.adopting.found import print_files, print_found, print_next, print_replay, print_unknown
from assay.cli.adopting.replay import landed_changes, replayed
from assay.cli.display.drawing import Terminal
from assay.validators import (
    CONFIGURATION,
    LandedChange,
    Repository,
    UsageError,
    ValidatorError,
    explain,
    known_names,
    load_configuration,
)

NUM_CHANGES = 10


@click.command("init")
@click.argument("path", default=".", type=click.Path(path_type=Path))
@click.option("--app", is_flag=True, help="Set up for the GitHub App: write no workflow.")
@click.option(
    "--changes",
    metavar="N",
    type=click.IntRange(min=0, max=200),
    default=NUM_CHANGES,
    show_default=True,
    help="Replay the last N changes; 0: none.",
)
@click.option("--uses", metavar="OWNER/REPOSITORY@COMMIT", help="Assay for the workflow. Default: this one's origin.")
@click.option("--undo", is_flag=True, help="Delete the files that init wrote, unless they were edited.")
def init_command(path: Path, *, app: bool, changes: int, uses: str | None, undo: bool) -> int:
    """Write workflows and a configuration, and show what Assay would have said.

    Replays the changes that landed last in the repository around PATH: quality and risk, without running anything.
    Files that exist are kept, and nothing is committed. Exit code: 0 success, 2 usage, 3 could not run.
    """
    with Repository(path) as repository:
        if repository.is_bare:
            raise UsageError(f"{path}: a bare repository has no files to write; run init in a checkout")
        if undo:
            names = (WORKFLOW, REPORT_WORKFLOW, CONFIGURATION)
            print_files([(name, remove_unchanged(repository.root, name)) for name in names], Terminal())
            return 0
        source = None if app else source_of(uses)
        tip = repository.resolve("HEAD")
        tree = repository.tree(tip)
        loaded = load_configuration(tree, known_names())
        explanation = explain(tree, loaded.config, None)
        terminal = Terminal()
        print_found(tree, explanation, terminal)
        files = {} if source is None else workflows(source)
        if not (repository.root / CONFIGURATION).exists() and loaded.file is None:
            tasks = [*(row.task for row in explanation.tasks), *explanation.proposed]
            files[CONFIGURATION] = configuration(
                [one.line if one.directory == "." else {"run": one.line, "directory": one.directory} for one in tasks],
                are_named=bool(explanation.proposed),
            )
        written = [(name, write_new(repository.root, name, text)) for name, text in files.items()]
        landed, why = _landed(repository, tip, changes)
        reports = print_replay(replayed(repository, landed, loaded.config), len(landed), why, terminal)
        print_unknown(reports, terminal)
        terminal.print()
        print_files(written, terminal)
        is_new = {name for name, what in written if what is Written.written}
        print_next(source, is_new, terminal)
    return 0


def _landed(repository: Repository, tip: str, most: int) -> tuple[list[LandedChange], str]:
    """Return the changes to replay, and why there are none, or few."""
    try:
        landed = landed_changes(repository, tip, most)
    except ValidatorError as error:
        return [], f"No change was replayed: {error}"
    if len(landed) < most and repository.is_shallow:
        return landed, "This clone is shallow: `git fetch --unshallow` gets more changes to replay"
    return landed, "" if landed or not most else "No change was replayed: HEAD is a first commit"
