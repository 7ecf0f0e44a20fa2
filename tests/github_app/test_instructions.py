"""The version of a repository's instructions is a hash over the text agents really read."""

from __future__ import annotations

import os

from assay.github_app.provenance.instructions import MOST_FILE_BYTES, MOST_FILES, instructions_of
from assay.validators import Repository
from tests.repositories import RealRepository


def version_of(repository: RealRepository, files: dict[str, str | bytes]):
    repository.commit(files=files)
    with Repository(repository.path) as opened:
        return instructions_of(opened.tree("HEAD"))


def test_every_known_place_of_instructions_is_read(repository: RealRepository):
    files = {
        "AGENTS.md": "Be kind.\n",
        "shop/CLAUDE.md": "Sell.\n",
        ".github/copilot-instructions.md": "Copy.\n",
        ".github/instructions/python/style.instructions.md": "Four spaces.\n",
        ".cursor/rules/shop.mdc": "Curse not.\n",
        ".cursorrules": "Old.\n",
    }
    others = ["README.md", "node_modules/left/CLAUDE.md", "agents.md.txt", ".github/workflows/ci.yml"]
    found = version_of(repository, {**files, **dict.fromkeys(others, "x")})
    assert found is not None
    assert found.texts == files
    assert len(found.version) == 64


def test_a_changed_word_is_another_version_and_other_files_are_not(repository: RealRepository):
    first = version_of(repository, {"AGENTS.md": "Be kind.\n"})
    other_file = version_of(repository, {"README.md": "Hello\n"})
    moved = version_of(repository, {"AGENTS.md": "Be kind.\r\n"})
    assert first is not None
    assert other_file is not None
    assert moved is not None
    assert first.version == other_file.version != moved.version


def test_text_that_moves_from_one_file_to_the_next_is_another_version(repository: RealRepository):
    one = version_of(repository, {"AGENTS.md": "ab", "CLAUDE.md": "c"})
    two = version_of(repository, {"AGENTS.md": "a", "CLAUDE.md": "bc"})
    assert one is not None
    assert two is not None
    assert one.version != two.version


def test_a_repository_without_instructions_has_no_version(repository: RealRepository):
    assert version_of(repository, {"README.md": "x"}) is None


def test_a_link_is_not_followed_and_bytes_that_are_no_text_are_shown(repository: RealRepository):
    os.symlink("/etc/passwd", repository.path / "CLAUDE.md")
    found = version_of(repository, {"AGENTS.md": b"caf\xe9\x00"})
    assert found is not None
    assert found.texts == {"AGENTS.md": "caf\ufffd "}


def test_what_is_too_large_or_too_many_counts_without_its_text(repository: RealRepository):
    big = "x" * (MOST_FILE_BYTES + 1)
    found = version_of(repository, {"AGENTS.md": big, **{f"d{i}/AGENTS.md": "x" for i in range(MOST_FILES + 5)}})
    assert found is not None
    assert "AGENTS.md" in found.unread
    assert len(found.texts) + len(found.unread) == MOST_FILES + 6
    changed = version_of(repository, {"AGENTS.md": big + "y"})
    assert changed is not None
    assert changed.version != found.version
