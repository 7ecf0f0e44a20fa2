"""Export rules to a file, and import them from untrusted files.

An imported rule has no votes, whatever the file states about its reviewers. It stays pending, unless the operator
accepts it during the import.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator

from assay.github_app.learning.rules.deciding import Decision, decide
from assay.github_app.learning.rules.listing import by_rule
from assay.github_app.learning.rules.quorum import create_rule
from assay.github_app.rule_matching.rule_text import key_of
from assay.github_app.rule_matching.screen import unfit
from assay.github_app.store import RuleState, Store
from assay.validators import as_visible

VERSION = 1
MOST_RULES = 5_000
MOST_LINE = 2_000
_ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,3}[.)])\s{1,4}(?:\[[ x]\]\s{1,4})?(\S.*)")
_KEPT = (RuleState.pending, RuleState.confirmed, RuleState.rejected, RuleState.quarantined, RuleState.joined)

_Pattern = Annotated[str, StringConstraints(min_length=1, max_length=300)]


class _Rule(BaseModel):
    """Rule in a file; unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=3, max_length=500)]
    language: Annotated[str, StringConstraints(max_length=40)] | None = None
    paths: Annotated[tuple[_Pattern, ...], Field(max_length=50)] = ()

    @property
    def key(self) -> str:
        """Key of its words; rules with the same words are one."""
        return key_of(self.text)

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
    """Ids of imported rules: new, already known by the same words, quarantined."""

    new: tuple[str, ...]
    num_known: int
    quarantined: tuple[str, ...]


def export_rules(
    store: Store, repository_id: int, full_name: str, at: datetime, states: Iterable[RuleState] = (RuleState.confirmed,)
) -> dict[str, Any]:
    """Return a repository's rules as plain data, which `import_rules` reads; joined ones are left out."""
    sources = by_rule(store.rules.sources_in(repository_id))
    rows = store.rules.of(repository_id, [one for one in states if one is not RuleState.joined])
    rules = [
        {
            "rule_id": row.rule_id,
            "text": as_visible(row.text),
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
        for row in rows
    ]
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
    num_known = 0
    with store.together():
        known = {row.key for row in store.rules.of(repository_id, _KEPT)}
        for rule in read.rules:
            if rule.key in known:
                num_known += 1
                continue
            known.add(rule.key)
            rule_id = hashlib.sha256(f"{repository_id}:import:{rule.key}:{at.isoformat()}".encode()).hexdigest()[:12]
            aside = unfit(rule.text)
            canonical = {**rule.model_dump(mode="json"), "key": rule.key}
            create_rule(store, (repository_id, rule_id), canonical, at, by=by, aside=aside, is_imported=True)
            (quarantined if aside else new).append(rule_id)
            if is_accepted and not aside:
                decide(store, (repository_id, rule_id), Decision.accept, at, by=by)
    return Imported(tuple(new), num_known, tuple(quarantined))


def read_rules(document: bytes) -> RulesFile:
    """Return a file of rules: JSON, or a text with a rule on each line or in each item of a Markdown list.

    Raises `NotRules`.
    """
    if not document.lstrip().startswith(b"{"):
        return _read_lines(document)
    try:
        return RulesFile.model_validate_json(document)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        raise NotRules(f"{place or 'the file'}: {first['msg'].removeprefix('Value error, ')}") from None


def _read_lines(document: bytes) -> RulesFile:
    try:
        text = document.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise NotRules("the file: neither JSON nor UTF-8 text") from None
    lines = text.splitlines()
    items = [found[1] for line in lines if (found := _ITEM.match(line[:MOST_LINE]))]
    rules = [one.strip() for one in items or lines if not one.lstrip().startswith(("#", "```", "<!--"))]
    if len(rules) > MOST_RULES:
        raise NotRules(f"the file: more than {MOST_RULES} rules")
    texts = [" ".join(one.split()) for one in rules if 3 <= len(one) <= 500 and one == as_visible(one)]
    if not texts:
        raise NotRules("the file: it has no rules")
    return RulesFile(assay_rules=1, rules=tuple(_Rule(text=text) for text in texts))
