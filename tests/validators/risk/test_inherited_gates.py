"""A change of the configuration is compared over what the repository inherits."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.validators.changes.change import ChangeSet
from assay.validators.changes.inherited import Inherited, InheritedFile
from assay.validators.report.model import RiskLevel
from tests.validators.risk.changes import Changes, assess, places_of, said_of

ORG_NAME = "acme/.github/.github/assay.yml"
FILE = ".github/assay.yml"
ORG = "locked: [mode]\nmode: enforce\ntier3: {surface: {high: 900}}\n"


@pytest.mark.parametrize(
    ("before", "after", "level", "evidence"),
    [
        # 600 alone is above the default of `high`, so without the organization's file neither would be valid.
        ("medium: 600", "medium: 700", RiskLevel.critical, "tier3.surface.medium: 600 -> 700"),
        ("medium: 600", "medium: 901", RiskLevel.critical, "the new configuration is invalid"),
    ],
)
def test_limits_are_compared_over_the_organizations(
    changes: Changes, before: str, after: str, level: RiskLevel, evidence: str
):
    base, head = (f"tier3: {{surface: {{{limit}}}}}\n" for limit in (before, after))
    found = said_of(assess(inheriting(changes, base, head)), "gates")
    assert found[0].level is level
    assert any(evidence in text for text in places_of(found))


def test_a_locked_key_changes_nothing_and_is_told(changes: Changes):
    found = said_of(assess(inheriting(changes, "failOn: hold\n", "failOn: hold\nmode: advisory\n")), "gates")
    assert any(f"`mode` in {FILE}:2: locked by {ORG_NAME}:1" in text for text in places_of(found))
    assert not any("enforce -> advisory" in text for text in places_of(found))


def inheriting(changes: Changes, base: str, head: str) -> ChangeSet:
    files = (InheritedFile(ORG_NAME, ORG),)
    return replace(changes.of({FILE: base}, {FILE: head}), inherited=Inherited("acme/shop", files))
