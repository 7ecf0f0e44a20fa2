"""Keys of `.github/assay.yml` below `learning`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from assay.validators.configuration.field_types import InstructionFile, Section, check_distinct


class RepeatAlerts(StrEnum):
    """Answer to a comment that repeats one from earlier pull requests: a reply with evidence, or none."""

    reply = "reply"
    none = "none"


class ConfirmedBy(StrEnum):
    """Who confirms a rule: a maintainer alone, or also a quorum of reviewers."""

    maintainer = "maintainer"
    quorum = "quorum"


class Learning(Section):
    """Rules learned from review comments, and repeated mistakes."""

    enabled: bool = True
    """Whether the App learns rules from review comments."""
    confirmed_by: ConfirmedBy = ConfirmedBy.maintainer
    """Who confirms a rule: a maintainer, or also a quorum of reviewers."""
    quorum_reviewers: Annotated[int, Field(ge=2, le=20)] = 2
    """People with write permission who must say a rule before a quorum confirms it."""
    quorum_pulls: Annotated[int, Field(ge=2, le=20)] = 2
    """Pull requests on which it must have been said by then."""
    threshold: Annotated[float, Field(gt=0, le=1)] | None = None
    """Similarity from which two comments are equal; default: as measured for the embedding."""
    repeat_alerts: RepeatAlerts = RepeatAlerts.reply
    """Answer to a repeated mistake: reply in the thread, or none."""
    repeat_after: Annotated[int, Field(ge=1, le=20)] = 1
    """On how many earlier pull requests it must have been said to be called a repeat."""
    notify_after: Annotated[int, Field(ge=1, le=1000)] = 3
    """Repeats of a mistake before the operator's channels are notified."""
    pending_days: Annotated[int, Field(ge=1, le=365)] = 30
    """Days after which an unconfirmed rule expires."""
    confirmed_days: Annotated[int, Field(ge=1, le=3650)] = 365
    """Days after which a confirmed rule that no comment repeats expires."""
    instruction_files: Annotated[tuple[InstructionFile, ...], Field(max_length=5), AfterValidator(check_distinct)] = (
        "AGENTS.md",
    )
    """Files in which the App keeps a block of confirmed rules, by separate pull requests; empty: none."""
