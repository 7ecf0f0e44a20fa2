"""The main job from end to end, on a real repository with real commands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from assay.validators.configuration.model import ValidationConfig
from assay.validators.report.model import (
    NOT_REQUESTED,
    OWN_COMMANDS,
    Conclusion,
    RiskLevel,
    Tier,
    ToolKind,
    ToolsResult,
    ValidationReport,
)
from assay.validators.run.pipeline import ALL_TIERS, EXCLUDED, Options, validate
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.repositories import RealRepository


class Heard:
    """A progress that remembers which tiers began, in order."""

    def __init__(self) -> None:
        self.tiers: list[Tier] = []

    def began(self, tier: Tier, what: str) -> None:
        """Remember it once."""
        if not self.tiers or self.tiers[-1] is not tier:
            self.tiers.append(tier)

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Nothing more to remember."""


@pytest.fixture
def changed(repository: RealRepository) -> RealRepository:
    """A package whose one function loses a parameter that another file gives it; its check passes only before."""
    repository.commit(
        "Start",
        {
            "pyproject.toml": '[build-system]\nrequires = ["hatchling"]\n[project]\nname = "shop"\nversion = "1"\n',
            "shop/__init__.py": "from shop.prices import price\n\n__all__ = ['price']\n",
            "shop/prices.py": "def price(amount, tax=0):\n    return amount + tax\n",
            "shop/basket.py": "from shop.prices import price\n\n\ndef total(one):\n    return price(one, 1)\n",
            "assets/logo.png": b"\x89PNG\r\n\x1a\n\0\0",
        },
    )
    repository.commit(
        "Drop the tax",
        {
            "shop/prices.py": "def price(amount):\n    return amount  # noqa\n",
            "assets/logo.png": b"\x89PNG\r\n\x1a\n\0\1",
        },
    )
    return repository


def judged(repository: RealRepository, config: Mapping[str, Any], options: Options | None = None) -> ValidationReport:
    """The report on the newest commit."""
    with Repository(repository.path) as opened:
        change = read_change(opened, "HEAD~1", "HEAD")
        return validate(change, ValidationConfig.model_validate(config), options)


CHECK = {
    "commands": [{"run": "grep -q tax shop/prices.py", "name": "tax", "kind": "test"}],
    "setup": "none",
    "scanners": [],
}


def test_the_tiers_run_in_order_and_each_says_its_own(changed: RealRepository):
    heard = Heard()
    report = judged(changed, {"tier1": CHECK}, Options(progress=heard))
    assert heard.tiers == list(ALL_TIERS)
    assert report.tools is not None
    assert report.quality is not None
    assert report.risk is not None
    assert [(run.name, run.gating) for run in report.tools.runs if run.kind == "test"] == [("tax", True)]
    assert {finding.rule.split(".")[0] for finding in report.quality.findings} == {"contracts", "suppressions"}
    assert [dependent.path for dependent in report.risk.dependents if dependent.distance == 1] == [
        "shop/basket.py",
        "shop/__init__.py",
    ]
    assert report.risk.level is RiskLevel.critical
    assert [(one.kind, one.symbol) for one in report.risk.api_changes] == [("breaking", "shop.price")]
    assert not [note for note in report.not_checked if note.what.startswith("size, complexity and duplication of")]
    assert report.conclusion is Conclusion.failure
    assert set(report.durations_s) == {"tools", "quality", "risk", "total"}


def test_every_file_of_the_change_is_accounted_for(changed: RealRepository):
    report = judged(changed, {"tier1": {"enabled": False}, "exclude": ["shop/**"]})
    assert [file["path"] for file in report.files] == ["assets/logo.png", "shop/prices.py"]
    assert [file["added_lines"] for file in report.files] == [[], [[1, 2]]]
    notes = {note.what: note.why for note in report.not_checked}
    assert notes["shop/prices.py"] == EXCLUDED
    assert notes["assets/logo.png"].startswith("binary")


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_tier_that_is_off_is_absent_and_said(changed: RealRepository, number: int):
    others = {"tier1": CHECK} if number != 1 else {}
    report = judged(changed, {**others, f"tier{number}": {**others.get(f"tier{number}", {}), "enabled": False}})
    absent = [report.tools, report.quality, report.risk][number - 1]
    assert absent is None
    assert any(
        note.what.startswith(f"Tier {number}") and f"tier{number}.enabled" in note.why for note in report.not_checked
    )


def test_a_tier_nobody_asked_for_is_absent_and_said(changed: RealRepository):
    report = judged(changed, {}, Options(tiers=(Tier.risk,)))
    assert report.quality is None
    assert report.tools is not None
    assert {run.kind for run in report.tools.runs} == {ToolKind.sast}
    assert [note.what for note in report.not_checked if note.why == NOT_REQUESTED] == [
        "Tier 2 (code-quality)",
        OWN_COMMANDS,
    ]


def test_coverage_given_by_hand_counts_where_no_command_left_any(changed: RealRepository):
    by_hand = ToolsResult(line_coverage={"shop/prices.py": {1: True, 2: False}}, coverage_source="lcov.info")
    report = judged(changed, {}, Options(tiers=(Tier.risk,), coverage=by_hand))
    assert report.risk is not None
    assert (report.risk.coverage.percent, report.risk.coverage.source) == (50.0, "lcov.info")


def test_the_same_change_is_judged_the_same_twice(changed: RealRepository):
    one, two = (judged(changed, {"tier1": CHECK}) for _ in range(2))
    assert one.findings == two.findings
    assert one.risk == two.risk
    assert one.title == two.title


# ------------------------------------------------------------------ scanners, which run nothing of the repository

TOKEN = "gh" + "p_Zk3Q9vXw7LmN2pR5tY8uB1cD4eF6gH0jK2lM"
NO_COMMANDS = {"tier1": {"commands": [], "setup": "none"}}
LEAKED = (RiskLevel.high, {"found"}, Conclusion.failure)
CLEAN = (RiskLevel.low, set[str](), Conclusion.success)
QUICK = (Tier.quality, Tier.risk)


@pytest.mark.parametrize(
    ("tiers", "path", "expected"),
    [
        (QUICK, "shop/keys.py", LEAKED),
        ((Tier.risk,), "Dockerfile", LEAKED),
        (ALL_TIERS, "deploy/values.yaml", LEAKED),
        (QUICK, "tests/test_keys.py", CLEAN),
        (QUICK, "docs/keys.md", CLEAN),
        (QUICK, "examples/keys.sh", CLEAN),
    ],
)
def test_a_secret_is_found_whatever_tiers_are_requested(
    repository: RealRepository, tiers: tuple[Tier, ...], path: str, expected: tuple[RiskLevel, set[str], Conclusion]
):
    """In tests, documents and examples the scanners themselves report no error, so none of them sets the floor."""
    before = {"tests/test_shop.py": "def test_shop(): ...\n", "examples/keys.sh": "ls\n", "docs/keys.md": "Keys.\n"}
    repository.commit("Start", before)
    repository.commit("Add a key", {path: f"# {TOKEN}\n"})
    report = judged(repository, NO_COMMANDS, Options(tiers=tiers))
    assert report.risk is not None
    floors = {one.signal for one in report.risk.statements if one.level is not None}
    assert (report.risk.level, floors, report.conclusion) == expected
    assert [(one.file, one.rule) for one in report.findings] == [(path, "hardcoded-token")]
    assert not report.hold
    assert OWN_COMMANDS in {note.what for note in report.not_checked}


def test_a_change_without_a_secret_reads_as_before(repository: RealRepository):
    repository.commit("Start", {"shop.py": "x = 1\n"})
    repository.commit("Change", {"shop.py": "x = 2\n"})
    report = judged(repository, {"mode": "enforce"}, Options(tiers=QUICK))
    assert report.title == "Low risk · tests not run · no findings"
    assert (report.conclusion, report.blocking) == (Conclusion.success, ())
    assert [(note.what, note.why) for note in report.not_checked] == [
        (OWN_COMMANDS, NOT_REQUESTED),
        ("coverage of changed lines", "no coverage data was found or given"),
    ]
    assert [file["unknown"] for file in report.files] == [["coverage"]]


def test_without_the_tier_each_question_of_the_scanners_is_open(repository: RealRepository):
    repository.commit("Start", {"shop.py": "x = 1\n", "logo.png": b"\0a"})
    repository.commit("Change", {"shop.py": f"x = '{TOKEN}'\n", "notes.md": "Notes.\n", "old.txt": ""})
    report = judged(repository, {"tier1": {"enabled": False}}, Options(tiers=QUICK))
    assert report.tools is None
    assert {path for note in report.unknown if note.question == "secrets" for path in note.files} == {
        "notes.md", "old.txt", "shop.py"
    }  # fmt: skip
    assert [file["unknown"] for file in report.files] == [["secrets"], ["secrets"], ["coverage", "dangers", "secrets"]]


WORKFLOW = """\
on: [push, pull_request]
# old
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v4
      - run: pytest
"""
PYTHON = '''import os


def f(a):
    """Return it."""
    # why
    return os.path.join(a, "b")  # noqa: PTH118
'''
SCRIPT = "// why\nexport const f = (a) => `\n\n${a}`\n// @ts-ignore\nf(1) // end\n"
GO = "//go:build linux\n\npackage a\n\n// why\nfunc F() int { return 1 }\n"


@pytest.mark.parametrize(
    ("path", "base", "old", "new", "is_inert"),
    [
        ("a.py", PYTHON, "# why", "# the reason (see docs)", True),
        ("a.py", PYTHON, "    # why\n", "", True),
        ("a.py", PYTHON, "Return it.", "Return the path.\n\n    In full.\n    ", True),
        ("a.py", PYTHON.replace("  # noqa: PTH118", ""), '(a, "b")', "(\n        a, 'b'\n    )", True),
        ("a.py", PYTHON, "\n\n\n", "\n\n\n\n", True),
        ("a.py", PYTHON, '"b"', '"c"', False),
        ("a.py", PYTHON, "import os\n", "import os\nimport re\n", False),
        ("a.py", PYTHON, "  # noqa: PTH118", "", True),
        ("a.py", PYTHON, "# why", "# type: ignore", False),
        ("a.py", PYTHON, "# why", "# pragma: no cover", False),
        ("a.py", PYTHON, "import os", "#!/usr/bin/python3\nimport os", False),
        ("a.py", PYTHON, "import os", "# -*- coding: latin-1 -*-\nimport os", False),
        ("a.py", PYTHON, "return os", "return (os", False),
        ("a.ts", SCRIPT, "// why", "// because", True),
        ("a.ts", SCRIPT, " // end", "", True),
        ("a.ts", SCRIPT, "// @ts-ignore\n", "", True),
        ("a.ts", SCRIPT, "`\n\n$", "`\n$", False),
        ("a.ts", SCRIPT, "f(1)", "f(2)", False),
        ("a.go", GO, "// why", "// F is one", True),
        ("a.go", GO, "//go:build linux", "//go:build darwin", False),
        ("a.ml", "(* why *)\nlet f = 1\n", "why", "x", False),
    ],
)
def test_an_inert_edit_expects_no_tests(
    repository: RealRepository, path: str, base: str, old: str, new: str, is_inert: bool
):
    assert old in base
    tests = dict.fromkeys(("tests/test_a.py", "a.test.ts", "a_test.go", "tests/test_a.ml"), "x\n")
    repository.commit(files={path: base, **tests})
    repository.commit(files={path: base.replace(old, new)})
    with Repository(repository.path) as opened:
        report = validate(read_change(opened, "HEAD~1"), ValidationConfig(), Options(tiers=()))
    assert report.settings["expects_tests"] is not is_inert


@pytest.mark.parametrize(
    ("path", "base", "old", "new", "level"),
    [
        (".github/workflows/ci.yml", WORKFLOW, "# old", "# new", RiskLevel.low),
        (".github/workflows/ci.yml", WORKFLOW, "# v4", "# v4.2.1", RiskLevel.low),
        (".github/workflows/ci.yml", WORKFLOW, "run: pytest", "run: pytest -q", RiskLevel.critical),
        (".mergify.yml", "# old\nqueue_rules: []\n", "# old", "# new", RiskLevel.low),
        (".mergify.yml", "# old\nqueue_rules: []\n", "rules: []", "rules: [1]", RiskLevel.high),
    ],
)
def test_a_comment_in_settings_sets_no_floor(
    repository: RealRepository, path: str, base: str, old: str, new: str, level: RiskLevel
):
    repository.commit(files={path: base})
    repository.commit(files={path: base.replace(old, new)})
    config = ValidationConfig.model_validate({"tier3": {"policy": "seed"}})
    with Repository(repository.path) as opened:
        report = validate(read_change(opened, "HEAD~1"), config, Options(tiers=(Tier.risk,)))
    assert report.risk is not None
    assert report.risk.floor is level
