"""The documents tell the truth: what they name exists, and what exists is named."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import click
import pytest

from assay.cli.main import VERBS
from tests import message_codes
from tests.conftest import ROOT
from tests.registers import REGISTERS, Register

DOCS = ROOT / "docs"
NUMBERS = [*map(str, range(1, 136)), *(f"M{number}" for number in range(1, 35))]
TARGETS = """venv demo test check soak bench lock help
    install-dev install-cli install-app install-action install-memory install-sast"""


def documents() -> list[Path]:
    """Every Markdown file git knows, but for those that are test data."""
    done = subprocess.run(["git", "ls-files", "-z", "*.md"], cwd=ROOT, capture_output=True, check=True)
    names = [name for name in done.stdout.decode().split("\0") if name and not name.startswith("tests/")]
    return [ROOT / name for name in names if (ROOT / name).is_file()]


@cache
def everything_said() -> str:
    """All of docs/ in one piece."""
    return "\n".join(path.read_text("utf-8") for path in sorted(DOCS.rglob("*.md")))


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_somewhere(document: Path):
    text = re.sub(r"```.*?```", "", document.read_text("utf-8"), flags=re.DOTALL)
    for target in re.findall(r"(?<!!)\[[^]\n]*\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        linked = (document.parent / path).resolve() if path else document
        assert linked.exists(), f"{document.name}: {target}"
        if anchor:
            assert anchor in _anchors(linked), f"{document.name}: {target}"


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_placeholder_stands_where_text_or_figures_belong(document: Path):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", document.read_text("utf-8"), flags=re.DOTALL)
    assert (
        re.findall(r"\b(?:TBD|FIXME|XXX)\b|\?\?\?|\{\{?\w+\}\}?|\b[Ll]orem ipsum\b|\|\s*(?:…|\.\.\.)\s*\|", text) == []
    )


# ------------------------------------------------------------------ requirements


def requirement_rows() -> list[tuple[str, str, str, str]]:
    """(number, what is wanted, where it lives, which test shows it) of each row in docs/requirements.md."""
    rows = []
    for line in (DOCS / "requirements.md").read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        if cells and re.fullmatch(r"M?\d+", cells[0]):
            assert len(cells) == 4, line
            rows.append((cells[0], cells[1], cells[2], cells[3]))
    return rows


def test_every_requirement_is_in_the_table_once():
    assert [number for number, *_ in requirement_rows()] == NUMBERS


def test_every_requirement_says_where_it_lives_and_which_test_shows_it_or_later():
    for number, _, where, test in requirement_rows():
        if where == "later":
            assert test == "", f"{number}: what is not built has no test"
        else:
            assert _named(where), f"{number}: where?"
            assert _named(test), f"{number}: which test?"


def test_every_place_and_test_in_the_table_exists():
    for number, _, where, test in requirement_rows():
        for name in [*_named(where), *_named(test)]:
            path, _, function = name.partition("::")
            assert (ROOT / path).exists(), f"{number}: {name}"
            if function:
                assert function in _tests_in(ROOT / path), f"{number}: {name}"


def _named(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


@cache
def _tests_in(path: Path) -> set[str]:
    tree = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.name for node in tree if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))}


# ------------------------------------------------------------------ names


@pytest.mark.parametrize("register", REGISTERS, ids=str)
def test_every_member_of_a_register_is_named_in_the_documents(register: Register):
    assert [key for key in register.names if f"`{key}`" not in everything_said()] == []


def test_the_architecture_names_every_file_and_folder_of_a_room():
    page = (DOCS / "architecture.md").read_text("utf-8")
    for room in ("validators", "github", "github_app", "action", "memory_eval"):
        files = [path.name for path in (ROOT / "assay" / room).glob("*.py") if path.name != "__init__.py"]
        folders = [f"{path.parent.name}/" for path in (ROOT / "assay" / room).glob("*/__init__.py")]
        assert [name for name in (*files, *folders) if f"`{name}`" not in page] == []


def test_every_register_is_named_in_the_architecture():
    page = (DOCS / "architecture.md").read_text("utf-8")
    names = [str(register).removeprefix("validators.").replace(".", "/") for register in REGISTERS]
    assert [name for name in names if f"`{name}/`" not in page] == []


def commands() -> Iterator[tuple[str, click.Command]]:
    """Each command as it is typed, and what click knows of it."""
    for verb, (module, name, _) in VERBS.items():
        command = getattr(importlib.import_module(module), name)
        yield f"assay {verb}", command
        if isinstance(command, click.Group):
            yield from ((f"assay {verb} {inner}", command.commands[inner]) for inner in command.commands)


def test_the_error_codes_are_listed():
    listed = re.findall(r"^\| `([a-z]+\.[a-z-]+)` \|", (ROOT / "docs/messages.md").read_text("utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(message_codes.codes())


def test_every_command_and_each_of_its_options_is_named_in_the_documents():
    for typed, command in commands():
        assert typed in everything_said(), typed
        for option in command.params:
            if isinstance(option, click.Option):
                assert all(f"`{name}" in everything_said() for name in option.opts), f"{typed} {option.opts}"


def test_make_help_lists_every_target():
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    listed = set(re.findall(r"^\s+make ([a-z-]+)", done.stdout, re.MULTILINE))
    written = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    assert listed == written
    assert set(TARGETS.split()) <= listed


@pytest.mark.parametrize("document", documents(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_make_target_a_document_names_exists(document: Path):
    written = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(
        re.findall(
            r"(?:^|`)(?:[A-Z]+=\S+ )*make ((?:[a-z]+-)*[a-z]+)(?=[`\s])", document.read_text("utf-8"), re.MULTILINE
        )
    )
    assert named <= written, document


def _anchors(document: Path) -> set[str]:
    """The anchors of a Markdown file's headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", document.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def test_every_page_is_in_the_navigation_of_the_site():
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {
        line.split()[-1] for line in (ROOT / "mkdocs.yml").read_text("utf-8").splitlines() if ".md" in line
    } == pages
