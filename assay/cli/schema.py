"""`assay schema`: the JSON Schemas of what Assay reads and writes."""

from __future__ import annotations

from importlib import resources

import click

SCHEMAS = {
    "report": "assay.validators",
    "config": "assay.validators",
    "graph": "assay.validators",
    "memory-report": "assay.memory_eval",
    "memory-comparison": "assay.memory_eval",
    "memory-turn": "assay.memory_eval",
    "memory-question": "assay.memory_eval",
    "memory-answer": "assay.memory_eval",
    "agent-http": "assay.memory_eval",
    "agent-subprocess": "assay.memory_eval",
}
"""Name -> the room whose it is."""


@click.command("schema")
@click.argument("name", type=click.Choice(list(SCHEMAS)))
def schema_command(name: str) -> None:
    """Print the JSON Schema of what Assay writes.

    NAME is a report, a graph, or the configuration it reads; of a memory examination its report, a comparison, the
    lines of its files, and what is said to an agent. The schema is of draft 2020-12.
    """
    click.echo(schema_text(name), nl=False)


def schema_text(name: str) -> str:
    """The published schema of this name, as it lies in the package."""
    file = resources.files(SCHEMAS[name]).joinpath("schemas", f"{name}.schema.json")
    return file.read_text("utf-8")
