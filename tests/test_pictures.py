"""The pictures of the documents: shown, described, small, and what the programs print and serve."""

from __future__ import annotations

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests import page_pictures, recording
from tests.conftest import ROOT
from tests.fakes.browser import runs_here
from tests.pictures import FOLDER, NAMES, REPORT, report

NAMESPACE = "http://www.w3.org/2000/svg"
MOST_BYTES = 1_500_000
LEAST_WORDS = 5
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_SHOWN = re.compile(r"!\[([^\]]*)\]\(([^)]+)\)")


def shown() -> list[tuple[Path, str, Path]]:
    """Each picture in a document: the document, what it says instead of the picture, and the file."""
    found = [(one, *match) for one in DOCUMENTS for match in _SHOWN.findall(one.read_text("utf-8"))]
    return [(one, words, (one.parent / name).resolve()) for one, words, name in found]


def words_of(svg: str) -> list[str]:
    """The texts of a picture, without colours and places."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_each_picture_is_shown_in_a_document_and_each_shown_one_is_made_by_the_script():
    assert {one for *_, one in shown()} == {FOLDER / name for name in NAMES}
    assert {one.name for one in FOLDER.iterdir()} == set(NAMES)
    assert [one for one, *_ in shown() if one.name == "README.md"] == [ROOT / "README.md"]


def test_each_picture_says_in_words_what_it_shows():
    assert [(one.name, words) for one, words, _ in shown() if len(words.split()) < LEAST_WORDS] == []


def test_the_pictures_are_small_and_no_part_of_the_package():
    assert sum((FOLDER / name).stat().st_size for name in NAMES) < MOST_BYTES
    packed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert packed["packages"] == ["assay"]


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
