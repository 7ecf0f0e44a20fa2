"""A repository's configuration is found in a tree, in one place, and read safely."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from textwrap import dedent

import pytest

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.loading import CONFIGURATION, PLACES, load_configuration, load_file
from assay.validators.configuration.model import Mode, Sandbox, Scanner, ValidationConfig
from assay.validators.errors import ConfigurationError
from assay.validators.report.model import RiskLevel, Severity
from assay.validators.vcs.repository import Repository
from assay.validators.vcs.trees import FolderTree
from tests.repositories import RealRepository

EVERYTHING = """\
    tier1:
      enabled: true
      commands:
        - pytest -q
        - {run: npm test, name: web, kind: test, gate: strict, directory: web, timeoutSeconds: 60}
      setup: [uv sync]
      sandbox: off
      scanners: [semgrep]
    tier2:
      blockingSeverity: warning
      customRules:
        - Handlers validate their input.
        - id: no-print
          message: Use the logger.
          forbid: '\\bprint\\('
          paths: ["src/**/*.py", "!src/cli/"]
      severities: {naming: off, complexity: info}
    tier3:
      riskThresholdForHold: high
      signals: {history: false}
    maxFixCyclesPerTier: 0
    mode: enforce
    exclude: ["*.snap"]
    """


def tree_of(folder: Path, **files: str | bytes) -> FolderTree:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(dedent(content).encode() if isinstance(content, str) else content)
    return FolderTree("here", str(folder), list(files))


def test_no_configuration_is_the_defaults(tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{"README.md": "hello"}))
    assert loaded.config == ValidationConfig()
    assert loaded.file is None
    assert loaded.notes == ()
    tier1, tier2, tier3 = loaded.config.tier1, loaded.config.tier2, loaded.config.tier3
    assert (tier1.enabled, tier1.commands, tier1.timeout_seconds) == (True, None, 300)
    assert (tier2.enabled, tier2.blocking_severity, tier2.custom_rules, tier2.timeout_seconds) == (
        True,
        Severity.error,
        (),
        120,
    )
    assert (tier3.enabled, tier3.risk_threshold_for_hold, tier3.timeout_seconds) == (True, RiskLevel.critical, 120)
    assert loaded.config.max_fix_cycles_per_tier == 2


@pytest.mark.parametrize("name", [CONFIGURATION, ".github"])
def test_a_link_is_not_followed_and_said(name: str, repository: RealRepository):
    target = Path(repository.path).parent / "elsewhere"
    target.mkdir()
    (target / "assay.yml").write_text("mode: enforce\n")
    to = str(target) if name == ".github" else str(target / name.rpartition("/")[2])
    repository.link(name, to)
    commit = repository.commit()
    with Repository(repository.path) as opened:
        trees: list[SourceTree] = [
            opened.tree(commit),
            opened.folder(),
            FolderTree("here", str(repository.path), PLACES),
        ]
        for tree in trees:
            loaded = load_configuration(tree)
            assert loaded.file is None
            assert loaded.config == ValidationConfig()
            (note,) = loaded.notes
            assert note.what == f"the configuration in {name}"
            assert note.why.startswith("a symbolic link, which is not followed")


@pytest.mark.parametrize("name", PLACES[1:])
def test_a_configuration_in_another_place_is_not_read_and_that_is_said(name: str, tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{name: EVERYTHING}))
    assert loaded.config == ValidationConfig()
    assert [(one.what, one.why) for one in loaded.notes] == [
        (f"the configuration in {name}", "it is read from .github/assay.yml alone; move it there")
    ]


def test_every_kind_of_value_is_read(tmp_path: Path):
    config = load_configuration(tree_of(tmp_path, **{CONFIGURATION: EVERYTHING})).config
    first, second = config.tier1.commands or ()
    assert first == "pytest -q"
    assert not isinstance(second, str)
    assert (second.run, second.directory, second.timeout_seconds) == ("npm test", "web", 60)
    assert config.tier1.setup == ("uv sync",)
    assert config.tier1.sandbox is Sandbox.off
    assert config.tier1.scanners == (Scanner.semgrep,)
    assert config.tier2.blocking_severity is Severity.warning
    assert config.tier2.severities == {"naming": "off", "complexity": Severity.info}
    assert config.tier3.signals == {"history": False}
    assert config.max_fix_cycles_per_tier == 0


def test_the_change_cannot_bring_its_own_configuration(repository: RealRepository):
    base = repository.commit(files={".github/assay.yml": "mode: enforce\n"})
    head = repository.commit(files={".github/assay.yml": "tier1: {enabled: false}\n"})
    with Repository(repository.path) as opened:
        assert load_configuration(opened.tree(base)).config.tier1.enabled
        assert not load_configuration(opened.tree(head)).config.tier1.enabled


def test_a_file_named_by_hand_may_be_a_link_or_a_pipe(tmp_path: Path):
    (tmp_path / "real.yml").write_text("mode: enforce\n")
    (tmp_path / "link.yml").symlink_to("real.yml")
    assert load_file(tmp_path / "link.yml").config.mode is Mode.enforce
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=lambda: (tmp_path / "pipe").write_text("mode: enforce\n"))
    writer.start()
    assert load_file(tmp_path / "pipe").config.mode is Mode.enforce
    writer.join()


@pytest.mark.parametrize("name", ["missing.yml", "folder", "with\0nul"])
def test_a_file_that_cannot_be_read_is_one_line(name: str, tmp_path: Path):
    (tmp_path / "folder").mkdir()
    with pytest.raises(ConfigurationError, match=r"config\.not-read"):
        load_file(f"{tmp_path}/{name}")


def test_what_extends_names_is_not_followed_and_that_is_said(tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{CONFIGURATION: "extends: acme/standards\n"}))
    (note,) = loaded.notes
    assert note.what == "extends: acme/standards"
    assert "not followed" in note.why


def test_keys_all_commented_out_are_the_defaults(tmp_path: Path):
    for text in ("", "# nothing\n", "---\n", "tier1:\n  # enabled: false\ntier2:\n"):
        assert load_configuration(tree_of(tmp_path, **{CONFIGURATION: text})).config == ValidationConfig()


# ------------------------------------------------------------------ files made to hurt


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a: " + b"x" * 300_000, "config.too-large"),
        (b"mode: \xff\n", "config.not-text"),
        ("mode: enforce".encode("utf-16"), "config.not-text"),
        (b"a: [" + b"[" * 5_000, "config.invalid-syntax"),
        (b"- " * 5_000, "config.invalid-syntax"),
        (b"[" + b"1," * 110_000 + b"]", "config.invalid-syntax"),
        (b"mode: \x00\n", "config.invalid-syntax"),
        (b"%YAML 9.9\n---\nmode: enforce\n", "config.invalid-syntax"),
        (b"? " * 2_000, "config.invalid-syntax"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_made_to_hurt_is_one_line(content: bytes, why: str, tmp_path: Path):
    with pytest.raises(ConfigurationError, match=why) as caught:
        load_configuration(tree_of(tmp_path, **{CONFIGURATION: content}))
    assert len(caught.value.problems) == 1


def test_thousands_of_problems_take_seconds(tmp_path: Path):
    began = time.process_time()
    with pytest.raises(ConfigurationError):
        load_configuration(tree_of(tmp_path, **{CONFIGURATION: f"exclude: [{', '.join(map(str, range(30_000)))}]"}))
    assert time.process_time() - began < 30


def test_a_bomb_of_aliases_never_goes_off(tmp_path: Path):
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    with pytest.raises(ConfigurationError, match=r"config\.alias"):
        load_configuration(tree_of(tmp_path, **{CONFIGURATION: bomb}))


def test_a_list_that_holds_itself_ends(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"config\.alias"):
        load_configuration(tree_of(tmp_path, **{CONFIGURATION: "exclude: &a [*a]\n"}))
