"""Rules in words: sentences without an exact check, which a model evaluates."""

from __future__ import annotations

from dataclasses import dataclass

from assay.validators.report.model import Severity


@dataclass(frozen=True, slots=True)
class TextRule:
    """Rule in words; `name` is the rule of its findings, `label` its name where it is not checked.

    `text` is what the model gets, `message` how its findings begin.
    """

    name: str
    label: str
    text: str
    message: str
    paths: tuple[str, ...] = ("*",)
    severity: Severity = Severity.warning
    suggestion: str | None = None
