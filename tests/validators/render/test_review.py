"""The report shows what a model's review cost, what became of its claims, and how a finding is demonstrated."""

from __future__ import annotations

from dataclasses import replace

from assay.validators.render import markdown, terminal
from assay.validators.report.gravity import Gravity
from assay.validators.report.model import MODEL, Statement
from assay.validators.report.review import ModelReview
from assay.validators.risk.level import levelled
from tests.validators.render.sample import sample


def test_markdown_has_costs_claims_and_the_test_with_its_output():
    text = markdown.render(sample())
    section = text[text.index("<summary>Model review") :]
    assert "14 calls, 130000 tokens in, 9000 out" in section
    assert "9 claims, 6 dropped (refuted), 2 dropped (quote missing)" in section
    assert section.index("def test_three_tries():") < section.index("E       assert 4 == 3")


def test_the_terminal_has_costs_and_claims():
    text = terminal.render(sample())
    assert "14 calls" in text
    assert "6 dropped (refuted)" in text


def test_a_report_without_a_review_has_no_section():
    assert "Model review" not in markdown.render(replace(sample(), review=None))
    assert "Model review" not in terminal.render(replace(sample(), review=None))


def test_a_review_without_claims_says_so():
    assert "- 0 claims\n" in markdown.render(replace(sample(), review=ModelReview("claude-haiku-5-5")))


def test_a_level_that_the_model_raised_says_so():
    report = sample()
    assert report.risk is not None
    words = "data: every retry writes a second row"
    raised = Statement("by_model", words, advice="Use a key.", signal=MODEL, gravity=Gravity.high)
    risk = levelled(replace(report.risk, statements=(*report.risk.statements, raised)))
    text = markdown.render(report.with_tiers(risk=risk))
    assert "- Level set by: the model's assessment\n- What would lower it: Use a key.\n" in text
    assert f"- **🟠 Model assessment**: {words}\n" in text
