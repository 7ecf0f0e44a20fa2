"""The recipes of docs/adding work: their blocks, applied to a scratch tree, pass the commands the pages end with."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.project_files import copy_project

PAGES = ("a-rule", "a-signal", "a-tool", "an-ecosystem", "a-language")
_BLOCK = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def blocks_of(page: str) -> list[tuple[str, str, str]]:
    """Return the language, the file and the text of each fenced block."""
    text = (ROOT / "docs" / "adding" / f"{page}.md").read_text("utf-8")
    return [(match[1], match[2] or "", match[3]) for match in _BLOCK.finditer(text)]


def apply(diff: str, text: str) -> str:
    """Return the text with each hunk of a diff applied; a last context line may be the beginning of a line."""
    for hunk in diff.split("@@\n"):
        lines = hunk.splitlines(keepends=True)
        old = "".join(line[1:] for line in lines if line[0] in " -")
        new = "".join(line[1:] for line in lines if line[0] in " +")
        if lines[-1][0] != "+" and old not in text:
            old, new = old.removesuffix("\n"), new.removesuffix("\n")
        assert old in text, f"the page's context is not in the file: {old!r}"
        text = text.replace(old, new, 1)
    return text


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """A copy of what git tracks here and of what is new."""
    copy_project(tmp_path)
    for command in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(command, cwd=tmp_path, check=True)
    return tmp_path


@pytest.mark.parametrize("page", [PAGES[0], *(pytest.param(page, marks=pytest.mark.soak) for page in PAGES[1:])])
def test_a_recipe_works(page: str, scratch: Path):
    commands = []
    for language, name, text in blocks_of(page):
        file = scratch / name
        if language == "console":
            commands += [line.removeprefix("$ .venv/bin/pytest ") for line in text.splitlines()]
        elif language == "diff":
            file.write_text(apply(text, file.read_text("utf-8")), "utf-8")
        elif name:
            assert not file.exists()
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8")
    subprocess.run(["git", "add", "-A"], cwd=scratch, check=True)
    assert commands
    for command in commands:
        done = _pytest(command, scratch)
        assert re.search(r"\d+ passed", done.stdout), done.stdout[-3000:]
        assert done.returncode == 0, done.stdout[-3000:]


def _pytest(arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *shlex.split(arguments)]
    return subprocess.run(
        words, cwd=folder, env={**env, "PYTHONPATH": str(folder)}, capture_output=True, text=True, check=False
    )


def test_every_page_is_tried():
    assert {path.stem for path in (ROOT / "docs" / "adding").glob("*.md")} == {*PAGES, "index"}
