"""What people can say to Assay in a comment, and the buttons. `COMMANDS` is the register, in the order `help` shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.github_app.commands.accept import Accept
from assay.github_app.commands.command import Command
from assay.github_app.commands.explain import Explain
from assay.github_app.commands.fp import FalsePositive
from assay.github_app.commands.help import Help
from assay.github_app.commands.hold import Hold
from assay.github_app.commands.pause import Pause
from assay.github_app.commands.release import ReleaseHold
from assay.github_app.commands.rerun import Rerun
from assay.github_app.commands.resume import Resume
from assay.github_app.commands.rule import Rule

if TYPE_CHECKING:
    from assay.github_app.commands.answering import answer
    from assay.github_app.commands.pressing import press, rerequested

COMMANDS: tuple[Command, ...] = (
    Rerun(),
    Explain(),
    FalsePositive(),
    Accept(),
    Hold(),
    ReleaseHold(),
    Pause(),
    Resume(),
    Rule(),
    Help(),
)

__all__ = ["COMMANDS", "Command", "answer", "press", "rerequested"]


def __getattr__(name: str) -> Any:
    if name == "answer":
        from assay.github_app.commands.answering import answer

        return answer
    if name in ("press", "rerequested"):
        from assay.github_app.commands import pressing

        return getattr(pressing, name)
    raise AttributeError(name)
