"""What an agent is handed: everything that counts against the change, and nothing a stranger could make it obey."""

from __future__ import annotations

import dataclasses

import pytest

from assay.validators.render.fix_prompt import fix_prompt
from assay.validators.report.model import Commit, Outcome
from tests.validators.render import sample
from tests.validators.render.github import shown_by_github
from tests.validators.render.hostile import HOSTILE, all_say
from tests.validators.render.test_markdown import huge

HEADINGS = [
    *("Fix what Assay found in commit 8fae4823c51b", "1. Tests: fail", "2. "),
    *("Advisory: review these", "When you are done"),
]


def test_it_names_every_thing_that_blocks_with_place_output_and_advice():
    text = fix_prompt(sample.sample())
    assert "Command: `uv run pytest -q`" in text
    assert "tests/test_retry.py:21: tests.test_retry test_gives_up_after_three_tries: assert 4 == 3" in text
    assert ">       assert client.tries == 3" in text
    assert "## 2. `test_integrity` in `tests/test_client.py:12`" in text
    assert "Suggestion: mend the code, or say in the test why it cannot run" in text
    asked = text.partition("Run these again:")[2]
    assert "- `uv run pytest -q`: it must pass" in asked
    advice = text.partition("## Advisory")[2]
    assert "- New dependency in `pyproject.toml:14`: `adds tenacity to the runtime dependencies`\n" in advice
    assert "complexity" not in text.lower().partition("## advisory")[0]


def test_it_asks_for_no_more_than_the_change_broke():
    report = sample.sample()
    assert report.tools is not None
    runs = tuple(dataclasses.replace(run, base_outcome=Outcome.failed) for run in report.tools.runs)
    text = fix_prompt(report.with_tiers(tools=dataclasses.replace(report.tools, runs=runs)))
    asked = text.partition("Run these again:")[2]
    assert "- `uv run pytest -q`: the errors above must be gone; earlier failures may stay" in asked
    assert "test_gives_up_after_three_tries: assert 4 == 3" in text
    assert ">       assert client.tries == 3" not in text, "its output is full of what the change did not break"


def test_what_a_fix_cycle_leaves_out_is_not_in_it():
    report = sample.sample()
    for names, words in ((report.blocking[:1], "1. Tests: fail"), (report.blocking[1:], "1. `test_integrity`")):
        text = fix_prompt(dataclasses.replace(report, blocking=names))
        assert f"## {words}" in text
        assert "## 2." not in text


def test_it_says_what_would_be_no_fix():
    assert "Do not delete, skip or weaken a test, lower a threshold" in fix_prompt(sample.sample())


def test_nothing_to_fix_is_said():
    assert "there is nothing to fix" in fix_prompt(sample.clean())


def test_uncommitted_work_is_called_so():
    report = dataclasses.replace(sample.sample(), head=Commit("0" * 40, "WORKTREE", True))
    assert fix_prompt(report).startswith("# Fix what Assay found in the uncommitted work\n")


@pytest.mark.parametrize("words", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_words_stay_in_code(words: str):
    page = shown_by_github(fix_prompt(all_say(words)))
    assert page.active() == []
    assert len(page.headings) == len(HEADINGS)
    assert all(said.startswith(heading) for said, heading in zip(page.headings, HEADINGS, strict=True))
    said = "".join(page.texts)
    assert "octocat" not in said
    assert "evil" not in said


def test_a_flood_is_cut_with_a_count():
    text = fix_prompt(huge("word"))
    assert "There are 1200 more; fix these first." in text
