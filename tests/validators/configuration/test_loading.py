"""A repository's configuration is found in a tree, in one of five places, and read safely."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from textwrap import dedent

import pytest

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.loading import FILES, NAMES, load_configuration, load_file
from assay.validators.configuration.model import Mode, Sandbox, ValidationConfig
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
        - {run: npm test, name: web, kind: test, gate: strict, directory: web, timeout_seconds: 60}
      setup: [uv sync]
      sandbox: off
      scanners: {zizmor: false}
    tier2:
      blocking_severity: warning
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
    overrides:
      - paths: [legacy/]
        complexity: {cyclomatic: 30}
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


@pytest.mark.parametrize("name", [*NAMES, "pyproject.toml", ".github"])
def test_a_link_is_not_followed_and_said(name: str, repository: RealRepository):
    target = Path(repository.path).parent / "elsewhere"
    target.mkdir()
    for file in ("assay.yml", "assay.yaml"):
        (target / file).write_text("mode: enforce\n")
    (target / "pyproject.toml").write_text("[tool.assay]\nmode = 'enforce'\n")
    to = str(target) if name == ".github" else str(target / name.rpartition("/")[2])
    repository.link(name, to)
    commit = repository.commit()
    with Repository(repository.path) as opened:
        trees: list[SourceTree] = [
            opened.tree(commit),
            opened.folder(),
            FolderTree("here", str(repository.path), FILES),
        ]
        for tree in trees:
            loaded = load_configuration(tree)
            assert loaded.file is None
            assert loaded.config == ValidationConfig()
            (note,) = loaded.notes
            assert note.what == f"the configuration in {name}"
            assert note.why.startswith("a symbolic link, which is not followed")


@pytest.mark.parametrize("name", NAMES)
def test_each_place_is_found(name: str, tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{name: EVERYTHING}))
    assert loaded.file == name
    assert loaded.config.mode is Mode.enforce


def test_every_kind_of_value_is_read(tmp_path: Path):
    config = load_configuration(tree_of(tmp_path, **{"assay.yml": EVERYTHING})).config
    first, second = config.tier1.commands or ()
    assert first == "pytest -q"
    assert not isinstance(second, str)
    assert (second.run, second.directory, second.timeout_seconds) == ("npm test", "web", 60)
    assert config.tier1.setup == ("uv sync",)
    assert config.tier1.sandbox is Sandbox.off
    assert not config.tier1.scanners.zizmor
    assert config.tier1.scanners.semgrep
    assert config.tier2.blocking_severity is Severity.warning
    assert config.tier2.severities == {"naming": "off", "complexity": Severity.info}
    assert config.tier3.signals == {"history": False}
    assert config.max_fix_cycles_per_tier == 0
    assert config.overrides[0].complexity is not None
    assert config.overrides[0].complexity.cyclomatic == 30


def test_the_change_cannot_bring_its_own_configuration(repository: RealRepository):
    base = repository.commit(files={".github/assay.yml": "mode: enforce\n"})
    head = repository.commit(files={".github/assay.yml": "tier1: {enabled: false}\n"})
    with Repository(repository.path) as opened:
        assert load_configuration(opened.tree(base)).config.tier1.enabled
        assert not load_configuration(opened.tree(head)).config.tier1.enabled


def test_two_configurations_are_an_error_that_names_both(tmp_path: Path):
    pyproject = "[tool.assay]\nmode = 'enforce'\n"
    with pytest.raises(ConfigurationError, match=r"config\.two-files: .*assay\.yml and pyproject\.toml "):
        load_configuration(tree_of(tmp_path, **{".github/assay.yml": "mode: enforce", "pyproject.toml": pyproject}))


def test_a_pyproject_without_our_table_is_no_configuration(tmp_path: Path):
    tree = tree_of(tmp_path, **{"pyproject.toml": "[project]\nname = 'assay-user'\n"})
    assert load_configuration(tree).file is None


def test_somebody_elses_broken_pyproject_is_not_ours_to_complain_of(tmp_path: Path):
    assert load_configuration(tree_of(tmp_path, **{"pyproject.toml": "[tool.ruff]\nassay ="})).file is None
    with pytest.raises(ConfigurationError, match=r"config\.invalid-syntax: pyproject\.toml:2: "):
        load_configuration(tree_of(tmp_path, **{"pyproject.toml": "[tool.assay]\nmode ="}))


def quoted(message: str) -> str:
    """Return the first name in backticks."""
    return message.partition("`")[2].partition("`")[0]


def test_toml_problems_carry_their_lines(tmp_path: Path):
    text = '''\
        [project]
        name = "x"
        description = """
        [tool.assay]
        mode = "a trap"
        """

        [tool.assay]
        mode = "loud"
        "fail_on" = "always"
        exclude = [
            "docs/",
            # nothing here
            "../out",
        ]
        tier1.timeoutSeconds = "300"

        [tool.assay.tier2]
        complexity = { cyclomatic = 0, cognitve = 2 }

        [[tool.assay.overrides]]
        paths = ["a/"]
        [tool.assay.overrides.complexity]
        nesting = 0
        [[tool.assay.overrides]]
        severities = { naming = 2024-01-01 }

        [tool.ruff]
        line-length = 3
        '''
    with pytest.raises(ConfigurationError) as caught:
        load_configuration(tree_of(tmp_path, **{"pyproject.toml": text}))
    said = {(problem.line, problem.code, quoted(problem.message)) for problem in caught.value.problems}
    assert said == {
        (9, "config.invalid-value", "mode"),
        (10, "config.invalid-value", "failOn"),
        (14, "config.invalid-value", "exclude[1]"),
        (16, "config.invalid-value", "tier1.timeoutSeconds"),
        (19, "config.invalid-value", "tier2.complexity.cyclomatic"),
        (19, "config.unknown-key", "cognitve"),
        (24, "config.invalid-value", "overrides[0].complexity.nesting"),
        (25, "config.invalid-value", "overrides[1]"),
        (26, "config.invalid-value", ""),
        (26, "config.invalid-value", "overrides[1].severities.naming"),
    }


def test_toml_says_the_same_as_yaml(tmp_path: Path):
    toml = """\
        [tool.assay]
        mode = "enforce"
        maxFixCyclesPerTier = 0
        exclude = ["*.snap"]
        [tool.assay.tier1]
        commands = ["pytest", { run = "npm test", timeout_seconds = 60 }]
        """
    yml = "mode: enforce\nmaxFixCyclesPerTier: 0\nexclude: ['*.snap']\n"
    yml += "tier1: {commands: [pytest, {run: npm test, timeoutSeconds: 60}]}\n"
    from_toml = load_configuration(tree_of(tmp_path / "toml", **{"pyproject.toml": toml})).config
    assert from_toml == load_configuration(tree_of(tmp_path / "yaml", **{"assay.yml": yml})).config


def test_a_file_named_by_hand_may_hold_the_keys_at_its_top(tmp_path: Path):
    (tmp_path / "mine.toml").write_text("mode = 'enforce'\n")
    assert load_file(tmp_path / "mine.toml").config.mode is Mode.enforce
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    with pytest.raises(ConfigurationError, match=r"config\.no-table"):
        load_file(tmp_path / "pyproject.toml")


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


def test_a_link_in_the_repository_is_not_followed(repository: RealRepository, tmp_path: Path):
    (tmp_path / "outside.yml").write_text("mode: enforce\n")
    repository.link("assay.yml", str(tmp_path / "outside.yml"))
    commit = repository.commit()
    with Repository(repository.path) as opened:
        assert load_configuration(opened.tree(commit)).file is None


def test_what_extends_names_is_not_followed_and_that_is_said(tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{"assay.yml": "extends: acme/standards\n"}))
    (note,) = loaded.notes
    assert note.what == "extends: acme/standards"
    assert "not followed" in note.why


def test_keys_all_commented_out_are_the_defaults(tmp_path: Path):
    for text in ("", "# nothing\n", "---\n", "tier1:\n  # enabled: false\ntier2:\n"):
        assert load_configuration(tree_of(tmp_path, **{"assay.yml": text})).config == ValidationConfig()


# ------------------------------------------------------------------ files made to hurt


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"a: " + b"x" * 300_000, "config.too-large"),
        (b"mode: \xff\n", "config.not-text"),
        ("mode: enforce".encode("utf-16"), "config.not-text"),
        (b"a: [" + b"[" * 5_000, "config.too-large"),
        (b"- " * 5_000, "config.too-large"),
        (b"[" + b"1," * 30_000 + b"]", "config.too-large"),
        (b"mode: \x00\n", "config.invalid-syntax"),
        (b"%YAML 9.9\n---\nmode: enforce\n", "config.invalid-syntax"),
        (b"? " * 2_000, "config.invalid-syntax|config.too-large"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_file_made_to_hurt_is_one_line(content: bytes, why: str, tmp_path: Path):
    with pytest.raises(ConfigurationError, match=why) as caught:
        load_configuration(tree_of(tmp_path, **{"assay.yml": content}))
    assert len(caught.value.problems) == 1


def test_a_bomb_of_aliases_never_goes_off(tmp_path: Path):
    bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n"
    for before, name in zip("abcdefgh", "bcdefghi", strict=True):
        bomb += f"{name}: &{name} [{','.join([f'*{before}'] * 9)}]\n"
    with pytest.raises(ConfigurationError, match=r"config\.alias"):
        load_configuration(tree_of(tmp_path, **{"assay.yml": bomb}))


def test_a_list_that_holds_itself_ends(tmp_path: Path):
    with pytest.raises(ConfigurationError, match=r"config\.alias"):
        load_configuration(tree_of(tmp_path, **{"assay.yml": "exclude: &a [*a]\n"}))


def test_a_deep_toml_is_one_line(tmp_path: Path):
    deep = "[tool.assay]\nexclude = " + "[" * 60 + "]" * 60
    with pytest.raises(ConfigurationError, match=r"config\.too-large"):
        load_configuration(tree_of(tmp_path, **{"pyproject.toml": deep}))


def test_a_pyproject_too_large_to_look_into_is_said(tmp_path: Path):
    loaded = load_configuration(tree_of(tmp_path, **{"pyproject.toml": "#" * 300_000}))
    assert [note.what for note in loaded.notes] == ["[tool.assay] in pyproject.toml"]
