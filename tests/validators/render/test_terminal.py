"""The terminal report: readable at 80 columns, without colour, in any encoding, and never obeyed by the terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from rich.cells import cell_len
from rich.console import Console

from assay.validators.render import terminal
from assay.validators.report.model import ValidationReport
from tests.examples import sampled
from tests.validators.render import sample
from tests.validators.render.hostile import HOSTILE, all_say
from tests.validators.render.test_markdown import huge


def on_a_terminal(report: ValidationReport, width: int = 80, *, colour: bool = False, encoding: str = "utf-8") -> str:
    """What is written to a terminal of this width and encoding."""
    raw = io.BytesIO()
    with io.TextIOWrapper(raw, encoding=encoding, errors="strict", newline="\n", write_through=True) as file:
        system = "truecolor" if colour else None
        terminal.show(report, Console(file=file, width=width, force_terminal=colour, color_system=system))  # type: ignore[arg-type]
        return raw.getvalue().decode(encoding)


def test_it_says_first_what_to_fix():
    text = on_a_terminal(sample.sample())
    order = [
        "Medium risk",
        "Fix these",
        "Changes like this one",
        "Not checked:",
        "Tier 1",
        "Tier 2",
        "Tier 3",
        "Not checked (3)",
        "Blast radius",
    ]
    places = [text.index(words) for words in order]
    assert places == sorted(places)
    assert "tests/test_client.py:12 (test_integrity)" in text
    assert "→ mend the code, or say in the test why it cannot run" in text
    assert "Fix prompt" not in text, "an agent takes it from another format"


def test_every_tier_says_its_figures():
    text = re.sub(r"\s+", " ", on_a_terminal(sample.sample(), 120))
    for words in (
        "Tests: FAIL (42 passed, 1 failed, 2 skipped)",
        "Build: UNAVAILABLE — npm: command not found",
        "1 error, 2 warnings, 1 info; 7 seen before",
        "Files changed: 4 | Lines: +87 / -12",
        "3 modules import from changed files (2 using `send`, 1 indirect, 1 test file)",
        "1 non-breaking",
        "`tenacity 9.1.2` (pypi)",
        "Test coverage of affected area: 78%",
    ):
        assert words in text


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("make", [sample.sample, sample.clean, sample.nothing_ran])
def test_no_line_is_wider_than_the_terminal(make: Callable[[], ValidationReport], width: int):
    assert max(cell_len(line) for line in on_a_terminal(make(), width).splitlines()) <= width


def test_a_tier_that_was_not_run_says_so():
    text = on_a_terminal(sample.nothing_ran())
    assert text.count("Not run; see “Not checked”") == 3
    assert "not requested (--tiers)" in text


def test_colour_is_used_where_there_is_some_and_nowhere_else():
    assert "\x1b[" in on_a_terminal(sample.sample(), colour=True)
    assert "\x1b" not in on_a_terminal(sample.sample())
    assert "\x1b" not in terminal.render(sample.sample())


@pytest.mark.parametrize("encoding", sampled(["ascii", "latin-1", "cp1252", "utf-8"], 2))
@pytest.mark.parametrize("words", sampled(HOSTILE, 4), ids=range(len(HOSTILE)))
def test_any_encoding_can_write_it(words: str, encoding: str):
    text = on_a_terminal(all_say(words), encoding=encoding)
    assert "Not checked" in text


@pytest.mark.parametrize("words", [*HOSTILE, "[bold red]markup[/] [link=https://evil.example]x[/link] :boom:"])
def test_the_terminal_obeys_no_stranger(words: str):
    text = on_a_terminal(all_say(words), colour=True)
    ours = re.sub(r"\x1b\[[0-9;]*m", "", text)
    assert "\x1b" not in ours
    assert all(line.isprintable() for line in ours.splitlines())
    assert ours.count("Fix these") == 1


def test_rich_markup_of_a_stranger_is_shown_as_it_is():
    text = on_a_terminal(all_say("[x]y[/x]z:boom:"), 200)
    assert "[x]y[/x]z:boom:" in text
    assert "yz" not in text
    assert "z\N{COLLISION SYMBOL}" not in text


def test_a_huge_report_stays_short():
    assert len(on_a_terminal(huge("word")).splitlines()) < 1_500
