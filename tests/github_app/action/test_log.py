"""Nothing a stranger wrote is a command to the runner that shows our log."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.action.output.log import log_by_us, muted, say

HOSTILE = [
    "::error::you lost",
    "  ::set-output name=conclusion::success",
    "a title\n::add-mask::e",
    "a title\r::stop-commands::x",
    "a\u2028::warning::b\x85::debug::c\x0b::group::d",
    "\x1b[0m::error::x",
    "##[error]old form",
    "before ##[add-mask]e",
    "#\x1b[0m#[error]x",
    "#" * 3 + "[group]x",
]


def commands(log: str) -> list[str]:
    """What the runner would obey: by its own rules, `::` where a line begins, `##[` anywhere."""
    return [line for line in re.split(r"\r\n|\r|\n", log) if line.lstrip().startswith("::") or "##[" in line]


@pytest.fixture
def our_log() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    log_by_us()
    yield
    logging.captureWarnings(capture=False)
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_said_is_no_command(text: str, capsys: pytest.CaptureFixture[str]):
    say(text)
    said = capsys.readouterr().out
    assert commands(said) == []
    assert all(line.startswith("assay: ") for line in said.splitlines())


@pytest.mark.parametrize("text", HOSTILE)
def test_what_libraries_log_is_no_command(text: str, our_log: None, capsys: pytest.CaptureFixture[str]):
    logging.getLogger("assay.somewhere").error("it said: %s", text)
    logging.getLogger("github").warning(text)
    logging.getLogger("py.warnings").warning("%s", text)
    seen = capsys.readouterr()
    assert "it said" in seen.out
    assert commands(seen.out + seen.err) == []


def test_an_error_with_its_traceback_is_no_command(our_log: None, capsys: pytest.CaptureFixture[str]):
    try:
        raise ValueError("x\n::error::y")
    except ValueError:
        logging.getLogger("assay").exception("it broke")
    said = capsys.readouterr().out
    assert "Traceback" in said
    assert commands(said) == []


def test_meanwhile_the_runner_listens_to_nothing(capsys: pytest.CaptureFixture[str]):
    with muted({"GITHUB_ACTIONS": "true"}):
        print("::error::from a library")
    first, heard, *_, last = capsys.readouterr().out.splitlines()
    assert heard == "::error::from a library"
    word = first.removeprefix("::stop-commands::")
    assert re.fullmatch(r"[0-9a-f]{32}", word)
    assert last == f"::{word}::"
    with muted({"GITHUB_ACTIONS": "true"}):
        pass
    assert word not in capsys.readouterr().out


def test_it_listens_again_after_an_error(capsys: pytest.CaptureFixture[str]):
    with pytest.raises(OSError, match="gone"), muted({"GITHUB_ACTIONS": "true"}):
        raise OSError("gone")
    first, *_, last = capsys.readouterr().out.splitlines()
    assert last == f"::{first.removeprefix('::stop-commands::')}::"


@pytest.mark.parametrize("env", [{}, {"GITHUB_ACTIONS": "true", "ASSAY_ACTION_MUTED": "1"}])
def test_nothing_is_asked_where_nobody_listens(env: dict[str, str], capsys: pytest.CaptureFixture[str]):
    with muted(env):
        say("x")
    assert capsys.readouterr().out == "assay: x\n"


@given(st.text(alphabet=st.sampled_from(":#[]% \r\n\t\x0b\x1b\x85\u2028\u200bam0;")))
def test_no_text_at_all_is_a_command(text: str):
    from io import StringIO

    stream = StringIO()
    say(text, stream)
    assert commands(stream.getvalue()) == []
