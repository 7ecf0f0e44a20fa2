"""Groups whose help lists their commands in the order they are used in."""

from __future__ import annotations

import click


class InOrder(click.Group):
    """Commands in the order they were added in, not that of the alphabet."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return list(self.commands)
