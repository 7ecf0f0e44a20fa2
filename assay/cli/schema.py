"""`assay schema`: the JSON Schemas of what Assay reads and writes."""

from __future__ import annotations

from importlib import resources

import click

SCHEMAS = ("report", "config", "graph")


@click.command("schema")
@click.argument("name", type=click.Choice(SCHEMAS))
def schema_command(name: str) -> None:
    """Print the JSON Schema of what Assay writes.

    NAME is a report, a graph, or the configuration it reads; the schema is of draft 2020-12.
    """
    click.echo(schema_text(name), nl=False)


def schema_text(name: str) -> str:
    """The published schema of this name, as it lies in the package."""
    file = resources.files("assay.validators").joinpath("schemas", f"{name}.schema.json")
    return file.read_text("utf-8")
