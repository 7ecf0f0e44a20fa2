"""A rule's help address leads to a page that explains it, and holds nothing that a tool could put in."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import pytest

from assay.validators.quality.register import RULES
from assay.validators.render import rule_help, sarif
from assay.validators.render.rule_help import help_address
from assay.validators.report.model import Finding, Severity, Tier
from tests.validators.render import sample

SITE = "https://docs.example/assay/"
DOCS = Path(__file__).parents[3] / "docs"


def told(tier: Tier, rule: str, tool: str | None = None) -> Finding:
    return Finding(tier, Severity.warning, rule, "a.py", "words", 1, tool=tool)


@pytest.mark.parametrize(
    ("tool", "rule", "address"),
    [
        ("ruff", "F401", "https://docs.astral.sh/ruff/rules/#F401"),
        ("mypy", "attr-defined", "https://mypy.readthedocs.io/en/stable/_refs.html#code-attr-defined"),
        ("eslint", "no-unused-vars", "https://eslint.org/docs/latest/rules/no-unused-vars"),
        ("eslint", "@typescript-eslint/no-explicit-any", ""),
        ("ruff", "F401\nx", ""),
        ("ruff", "../../evil", ""),
        ("ruff", "F401?next=//evil.example", ""),
        ("linter-of-ours", "F401", ""),
        (None, "F401", ""),
    ],
)
def test_rules_of_tools_have_the_tools_page(tool: str | None, rule: str, address: str):
    assert help_address(told(Tier.tools, rule, tool), SITE) == address


def test_own_rules_have_the_site_once_it_is_published():
    assert help_address(told(Tier.quality, "test_integrity.skip"), SITE) == f"{SITE}quality/#test_integrity"
    assert help_address(told(Tier.quality, "review.correctness"), SITE) == f"{SITE}review/"
    assert help_address(told(Tier.quality, "test_integrity.skip"), "") == ""
    assert help_address(told(Tier.quality, "..//evil"), SITE) == ""


def test_every_rule_of_tier_2_has_its_heading():
    headings = set(re.findall(r"^## `([a-z_]+)`", (DOCS / "quality.md").read_text("utf-8"), re.MULTILINE))
    assert {rule.name for rule in RULES} - {"review"} <= headings


def test_sarif_gives_the_addresses(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sarif, "documentation_site", lambda: SITE)
    report = sample.sample()
    lint = told(Tier.tools, "F401", "ruff")
    assert report.tools is not None
    report = report.with_tiers(tools=dataclasses.replace(report.tools, findings=(lint,)))
    rules = json.loads(sarif.render(report))["runs"][0]["tool"]["driver"]["rules"]
    found = {rule["id"]: rule.get("helpUri") for rule in rules}
    assert found["ruff/F401"] == "https://docs.astral.sh/ruff/rules/#F401"
    assert found["complexity"] == f"{SITE}quality/#complexity"


def test_the_site_is_the_distributions_documentation(monkeypatch: pytest.MonkeyPatch):
    class Metadata:
        def get_all(self, name: str) -> list[str]:
            return {"Project-URL": ["Source, https://code.example", f"Documentation, {SITE}"]}[name]

    monkeypatch.setattr(rule_help, "metadata", lambda name: Metadata())
    rule_help.documentation_site.cache_clear()
    try:
        assert rule_help.documentation_site() == SITE
    finally:
        rule_help.documentation_site.cache_clear()
