"""The pictures of the documents are what the programs print, and load nothing from elsewhere."""

from __future__ import annotations

import re
import subprocess

import pytest

from tests.conftest import ROOT
from tests.pictures import FOLDER, PICTURES, output_of, picture

NAMESPACE = "http://www.w3.org/2000/svg"


def words_of(svg: str) -> list[str]:
    """The texts of a picture, without colours and places."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_is_shown_and_loads_nothing_from_elsewhere(name: str):
    drawn = (FOLDER / name).read_text("utf-8")
    assert set(re.findall(r"https?://[^\"' )]+", drawn)) <= {NAMESPACE, "https://www.textualize.io"}
    assert "<script" not in drawn
    assert "risk" in drawn
    assert f"docs/pictures/{name}" in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.soak
@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_shows_what_the_command_prints(name: str):
    if subprocess.run(("git", "cat-file", "-e", "0018814"), cwd=ROOT, check=False, capture_output=True).returncode:
        pytest.skip("needs the history of this repository")
    drawn = picture(PICTURES[name], output_of(PICTURES[name]))
    assert words_of(drawn) == words_of((FOLDER / name).read_text("utf-8"))
