"""The documents tell the truth: links lead somewhere, and what is named exists."""

from __future__ import annotations

import importlib
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click

from assay.cli.main import VERBS
from tests.conftest import ROOT

DOCS = ROOT / "docs"
NUMBERS = [*map(str, range(1, 136)), *(f"M{number}" for number in range(1, 35))]


@cache
def documents() -> dict[Path, str]:
    """Every Markdown file git knows, but for those that are test data."""
    done = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, check=True)
    names = [name for name in done.stdout.decode().split("\0") if name and not name.startswith("tests/")]
    return {ROOT / name: (ROOT / name).read_text("utf-8") for name in names if (ROOT / name).is_file()}


def test_every_link_leads_somewhere():
    lost = []
    for document, text in documents().items():
        for target in re.findall(r"(?<!!)\[[^]\n]*\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.DOTALL)):
            path, _, anchor = target.partition("#")
            linked = (document.parent / path).resolve() if path else document
            is_address = re.match(r"[a-z]+:", target) is not None
            if not is_address and not (linked.exists() and (not anchor or anchor in _anchors(linked))):
                lost.append(f"{document.relative_to(ROOT)}: {target}")
    assert lost == []


def _anchors(document: Path) -> set[str]:
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_requirement_has_a_place_and_tests_that_exist():
    rows = []
    for line in (DOCS / "requirements.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(r"M?\d+", cells[0]):
            rows.append(cells)
    assert [number for number, *_ in rows] == NUMBERS
    for number, _, where, tests in rows:
        places = [re.findall(r"`([^`]+)`", cell) for cell in (where, tests)]
        assert where == "later" or all(places), number
        assert [name for names in places for name in names if not (ROOT / name).exists()] == [], number


def test_every_command_and_each_of_its_options_is_named():
    said = "\n".join(text for path, text in documents().items() if path.is_relative_to(DOCS))
    for typed, command in _commands():
        options = [option for option in command.params if isinstance(option, click.Option)]
        named = [typed, *(f"`{name}" for option in options for name in option.opts)]
        assert [name for name in named if name not in said] == [], typed


def _commands() -> Iterator[tuple[str, click.Command]]:
    """Each command as it is typed, and what click knows of it."""
    for verb, (module, name, _) in VERBS.items():
        command = getattr(importlib.import_module(module), name)
        yield f"assay {verb}", command
        if isinstance(command, click.Group):
            yield from ((f"assay {verb} {inner}", command.commands[inner]) for inner in command.commands)


def test_every_target_of_make_that_is_named_exists():
    written = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    pattern = re.compile(r"(?:^|`)(?:[A-Z]+=\S+ )*make ((?:[a-z]+-)*[a-z]+)(?=[`\s])", re.MULTILINE)
    for document, text in documents().items():
        assert set(pattern.findall(text)) <= written, document
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert set(re.findall(r"^\s+make ([a-z-]+)", done.stdout, re.MULTILINE)) == written


def test_every_page_is_in_the_navigation_of_the_site():
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    lines = (ROOT / "mkdocs.yml").read_text("utf-8").splitlines()
    assert {line.split()[-1] for line in lines if ".md" in line} == pages
