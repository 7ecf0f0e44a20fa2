"""Export rules to a file, and import them from untrusted files.

An imported rule has no votes, whatever the file states about its reviewers. It stays pending, unless the operator
accepts it during the import.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from assay.github_app.learning.injection_screen import injection_sign
from assay.github_app.learning.rules.deciding import CannotDecide, Decision, decide
from assay.github_app.learning.rules.listing import by_rule
from assay.github_app.learning.rules.quorum import create_rule
from assay.github_app.learning.weakening import set_aside
from assay.github_app.rule_matching import Polarity
from assay.github_app.store import RuleState, Store
from assay.validators import as_visible

VERSION = 1
MOST_RULES = 5_000
_KEPT = (RuleState.pending, RuleState.confirmed, RuleState.rejected, RuleState.quarantined, RuleState.joined)

_Word = Annotated[str, StringConstraints(max_length=200)]
_Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class _Rule(BaseModel):
    """Rule in a file; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]
    key: Annotated[str, StringConstraints(min_length=1, max_length=200)]
    polarity: Polarity
    action: _Word = ""
    objects: Annotated[tuple[_Word, ...], Field(max_length=50)] = ()
    over: Annotated[tuple[_Word, ...], Field(max_length=50)] = ()
    language: Annotated[str, StringConstraints(max_length=40)] | None = None
    paths: Annotated[tuple[_Pattern, ...], Field(max_length=50)] = ()

    @field_validator("text")
    @classmethod
    def _is_one_line(cls, value: str) -> str:
        if value != as_visible(value):
            raise ValueError("a rule is one line without hidden characters")
        return value


class RulesFile(BaseModel):
    """Whole file."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    assay_rules: Literal[1]
    rules: Annotated[tuple[_Rule, ...], Field(max_length=MOST_RULES)]


class NotRules(ValueError):
    """Reason why a file of rules is invalid, in one line."""


@dataclass(frozen=True, slots=True)
class Imported:
    """Ids of imported rules: new, already known by the same text, quarantined.

    `contradicting` are those among the new ones that were to be accepted and contradict a confirmed rule: they wait.
    """

    new: tuple[str, ...]
    num_known: int
    quarantined: tuple[str, ...]
    contradicting: tuple[str, ...] = ()


def export_rules(
    store: Store, repository_id: int, full_name: str, at: datetime, states: Iterable[RuleState] = (RuleState.confirmed,)
) -> dict[str, Any]:
    """Return a repository's rules as plain data, which `import_rules` reads; joined ones are left out."""
    sources = by_rule(store.rules.sources_in(repository_id))
    rules = []
    for row in store.rules.of(repository_id, [one for one in states if one is not RuleState.joined]):
        canonical = dict(row.canonical)
        rules.append(
            {
                "rule_id": row.rule_id,
                "text": as_visible(row.text),
                "key": row.key,
                "polarity": row.polarity,
                "action": canonical.get("action", ""),
                "objects": list(canonical.get("objects", ())),
                "over": list(canonical.get("over", ())),
                "language": row.language,
                "paths": list(row.scope_paths),
                "state": str(row.state),
                "is_ineffective": row.is_ineffective,
                "created_at": row.created_at.isoformat(),
                "confirmed_at": row.confirmed_at.isoformat() if row.confirmed_at else None,
                "confirmed_by": row.confirmed_by,
                "said": [
                    {"pull": one.number, "reviewer": one.reviewer, "at": one.at.isoformat()}
                    for one in sources.get(row.rule_id, ())
                ],
            }
        )
    return {"assay_rules": VERSION, "repository": full_name, "exported_at": at.isoformat(), "rules": rules}


def import_rules(
    store: Store,
    repository_id: int,
    document: bytes,
    at: datetime,
    *,
    by: str,
    is_accepted: bool = False,
) -> Imported:
    """Import the rules of a file into a repository; rules known by the same text are left unchanged.

    Raises `NotRules`; nothing is imported then.
    """
    read = read_rules(document)
    new: list[str] = []
    quarantined: list[str] = []
    contradicting: list[str] = []
    num_known = 0
    with store.together():
        known = {row.key for row in store.rules.of(repository_id, _KEPT)}
        for rule in read.rules:
            if rule.key in known:
                num_known += 1
                continue
            known.add(rule.key)
            rule_id = hashlib.sha256(f"{repository_id}:import:{rule.key}:{at.isoformat()}".encode()).hexdigest()[:12]
            aside = set_aside(rule.text)
            canonical = rule.model_dump(mode="json")
            create_rule(store, (repository_id, rule_id), canonical, at, by=by, aside=aside, is_imported=True)
            # Who accepts a file has read what it asks for, and may not have seen what it hides.
            may_hold = is_accepted and injection_sign(rule.text) is None
            (quarantined if aside and not may_hold else new).append(rule_id)
            if may_hold:
                try:
                    decide(store, (repository_id, rule_id), Decision.accept, at, by=by)
                except CannotDecide:
                    contradicting.append(rule_id)
    return Imported(tuple(new), num_known, tuple(quarantined), tuple(contradicting))


def read_rules(document: bytes) -> RulesFile:
    """Return a file of rules. Raises `NotRules`."""
    try:
        return RulesFile.model_validate_json(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NotRules(f"{place or 'the file'}: {first['msg'].removeprefix('Value error, ')}") from None
