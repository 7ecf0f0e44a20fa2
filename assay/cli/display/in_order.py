"""Command group that lists its commands in order of use."""

from __future__ import annotations

import click


class InOrder(click.Group):
    """Group that lists commands in the order they were added, not alphabetically."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)
