"""Progress shows the names of steps as they are, without terminal escapes."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from assay.cli.display.drawing import Drawn
from assay.validators import Tier


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ('pytest "tests/[a].py" -k [red]', 'pytest "tests/[a].py" -k [red]'),
        ("make\n  test", "make test"),
        ("evil\x1b]0;title\x07", r'"evil\033]0;title\007"'),
    ],
)
def test_a_step_is_shown_as_it_is_named(what: str, shown: str):
    out = StringIO()
    console = Console(file=out, force_terminal=True, color_system=None, width=120)
    with Drawn(console, keeps_steps=True) as progress:
        progress.began(Tier.tools, what)
        progress.ended(Tier.tools, what, "passed")
    (line,) = [line for line in out.getvalue().splitlines() if "passed" in line]
    assert f" {shown}  passed  " in line


def test_steps_are_gone_at_the_end():
    out = StringIO()
    with Drawn(Console(file=out, force_terminal=True, color_system=None, width=120)) as progress:
        progress.began(Tier.risk, "surface")
        progress.ended(Tier.risk, "surface", "nothing")
    assert "nothing" not in out.getvalue()
