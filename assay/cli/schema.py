"""The command `assay schema`: JSON Schemas of the files Assay reads and writes."""

from __future__ import annotations

from importlib import resources

import click

SCHEMAS = {
    "report": "assay.validators",
    "config": "assay.validators",
    "graph": "assay.validators",
    "memory-report": "assay.memory_eval",
    "memory-comparison": "assay.memory_eval",
    "memory-drift": "assay.memory_eval",
    "memory-turn": "assay.memory_eval",
    "memory-question": "assay.memory_eval",
    "memory-answer": "assay.memory_eval",
    "agent-http": "assay.memory_eval",
    "agent-subprocess": "assay.memory_eval",
}
"""Name -> the package that contains the schema."""


@click.command("schema")
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def schema_command(name: str) -> None:
    """Print the JSON Schema of a file Assay reads or writes.

    NAME is a validation report, the configuration, an import graph, a file of a memory evaluation, or the protocol of
    an agent under test. The schemas use draft 2020-12.
    """
    click.echo(schema_text(name), nl=False)


def schema_text(name: str) -> str:
    """Return the published schema of this name."""
    file = resources.files(SCHEMAS[name]).joinpath("schemas", f"{name}.schema.json")
    return file.read_text("utf-8")
