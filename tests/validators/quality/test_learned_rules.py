"""Learned rules that come with the request."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from assay.validators import where_check_matches
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import CouldNotRun
from assay.validators.progress import Silent
from assay.validators.quality import check
from assay.validators.quality.inputs.learned_model import CheckKind, LearnedCheck, LearnedRule
from assay.validators.quality.learned.learned_rules import _sample
from assay.validators.report.model import QualityResult, Severity, Tier
from assay.validators.run.isolated import ValidationOptions, ValidationRequest, validate_isolated
from tests.validators.quality.conftest import Files, Judge, said

NO_PRINT = LearnedRule(
    "0123456789ab", "use the log, not `print`", LearnedCheck(CheckKind.regex, r"\bprint\("), ("*.py",), "#3 by ann"
)
KIND = LearnedRule("aaaaaaaaaaaa", "name what is meant", paths=("*.py",))


def judged(judge: Judge, base: Files, head: Files, rules: Sequence[LearnedRule]) -> QualityResult:
    judge.only("learned_rules")
    with judge.change(base, head) as change:
        return check.check_quality(change, ValidationConfig(), progress=Silent(), learned_rules=tuple(rules))


def test_rules_of_the_request_are_looked_for(judge: Judge):
    result = judged(judge, {"a.py": "print(1)\n"}, {"a.py": "print(1)\nprint(2)\n"}, [NO_PRINT])
    assert said(result.findings) == ["warning learned_rules.0123456789ab a.py:2"]
    assert result.not_checked == ()


def test_of_two_rules_of_one_id_the_requests_counts(judge: Judge):
    base = {".assay/learned-rules.yml": "rules: [{id: 0123456789ab, text: old}, {id: other, text: else}]\n"}
    result = judged(judge, base, {"a.py": "print(2)\n"}, [NO_PRINT])
    assert [finding.message for finding in result.findings] == [
        "use the log, not `print` (asked for before: #3 by ann)"
    ]
    assert [note.what for note in result.not_checked] == ["1 learned rule without a check (`other`)"]


@pytest.mark.parametrize(("num_given", "num_filed", "num_over"), [(200, 0, 0), (203, 0, 3), (199, 2, 1)])
def test_rules_over_the_limit_are_named_as_not_checked(judge: Judge, num_given: int, num_filed: int, num_over: int):
    given = [NO_PRINT, *(LearnedRule(f"go{number}", "t", paths=("*.go",)) for number in range(num_given - 1))]
    filed = "".join(f"- {{id: filed{number}, text: t, paths: ['*.go']}}\n" for number in range(num_filed))
    base = {".assay/learned-rules.yml": f"rules:\n{filed}"} if filed else {"b.py": "x = 1\n"}
    result = judged(judge, base, {"a.py": "print(2)\n"}, given)
    assert said(result.findings) == ["warning learned_rules.0123456789ab a.py:1"]
    why = [f"{num_over} learned rules over the limit of 200"] if num_over else []
    assert [(one.what, one.why) for one in result.not_checked] == [("further learned rules", one) for one in why]


@pytest.mark.soak
def test_the_judging_process_is_handed_them(judge: Judge):
    base, head = judge.make({"a.py": "x = 1\n"}, {"a.py": "x = 1\nprint(2)\n"})
    request = ValidationRequest(
        str(judge.repository.path / ".git"),
        base,
        head,
        options=ValidationOptions((Tier.quality,), learned_rules=(NO_PRINT,)),
    )
    report = validate_isolated(request, deadline_s=60, memory_bytes=2 << 30)
    assert report.quality is not None
    assert "warning learned_rules.0123456789ab a.py:2" in said(report.quality.findings)


def test_where_a_check_matches_in_any_text():
    found = where_check_matches(LearnedCheck(CheckKind.regex, "x"), [("a.py", "# x\nx\n"), ("b.py", "y\n")])
    assert found == ((0, 2, 2),)
    call = LearnedCheck(CheckKind.ast_grep, language="Python", rule={"pattern": "f($$$)"})
    assert where_check_matches(call, [("a.py", "f(\n  1,\n)\n")]) == ((0, 1, 3),)


def test_a_check_that_cannot_be_carried_out_raises(tmp_path: Path):
    with pytest.raises(CouldNotRun, match="ast-grep failed"):
        where_check_matches(LearnedCheck(CheckKind.ast_grep, language="No", rule={"pattern": "f"}), [("a.py", "f\n")])


def test_old_places_are_counted_and_silence_no_rule(judge: Judge):
    base = {f"{number}.py": "print(1)\n" for number in range(6)}
    result = judged(judge, base, {"new.py": "print(2)\n"}, [NO_PRINT])
    (finding,) = result.findings
    assert (finding.file, finding.message.endswith("(and 6 old places)")) == ("new.py", True)


def test_two_rules_on_one_line_are_one_finding(judge: Judge):
    grave = replace(NO_PRINT, rule_id="bbbbbbbbbbbb", text="no print", severity=Severity.error, provenance="")
    result = judged(judge, {"a.py": ""}, {"a.py": "print(2)\n"}, [NO_PRINT, grave])
    assert said(result.findings) == ["error learned_rules.bbbbbbbbbbbb a.py:1"]
    assert result.findings[0].message == "no print; use the log, not `print` (asked for before: #3 by ann)"


def test_a_rule_about_paths_finds_files_that_a_change_adds_or_edits(judge: Judge):
    rule = LearnedRule("aaaaaaaaaaaa", "no .env", LearnedCheck(CheckKind.path, ".env*"))
    result = judged(judge, {".env": "A=1\n", "a.py": ""}, {".env": "A=2\n", "b/.env.local": "", "a.py": "1\n"}, [rule])
    assert {one.file for one in result.findings} == {".env", "b/.env.local"}


def test_rules_about_commits_and_titles(judge: Judge):
    rules = [
        LearnedRule("aaaaaaaaaaaa", "short", LearnedCheck(CheckKind.commit, "^.{5,}")),
        LearnedRule("bbbbbbbbbbbb", "no WIP", LearnedCheck(CheckKind.titled, r"(?i)\bwip\b")),
    ]
    judge.only("learned_rules")
    with judge.change({"a.py": "1\n"}, {"a.py": "2\n"}) as change:
        named = replace(change, pull_text="WIP: two\n\nbody wip")
        result = check.check_quality(named, ValidationConfig(), progress=Silent(), learned_rules=tuple(rules))
    assert [one.rule for one in result.findings if "title" in one.message] == ["learned_rules.bbbbbbbbbbbb"]
    assert all(one.file == "" for one in result.findings)


def test_advice_is_never_reported_as_unchecked(judge: Judge):
    result = judged(judge, {"a.py": ""}, {"a.py": "1\n"}, [replace(KIND, is_advice=True)])
    assert result.not_checked == ()


def test_of_many_files_every_third_is_sampled(judge: Judge):
    with judge.change({f"{number:03}.py": "" for number in range(401)}, {"000.py": "x = 1\n"}) as change:
        sample, num_all = _sample(change.base, NO_PRINT)
    assert (sample, num_all) == ([f"{number:03}.py" for number in range(0, 401, 3)], 401)
