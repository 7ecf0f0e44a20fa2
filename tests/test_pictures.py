"""The pictures of the documents are what the programs print and serve."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests import page_pictures, recording
from tests.conftest import ROOT
from tests.fakes.browser import runs_here
from tests.pictures import FOLDER, REPORT, report

NAMESPACE = "http://www.w3.org/2000/svg"


def words_of(svg: str) -> list[str]:
    """The texts of a picture, without colours and places."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("name", [REPORT, recording.NAME])
def test_a_drawing_loads_nothing_from_elsewhere(name: str):
    drawn = (FOLDER / name).read_text("utf-8")
    assert set(re.findall(r"https?://[^\"' )]+", drawn)) <= {NAMESPACE, "https://www.textualize.io"}
    assert "<script" not in drawn
    assert "risk" in drawn


def test_the_recording_moves_only_for_readers_who_do_not_mind():
    drawn = (FOLDER / recording.NAME).read_text("utf-8")
    still, moving = drawn.split("@media (prefers-reduced-motion: no-preference)")
    assert "animation" not in still
    delays = [float(one) for one in re.findall(r"animation-delay: ([\d.]+)s", moving)]
    assert delays == sorted(delays)
    assert delays[0] == 0.0 < delays[-1] < 30


@pytest.fixture
def history() -> None:
    """This repository's history, which a shallow clone lacks."""
    if subprocess.run(("git", "cat-file", "-e", "0018814"), cwd=ROOT, check=False, capture_output=True).returncode:
        pytest.skip("needs the history of this repository")


@pytest.mark.soak
@pytest.mark.usefixtures("history")
def test_the_report_shows_what_the_command_prints():
    assert words_of(report()) == words_of((FOLDER / REPORT).read_text("utf-8"))


@pytest.mark.soak
@pytest.mark.usefixtures("history")
def test_the_recording_shows_what_the_command_prints(tmp_path: Path):
    recorded = recording.take(tmp_path).read_text("utf-8")
    assert words_of(recorded) == words_of((FOLDER / recording.NAME).read_text("utf-8"))


@pytest.mark.soak
@pytest.mark.browser
@pytest.mark.usefixtures("history")
@pytest.mark.timeout(600)
def test_the_pages_are_taken(tmp_path: Path):
    if not runs_here():
        pytest.skip("the tests' browser is for Linux on x86-64")
    page_pictures.take(tmp_path)
    assert {one.name for one in tmp_path.iterdir()} == set(page_pictures.PAGES)
    assert all(one.read_bytes().startswith(b"\x89PNG") for one in tmp_path.iterdir())
