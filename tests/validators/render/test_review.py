"""The report shows what a model's review cost, what became of its claims, and how a finding is demonstrated."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.render import markdown, terminal
from assay.validators.report.model import MODEL, RiskFactor, RiskLevel
from assay.validators.report.review import ModelReview
from assay.validators.risk.level import levelled
from tests.validators.render.sample import sample


def test_markdown_has_costs_claims_and_the_test_with_its_output():
    text = markdown.render(sample())
    section = text[text.index("<summary>Model review (9 claims)") :]
    assert "14 calls, 130000 tokens in (75 % cached), 9000 out" in section
    assert "9 claims, 0 reported; dropped: 6 refuted, 2 quote missing" in section
    assert section.index("def test_three_tries():") < section.index("E       assert 4 == 3")


def test_the_terminal_has_costs_and_claims():
    text = terminal.render(sample())
    assert "14 calls" in text
    assert "6 refuted" in text


def test_a_report_without_a_review_has_no_section():
    assert "Model review" not in markdown.render(replace(sample(), review=None))
    assert "Model review" not in terminal.render(replace(sample(), review=None))


def test_a_review_without_claims_says_so():
    assert "No claims" in markdown.render(replace(sample(), review=ModelReview("claude-haiku-5-5")))


def test_a_raised_level_names_the_models_factor_apart_from_the_floors():
    report = sample()
    assert report.risk is not None
    factor = RiskFactor(MODEL, RiskLevel.high, "data: every retry writes a second row", would_lower="Use a key.")
    text = markdown.render(replace(report, risk=levelled(replace(report.risk, factors=(*report.risk.factors, factor)))))
    floors, _, model = text[text.index("<summary>Why high") :].partition("**Model assessment**")
    assert "second row" in model.partition("</details>")[0]
    assert "second row" not in floors
