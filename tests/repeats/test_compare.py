"""`python -m tests.repeats compare`: a line for each pair, in order, offline; a bad line is named by its number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from tests.repeats.__main__ import repeats

PAIRS: list[dict[str, Any]] = [
    {"a": "don't use any", "b": "please use proper TypeScript types instead of any", "id": 7, "why": "overwritten"},
    {"a": "nit: this is redundant", "b": "don't use any", "nested": {"kept": ["\u00e9", None]}},
    {"a": "use early returns", "b": "one return at the end, no early returns", "rule_a": "overwritten"},
]


def compared(tmp_path: Path, *lines: str) -> tuple[int, Path]:
    source, target = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    return run(["compare", "--pairs", str(source), "-o", str(target)], repeats), target


def test_each_pair_has_its_line_in_order_with_its_other_keys(tmp_path):
    code, target = compared(tmp_path, *map(json.dumps, PAIRS))
    answers = [json.loads(line) for line in target.read_text().splitlines()]
    assert code == 0
    assert [answer["same"] for answer in answers] == [True, False, False]
    assert answers[0]["id"] == 7
    assert answers[1]["nested"] == PAIRS[1]["nested"]
    assert answers[0]["rule_a"] == answers[0]["rule_b"] == "Rule: use explicit types, not `any`"
    assert (answers[1]["rule_a"], answers[1]["score"]) == (None, 0.0)
    assert all(answer["why"] and answer["why"] != "overwritten" for answer in answers)
    same = [answer["score"] for answer in answers if answer["same"]]
    assert min(same) > max(answer["score"] for answer in answers if not answer["same"])


def test_without_a_file_the_answers_go_to_standard_output(tmp_path, capsysbinary):
    source = tmp_path / "pairs.jsonl"
    source.write_text(json.dumps(PAIRS[0]) + "\n\n", "utf-8")
    assert run(["compare", "--pairs", str(source)], repeats) == 0
    assert json.loads(capsysbinary.readouterr().out)["same"] is True


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        ("{", "not JSON"),
        ("[1]", "not a JSON object"),
        ('{"a": "x"}', "text 'b' is missing"),
        ('{"a": 1, "b": "x"}', "text 'a' is missing"),
        ("[" * 100_000, "not JSON"),
        ('{"a": "\udcff"}', "not UTF-8"),
        ('{"a": "x", "b": "y", "weight": NaN}', "not JSON"),
        ('{"a": "x", "b": "y", "weight": 1e999}', "not JSON"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_written(tmp_path, capsys, bad, said):
    source, target = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(b"\n".join([json.dumps(PAIRS[0]).encode(), bad.encode("utf-8", "surrogateescape")]))
    assert run(["compare", "--pairs", str(source), "-o", str(target)], repeats) == 2
    error = capsys.readouterr().err
    assert f"{source}:2: " in error
    assert said in error
    assert not target.exists()


def test_a_file_that_is_not_there_is_a_matter_of_usage(tmp_path):
    assert run(["compare", "--pairs", str(tmp_path / "none")], repeats) == 2
