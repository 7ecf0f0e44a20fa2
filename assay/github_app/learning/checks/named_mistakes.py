"""Checks of rules from the phrasebook (`named_mistakes.yaml`), found by the exact wording of the rule."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from assay.github_app.rule_matching.languages import LANGUAGES
from assay.validators import LearnedCheck, check_from


@dataclass(frozen=True, slots=True)
class Mistake:
    """Mistake with a name: its languages, its check, and the rules that forbid it."""

    name: str
    languages: tuple[str, ...]
    check: LearnedCheck
    rules: tuple[str, ...]

    def is_meant(self, rule: str, language: str | None) -> bool:
        """Return whether a rule, in lower case, is about this mistake."""
        return rule in self.rules and (language is None or language in self.languages)


@cache
def mistakes() -> tuple[Mistake, ...]:
    """Return all named mistakes."""
    raw = yaml.safe_load(files("assay.github_app.learning.checks").joinpath("named_mistakes.yaml").read_text("utf-8"))
    return tuple(
        Mistake(
            name,
            tuple(entry.get("languages", LANGUAGES)),
            check_from(entry["check"], name),
            tuple(entry["rules"]),
        )
        for name, entry in raw.items()
    )
