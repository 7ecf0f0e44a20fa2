"""How Tier 2 holds together: rules that fail, time that is over, settings, and ids that last."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ProgramMissing
from assay.validators.progress import Deadline
from assay.validators.quality import check
from assay.validators.quality.check import COULD_NOT_RUN, check_quality
from assay.validators.quality.naming import naming
from assay.validators.quality.register import RULES
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, QualityResult, Severity, Tier
from assay.validators.report.unknown import NotChecked
from tests.validators.quality.conftest import Judge, said

BODY = "def load(a, b, c):\n    return a or b or c or a or b or c\n"
LIMITS = {"tier2": {"complexity": {"cyclomatic": 3}}}


class Heard:
    """A progress that remembers."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def began(self, tier: Tier, what: str) -> None:
        self.words.append(f"{tier} began {what}")

    def ended(self, tier: Tier, what: str, how: str) -> None:
        self.words.append(f"{tier} ended {what}: {how}")


class Saying:
    """A rule that says what it was given, then fails if it was told to."""

    answers = None
    covers = ALL_LANGUAGES

    def __init__(self, name: str, *findings: Finding | NotChecked, error: Exception | None = None) -> None:
        self.name = name
        self._findings = findings
        self._error = error

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        yield from self._findings
        if self._error is not None:
            raise self._error


def finding(rule: str, message: str = "m") -> Finding:
    return Finding(Tier.quality, Severity.warning, rule, "a.py", message, line=1)


def judged(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, *rules: Saying, config: object = None
) -> tuple[QualityResult, Heard]:
    monkeypatch.setattr(check, "RULES", rules)
    heard = Heard()
    with judge.change({"a.py": "x = 1\n"}, {"a.py": "x = 2\n"}) as change:
        return check_quality(change, ValidationConfig.model_validate(config or {}), progress=heard), heard


def test_a_rule_that_fails_costs_its_own_answer_and_says_so(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    result, heard = judged(
        judge,
        monkeypatch,
        Saying("first", finding("first"), error=RuntimeError("two\nlines")),
        Saying("second", error=ProgramMissing("jscpd", "install it")),
        Saying("third", finding("third")),
    )
    assert said(result.findings) == ["warning first a.py:1", "warning third a.py:1"]
    assert result.not_checked == (
        NotChecked("first", "rule first could not run: RuntimeError: two lines"),
        NotChecked("second", "rule second could not run: program.missing: jscpd: not found; install it"),
    )
    assert f"code-quality ended first: {COULD_NOT_RUN}" in heard.words
    assert "code-quality ended third: 1 finding" in heard.words


def test_time_that_is_over_costs_the_rules_not_reached_by_name(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(check, "Deadline", lambda seconds: Deadline(seconds, began_at_s=-1000.0))
    result, _ = judged(judge, monkeypatch, Saying("first"), Saying("second"))
    assert result.timed_out
    assert [note.what for note in result.not_checked] == ["first", "second"]
    assert all("120 s " in note.why for note in result.not_checked)


GRAVE = {"id": "grave", "message": "m", "forbid": "x", "severity": "error", "paths": ["*.py"]}
MILD = {"id": "mild", "message": "m", "forbid": "x"}


@pytest.mark.parametrize(
    ("name", "note", "tier2", "could_block"),
    [
        ("contracts", None, {}, True),
        ("duplication", None, {}, False),
        ("duplication", None, {"severities": {"duplication": "error"}}, True),
        ("duplication", None, {"blockingSeverity": "warning"}, True),
        ("design", None, {"severities": {"design.direction": "error"}}, True),
        ("contracts", None, {"severities": {"contracts": "warning"}}, False),
        ("contracts", None, {"severities": {"contracts": "off"}}, False),
        ("repository_rules", None, {"customRules": [MILD]}, False),
        ("repository_rules", None, {"customRules": [MILD, GRAVE]}, True),
        ("repository_rules", "repository_rules.mild", {"customRules": [MILD, GRAVE]}, False),
        ("repository_rules", "repository_rules.grave", {"customRules": [MILD, GRAVE]}, True),
        (
            "repository_rules",
            "repository_rules.grave",
            {"customRules": [GRAVE], "severities": {"repository_rules.grave": "info"}},
            False,
        ),
        ("learned_rules", "learned_rules.ab12: No sleep.", {}, False),
        ("learned_rules", "learned_rules.ab12: No sleep.", {"severities": {"learned_rules": "error"}}, True),
    ],
)
def test_what_is_cut_off_could_block_by_its_severity(
    judge: Judge,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    note: str | None,
    tier2: dict[str, object],
    could_block: bool,
):
    rule = Saying(name, error=RuntimeError("late"))
    if note is not None:
        rule = Saying(name, NotChecked(note, "late", could_block=True))
    result, _ = judged(judge, monkeypatch, rule, config={"tier2": tier2})
    assert [one.could_block for one in result.not_checked] == [could_block]


@pytest.mark.parametrize(("began_at_s", "could_block"), [(-1000.0, True), (None, False)])
def test_what_a_rule_leaves_out_after_its_time_is_cut_off(
    judge: Judge, monkeypatch: pytest.MonkeyPatch, began_at_s: float | None, could_block: bool
):
    class Late(Saying):
        def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
            if began_at_s is not None:
                object.__setattr__(context.deadline, "began_at_s", began_at_s)
            yield NotChecked("test_integrity.deleted", "left out")

    result, _ = judged(judge, monkeypatch, Late("test_integrity"))
    assert [one.could_block for one in result.not_checked] == [could_block]


def test_a_rule_that_is_off_is_named_and_not_run(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    config = {"tier2": {"severities": {"first": "off"}}}
    result, heard = judged(judge, monkeypatch, Saying("first", finding("first")), config=config)
    assert result.findings == ()
    assert result.not_checked[0].what == "first"
    assert heard.words == []


def test_a_part_may_be_on_where_its_rule_is_off(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    config = {"tier2": {"severities": {"first": "off", "first.part": "error"}}}
    rule = Saying("first", finding("first.part"), finding("first.other"))
    result, _ = judged(judge, monkeypatch, rule, config=config)
    assert said(result.findings) == ["error first.part a.py:1"]


def test_what_stood_there_before_is_counted_not_told(judge: Judge):
    judge.only("complexity")
    result = judge({"a.py": BODY + "x = 1\n"}, {"a.py": BODY + "x = 2\n"}, LIMITS)
    assert result.findings == ()
    assert result.num_existing == 1


@pytest.mark.soak
def test_excluded_files_are_not_looked_at(judge: Judge):
    judge.only("complexity")
    result = judge({"r": "r"}, {"a.py": BODY, "old/a.py": BODY}, {**LIMITS, "exclude": ["old/"]})
    assert said(result.findings) == ["warning complexity.cyclomatic a.py:1"]


def test_a_finding_keeps_its_id_when_lines_above_it_move(judge: Judge, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(naming, "MIN_SAMPLES", 2)
    block = "\n".join(f"    value_{i} = compute(a, {i}) + b[{i}]" for i in range(12))
    new = f"{BODY}\n\ndef loadAll(a, b):  # noqa\n{block}\n    return value_1\n"
    old = "def read_file(a, b):\n" + block + "\n    return value_1\n"
    config = {
        "tier2": {
            "complexity": {"cyclomatic": 3},
            "customRules": [{"id": "no-noqa", "message": "No.", "forbid": "noqa"}],
        }
    }
    base = {"old.py": old + "\n\ndef write_file(): ...\n"}
    first = judge(base, {"new.py": new}, config)
    shifted = judge.repository
    shifted.write("new.py", "# a line\n" * 50 + new)
    shifted.write("other.py", "unrelated = 1\n")
    second = judge({"new.py": None}, {"new.py": "# a line\n" * 50 + new, "other.py": "unrelated = 1\n"}, config)
    assert {one.rule for one in first.findings} == {
        "complexity.cyclomatic",
        "suppressions.noqa",
        "naming.function",
        "duplication",
        "repository_rules.no-noqa",
    }
    assert {one.id for one in first.findings} == {one.id for one in second.findings}
    assert all((two.line or 0) > 50 for two in second.findings)


def test_findings_carry_the_tier_the_seed_names(judge: Judge):
    result = judge({"r": "r"}, {"a.py": BODY}, LIMITS)
    assert {finding.tier.value for finding in result.findings} == {"code-quality"}
    assert all(len(finding.id) == 12 for finding in result.findings)


def test_rules_have_names_of_their_own():
    assert len({rule.name for rule in RULES}) == len(RULES)


HOSTILE: dict[str, str | bytes | None] = {
    "new\nline.py": "import os  # type: ignore\n",
    '"quoted".py': BODY,
    "-rf.py": BODY,
    "tests/test_\udcff.py": "def test_a():\n    assert True\n",
    "deep.py": "x = " + "(" * 5000 + ")" * 5000 + "\n",
    "deeper.py": "".join(" " * i + "if x:\n" for i in range(300)),
    "deep.ts": "f(" * 20000 + ")" * 20000,
    "long.js": "var a=" + "1+" * 200_000 + "1;\n",
    "long.py": "\n".join(f"def f{i}(): return {i}" for i in range(20_000)),
    "nul.py": "x = '\0'\n",
    "broken.py": "def f(:\n    '''\n",
    "latin.py": b"# \xe9\nx = '\xff'\n",
    "empty.py": "",
    "huge.py": b"x = 1\n" * 400_000,
    "bom.py": b"\xef\xbb\xbfimport os  # noqa\r\n",
    ".github/workflows/ci.yml": "a: &a [*a, *a]\n" * 100,
}


@pytest.mark.soak
def test_hostile_files_break_nothing_and_are_accounted_for(judge: Judge):
    result = judge({"r": "r"}, HOSTILE)
    assert not result.timed_out
    found = said(result.findings)
    assert "info suppressions.type-ignore new\nline.py:1" in found
    assert "info suppressions.noqa bom.py:1" in found
    assert "warning test_integrity.trivial tests/test_\udcff.py:2" in found
    notes = {note.what: note.why for note in result.not_checked}
    assert "complexity of broken.py" in notes
    assert notes["complexity of huge.py"] == "it is over 1 MB"
    assert not [why for why in notes.values() if COULD_NOT_RUN in why]
