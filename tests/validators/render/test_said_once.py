"""Below the first screen each finding is named once; a certain fix of one place is on the first screen, to commit."""

from __future__ import annotations

import dataclasses
import re

from assay.escape import prose
from assay.validators.render import markdown, terminal
from assay.validators.report.model import Finding, QualityResult, Severity, Tier
from tests.validators.render import sample


def test_a_finding_is_named_once_below_the_first_screen():
    text = markdown.details(sample.sample()).split("<summary>Command output")[0]
    for finding in sample.sample().findings:
        if finding.introduced:
            assert text.count(prose(finding.message, 400)) == 1


def test_a_local_fix_on_the_first_screen_can_be_committed():
    text = "def test():\n    `a`"
    finding = Finding(Tier.quality, Severity.error, "skip", "a_test.py", "a skip", 3, replacement=text, id="1" * 12)
    report = dataclasses.replace(sample.sample(), quality=QualityResult((finding,)), blocking=(finding.id,))
    assert "   ```suggestion\n   def test():\n       `a`\n   ```" in markdown.summary(report)
    assert "+ def test():\n" in re.sub(" +\n", "\n", terminal.render(report))
    hidden = dataclasses.replace(finding, replacement="a\u202eb")
    report = dataclasses.replace(report, quality=QualityResult((hidden,)))
    assert "suggestion\n" not in markdown.summary(report)
    assert "u202e" not in terminal.render(report)
