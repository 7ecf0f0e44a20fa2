"""The command `assay config`."""

from __future__ import annotations

import textwrap
from pathlib import Path

import click

from assay.cli.display.configuration import WIDTH, shown_lines
from assay.cli.display.inheriting import inheriting
from assay.cli.schema import schema_text
from assay.validators import (
    CONFIGURATION,
    CONFIGURATION_PLACES,
    FolderTree,
    Inherited,
    LoadedConfiguration,
    SourceTree,
    known_names,
    load_configuration,
    load_file,
)


@click.group("config")
def config_command() -> None:
    """Check, show or describe the configuration.

    It is in .github/assay.yml.
    """


@config_command.command("check")
@click.argument("file", required=False, type=click.Path(path_type=Path))
def check_command(file: Path | None) -> None:
    """Check a configuration file and list its errors.

    Without FILE, the configuration of the current repository is checked. Exit code: 0 valid, 2 invalid.
    """
    loaded = load_file(file, known_names()) if file else load_configuration(_here(), known_names())
    click.echo(f"{loaded.file}: fine" if loaded.file else f"no configuration found in {CONFIGURATION}")
    for note in loaded.notes:
        click.echo(f"{note.what}: {note.why}")


@config_command.command("show")
@click.option("--base", metavar="REF", help="Commit to read it from. Default: the working tree.")
@click.option("--config", "file", type=click.Path(path_type=Path), help="File to use instead of the repository's.")
@click.option("--changed", is_flag=True, help="Show only keys that a file sets or locks.")
@inheriting
def show_command(base: str | None, file: Path | None, changed: bool, inherited: Inherited) -> None:
    """Print the effective configuration as YAML, with the origin of each key.

    A key without a comment has its default value.
    """
    if base and file:
        raise click.UsageError("--base and --config are mutually exclusive")
    loaded = load_file(file, known_names(), inherited) if file else _loaded(base, inherited)
    click.echo("\n".join([*_header(loaded, base), *shown_lines(loaded, is_short=changed), ""]), nl=False)


@config_command.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of the configuration."""
    click.echo(schema_text("config"), nl=False)


def _loaded(base: str | None, inherited: Inherited) -> LoadedConfiguration:
    if base is None:
        return load_configuration(_here(), known_names(), inherited=inherited)
    from assay.validators import Repository

    with Repository(Path()) as repository:
        tree = repository.tree(repository.resolve(base, "base"), base)
        return load_configuration(tree, known_names(), inherited=inherited)


def _here() -> SourceTree:
    """Return the root of the current repository, or the current folder outside one."""
    current = Path.cwd()
    top = next((folder for folder in (current, *current.parents) if (folder / ".git").exists()), current)
    return FolderTree("here", str(top), CONFIGURATION_PLACES)


def _header(loaded: LoadedConfiguration, base: str | None) -> list[str]:
    where = f" of {base}" if base else ""
    none = f"no configuration file{where or ' here'}"
    own = f"{loaded.file}{where}" if loaded.file else none if loaded.sources else f"the defaults: {none}"
    over = [f"over {one.file}" for one in loaded.sources if not one.is_own]
    notes = [f"{note.what}: {note.why}" for note in loaded.notes]
    return [line for text in (own, *over, *notes) for line in _commented(text)]


def _commented(text: str) -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent="# ", subsequent_indent="#   ", break_long_words=False)
