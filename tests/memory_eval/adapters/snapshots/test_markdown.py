"""Memory kept as Markdown is read with its headings, dates and imports; never over a link, never outside its folder."""

from __future__ import annotations

import time
from datetime import date
from pathlib import Path

import pytest

from assay.memory_eval.adapters.snapshots.markdown import Markdown
from assay.memory_eval.adapters.snapshots.opening import open_snapshot

CLAUDE = """# Notes for Claude

Use `make test` before a commit,
and never push to main.

## Team

- Ada Lund
  - allergy: peanuts
  - [x] asked for the bigger desk
- Bo Ek leads Atlas
  since March.

| Server | RAM |
|--------|-----|
| web-03 | 64 GB |

```sh
# no heading
make deploy
```

<!-- kept out
of sight -->

See @docs/more.md, ask @ada, @../secret.md, @~/.claude/me.md; `@docs/x.md` is code.
"""


def texts(path: Path) -> list[str]:
    return [entry.text for entry in open_snapshot(path).entries]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "docs").mkdir(parents=True)
    (root / "CLAUDE.md").write_text(CLAUDE)
    (root / "docs/more.md").write_text("The staging server is web-04. See @../CLAUDE.md\n")
    (tmp_path / "secret.md").write_text("The password is swordfish.\n")
    return root


def test_items_paragraphs_rows_and_code_are_told_with_their_headings(project: Path):
    assert texts(project / "CLAUDE.md") == [
        "Notes for Claude: Use `make test` before a commit, and never push to main.",
        "Notes for Claude > Team: Ada Lund",
        "Notes for Claude > Team > Ada Lund: allergy: peanuts",
        "Notes for Claude > Team > Ada Lund: asked for the bigger desk",
        "Notes for Claude > Team: Bo Ek leads Atlas since March.",
        "Notes for Claude > Team: Server: web-03; RAM: 64 GB",
        "Notes for Claude > Team: # no heading\nmake deploy",
        "Notes for Claude > Team: See @docs/more.md, ask @ada, @../secret.md, @~/.claude/me.md; `@docs/x.md` is code.",
        "more: The staging server is web-04. See @../CLAUDE.md",
    ]


def test_imports_stay_inside_the_folder(project: Path):
    snapshot = open_snapshot(project / "CLAUDE.md")
    assert not any("swordfish" in entry.text for entry in snapshot.entries)
    assert [line.removeprefix(str(project)) for line in snapshot.unread] == [
        "/CLAUDE.md:26: an import from outside the file's folder, or over a link, is not followed",
        "/CLAUDE.md:26: an import from outside the file's folder, or over a link, is not followed",
    ]


def test_links_are_never_followed(project: Path, tmp_path: Path):
    (project / "linked.md").symlink_to(tmp_path / "secret.md")
    (project / "up").symlink_to(tmp_path)
    (project / "AGENTS.md").write_text("Imported: @linked.md @up/secret.md\n")
    whole = open_snapshot(project)
    assert not any("swordfish" in entry.text for entry in whole.entries)
    assert sorted(line.removeprefix(str(project)) for line in whole.unread) == [
        "/linked.md:1: a link, which is not followed",
        "/up:1: a link, which is not followed",
    ]
    alone = open_snapshot(project / "AGENTS.md")
    assert len(alone.entries) == 1
    assert len(alone.unread) == 2


def test_imports_are_followed_only_so_deep(tmp_path: Path):
    for number in range(9):
        (tmp_path / f"n{number}.md").write_text(f"Note {number}. @n{number + 1}.md\n")
    snapshot = open_snapshot(tmp_path / "n0.md")
    assert [entry.text[4:10] for entry in snapshot.entries] == [f"Note {number}" for number in range(6)]
    assert snapshot.unread == (f"{tmp_path}/n5.md:1: imports are followed 5 deep",)


def test_a_folder_of_notes_is_read_in_a_fixed_order_with_their_front_matter(tmp_path: Path):
    """As the memory tool leaves `/memories`, basic-memory its notes, and Claude Code its memory folder."""
    notes = tmp_path / "memories"
    (notes / "people").mkdir(parents=True)
    (notes / "people/ada-lund.md").write_text(
        "---\ntitle: Ada Lund\ntype: person\nmodified: 2025-03-14T09:12:00\ntags: [team]\n---\n"
        "# Ada Lund\n\n## Observations\n- [allergy] peanuts #health\n- works_at [[Northwind]]\n"
    )
    (notes / "MEMORY.md").write_text(
        "---\nname: preferences\ndescription: how the user likes answers\n---\nShort ones.\n"
    )
    (notes / "2025-02-01.md").write_text("Met Bo.\n\n## 2025-02-03\nMet Cy.\n")
    (notes / ".git").mkdir()
    (notes / ".git/x.md").write_text("not a memory\n")
    snapshot = open_snapshot(notes)
    assert [(entry.id, entry.updated_at, entry.text) for entry in snapshot.entries] == [
        ("2025-02-01.md:1", date(2025, 2, 1), "Met Bo."),
        ("2025-02-01.md:4", date(2025, 2, 3), "2025-02-03: Met Cy."),
        ("MEMORY.md:1", None, "preferences: how the user likes answers"),
        ("MEMORY.md:5", None, "preferences: Short ones."),
        ("people/ada-lund.md:10", date(2025, 3, 14), "Ada Lund > Observations: [allergy] peanuts #health"),
        ("people/ada-lund.md:11", date(2025, 3, 14), "Ada Lund > Observations: works_at [[Northwind]]"),
    ]


def test_front_matter_without_an_end_is_text(tmp_path: Path):
    note = tmp_path / "note.md"
    note.write_text("---\nAda likes tea\n")
    assert texts(note) == ["note: Ada likes tea"]


def test_underlined_headings_and_windows_lines_are_understood(tmp_path: Path):
    note = tmp_path / "AGENTS.md"
    note.write_bytes(b"\xef\xbb\xbfTeam\r\n====\r\nAda likes tea\r\n\r\nWork\r\n----\r\nAtlas\r\n")
    assert texts(note) == ["Team: Ada likes tea", "Team > Work: Atlas"]


def test_markdown_is_known_by_its_content_too(tmp_path: Path):
    note = tmp_path / "memory"
    note.write_text("# Team\n\n- Ada likes tea\n")
    assert Markdown().detects(note)
    note.write_text("Ada likes tea.\n")
    assert not Markdown().detects(note)


def test_a_file_of_nothing_but_imports_is_read_in_bearable_time(tmp_path: Path):
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Notes\n" + "@a/b " * 300_000)
    began_s = time.process_time()
    snapshot = Markdown().read(file)
    assert time.process_time() - began_s < 5
    assert snapshot.entries
    assert len(snapshot.unread) <= 51


def test_a_rule_of_megabytes_is_no_rule(tmp_path: Path):
    file = tmp_path / "CLAUDE.md"
    file.write_text("# Notes\n" + "_ " * 1_000_000 + "x\n- a fact\n")
    assert Markdown().read(file).entries[-1].text.endswith("a fact")
