"""Register of `COMMANDS`, in the order of `/assay help`."""

from __future__ import annotations

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

_OTHERS: tuple[Command, ...] = (
    Rerun(),
    Explain(),
    FalsePositive(),
    Accept(),
    Hold(),
    ReleaseHold(),
    Pause(),
    Resume(),
    Rule(),
)
COMMANDS: tuple[Command, ...] = (*_OTHERS, Help(_OTHERS))
