"""The command `assay config`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import yaml

from assay.cli.schema import schema_text
from assay.validators import (
    CONFIGURATION_FILES,
    FolderTree,
    LoadedConfiguration,
    SourceTree,
    ValidationConfig,
    known_names,
    load_configuration,
    load_file,
)


@click.group("config")
def config_command() -> None:
    """Check, show or describe the configuration.

    That is .github/assay.yml, assay.yml, or [tool.assay] in pyproject.toml.
    """


@config_command.command("check")
@click.argument("file", required=False, type=click.Path(path_type=Path))
def check_command(file: Path | None) -> None:
    """Check a configuration file and list its errors.

    Without FILE, the configuration of the current repository is checked. Exit code: 0 valid, 2 invalid.
    """
    loaded = load_file(file, known_names()) if file else load_configuration(_here(), known_names())
    click.echo(
        f"{loaded.file}: fine"
        if loaded.file
        else f"no configuration found; searched for {', '.join(CONFIGURATION_FILES)}"
    )
    for note in loaded.notes:
        click.echo(f"{note.what}: {note.why}")


@config_command.command("show")
@click.option("--base", metavar="REF", help="Commit to read it from. Default: the working tree.")
@click.option("--config", "file", type=click.Path(path_type=Path), help="File to use instead of the repository's.")
@click.option("--changed", is_flag=True, help="Show only keys that differ from their defaults.")
def show_command(base: str | None, file: Path | None, changed: bool) -> None:
    """Print the effective configuration as YAML."""
    if base and file:
        raise click.UsageError("--base and --config are mutually exclusive")
    loaded = load_file(file, known_names()) if file else _loaded(base)
    click.echo(f"# {_origin(loaded, base)}\n" + as_yaml(loaded.config, changed=changed), nl=False)


@config_command.command("schema")
def schema_command() -> None:
    """Print the JSON Schema of the configuration."""
    click.echo(schema_text("config"), nl=False)


def as_yaml(config: ValidationConfig, *, changed: bool = False) -> str:
    """Serialize the configuration as YAML."""
    data: dict[str, Any] = config.model_dump(mode="json", by_alias=True, exclude_defaults=changed)
    return yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=110) if data else "{}\n"


def _loaded(base: str | None) -> LoadedConfiguration:
    if base is None:
        return load_configuration(_here(), known_names())
    from assay.validators import Repository

    with Repository(Path()) as repository:
        return load_configuration(repository.tree(repository.resolve(base, "base"), base), known_names())


def _here() -> SourceTree:
    """Return the root of the current repository, or the current folder outside one."""
    current = Path.cwd()
    top = next((folder for folder in (current, *current.parents) if (folder / ".git").exists()), current)
    return FolderTree("here", str(top), CONFIGURATION_FILES)


def _origin(loaded: LoadedConfiguration, base: str | None) -> str:
    where = f" of {base}" if base else ""
    return f"{loaded.file}{where}" if loaded.file else f"the defaults: no configuration file{where or ' here'}"
