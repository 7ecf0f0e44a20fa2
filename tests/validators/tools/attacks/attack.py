"""An attack on test results: a change that breaks what a test checks, and bends the run so that nobody notices."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from textwrap import dedent


@dataclass(frozen=True)
class Attack:
    """`files` come with the broken code; None takes a file away, a name with `->` moves one."""

    name: str
    files: Mapping[str, str | None]
    runner: str = ""
    command: str | None = None


@dataclass(frozen=True)
class Victim:
    """A project whose tests pass, and the change that really breaks one of them."""

    runner: str
    files: Mapping[str, str]
    broken: Mapping[str, str]
    command: str
    failing: str
    attacks: list[Attack] = field(default_factory=list)

    def attack(self, name: str, files: Mapping[str, str | None], command: str | None = None) -> None:
        """Add an attack on this victim; texts are dedented."""
        texts = {path: None if text is None else dedent(text) for path, text in files.items()}
        self.attacks.append(Attack(name, texts, self.runner, command))
