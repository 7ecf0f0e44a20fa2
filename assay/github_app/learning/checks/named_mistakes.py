"""Named mistakes with their checks (`named_mistakes.yaml`): from the wording of reviewers to a pattern."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import yaml

from assay.github_app.rule_matching.languages import LANGUAGES
from assay.validators import LearnedCheck, check_from


@dataclass(frozen=True, slots=True)
class Mistake:
    """Mistake with a name: patterns for the whole rule text, for common wordings, and its languages."""

    name: str
    languages: tuple[str, ...]
    check: LearnedCheck
    said: re.Pattern[str] | None
    rules: tuple[str, ...]

    def is_meant(self, rule: str, said: str, language: str | None, *, is_against: bool) -> bool:
        """Return whether a rule (its text and the reviewers' words, in lower case) is about this mistake.

        `is_against` is true if anything in it is negative.
        """
        if language is not None and language not in self.languages:
            return False
        return rule in self.rules or (self.said is not None and is_against and self.said.search(said) is not None)


@cache
def mistakes() -> tuple[Mistake, ...]:
    """Return all named mistakes."""
    raw = yaml.safe_load(files("assay.github_app.learning.checks").joinpath("named_mistakes.yaml").read_text("utf-8"))
    return tuple(
        Mistake(
            name,
            tuple(entry.get("languages", LANGUAGES)),
            check_from(entry["check"], name),
            re.compile(entry["said"]) if "said" in entry else None,
            tuple(entry.get("rules", ())),
        )
        for name, entry in raw.items()
    )
