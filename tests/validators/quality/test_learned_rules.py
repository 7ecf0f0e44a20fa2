"""Learned rules that come with the request."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from assay.validators import where_check_matches
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import CouldNotRun
from assay.validators.progress import Silent
from assay.validators.quality import check
from assay.validators.quality.inputs.learned_model import CheckKind, LearnedCheck, LearnedRule
from assay.validators.quality.learned.learned_rules import _sample
from assay.validators.report.model import QualityResult, Tier
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
    assert [note.what for note in result.not_checked] == ["learned_rules.other: else"]


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


def test_a_rule_with_few_files_in_the_base_does_not_spare_the_next_its_sample(judge: Judge):
    base = {"a.md": "x\n", **{f"{number}.py": "print(1)\n" for number in range(6)}}
    no_todo = LearnedRule("bbbbbbbbbbbb", "no TODO", LearnedCheck(CheckKind.regex, "TODO"), ("*.md",))
    result = judged(judge, base, {"a.md": "x\nTODO\n", "new.py": "print(2)\n"}, [no_todo, NO_PRINT])
    assert said(result.findings) == ["warning learned_rules.bbbbbbbbbbbb a.md:2"]
    assert [note.what for note in result.not_checked] == ["learned_rules.0123456789ab: use the log, not `print`"]


def test_of_many_files_every_third_is_sampled(judge: Judge):
    with judge.change({f"{number:02}.py": "" for number in range(81)}, {"00.py": "x = 1\n"}) as change:
        sample = _sample(change.base, NO_PRINT)
    assert sample == [f"{number:02}.py" for number in range(0, 81, 3)]
