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
ORG = "locked: [mode]\nmode: enforce\ntier3: {coverage: {medium: 95}}\n"


@pytest.mark.parametrize(
    ("before", "after", "level", "evidence"),
    [
        # 90 alone is above the default of `medium`, so without the organization's file neither would be valid.
        ("high: 90", "high: 85", RiskLevel.critical, "tier3.coverage.high: 90.0 -> 85.0"),
        ("high: 90", "high: 96", RiskLevel.critical, "the new configuration is invalid"),
    ],
)
def test_limits_are_compared_over_the_organizations(
    changes: Changes, before: str, after: str, level: RiskLevel, evidence: str
):
    base, head = (f"tier3: {{coverage: {{{limit}}}}}\n" for limit in (before, after))
    found = said_of(assess(inheriting(changes, base, head)), "gates")
    assert found[0].level is level
    assert any(evidence in text for text in places_of(found))


def test_a_locked_key_changes_nothing_and_is_told(changes: Changes):
    found = said_of(assess(inheriting(changes, "comments: all\n", "comments: all\nmode: advisory\n")), "gates")
    assert any(f"`mode` in {FILE}:2: locked by {ORG_NAME}:1" in text for text in places_of(found))
    assert not any("enforce -> advisory" in text for text in places_of(found))


def inheriting(changes: Changes, base: str, head: str) -> ChangeSet:
    files = (InheritedFile(ORG_NAME, ORG),)
    return replace(changes.of({FILE: base}, {FILE: head}), inherited=Inherited("acme/shop", files))
