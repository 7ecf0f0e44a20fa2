"""`python -m tests.repeats replay`: alarms per 100 comments, a sample to judge, and the share that is right."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run
from tests.repeats.__main__ import repeats

TENANT = "Please pass the tenant to every query."


def stream(folder: Path) -> Path:
    told = [TENANT, "nice!", TENANT, "Why did this change?", "Please sort the imports.", TENANT]
    file = folder / "comments.jsonl"
    lines = [
        json.dumps({"body": body, "author": "bo", "pull": pull, "created_at": f"2026-01-{pull:02}T00:00:00Z"})
        for pull, body in enumerate(told, 1)
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def rules(folder: Path) -> Path:
    file = folder / "rules.json"
    rule = {"text": "Pass the tenant to every query"}
    file.write_text(json.dumps({"assay_rules": 1, "rules": [rule]}), encoding="utf-8")
    return file


def replayed(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    assert run(["replay", *map(str, arguments), "--format", "json"], repeats) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    return document


def test_a_repeat_of_a_confirmed_rule_is_public_and_its_first_comment_is_none(tmp_path, capsys):
    found = replayed(capsys, stream(tmp_path), "--rules", rules(tmp_path))
    assert found["num_comments"] == 6
    assert found["public"]["num"] == 2
    assert found["public"]["per_100_comments"] == pytest.approx(33.33)
    assert found["public"]["precision"] is None


def test_without_confirmed_rules_there_is_nothing_to_repeat(tmp_path, capsys):
    found = replayed(capsys, stream(tmp_path))
    assert (found["public"]["num"], found["queue"]["num"]) == (0, 0)


def test_judgements_are_kept_by_rule_and_comment(tmp_path, capsys):
    file, known, sample = stream(tmp_path), rules(tmp_path), tmp_path / "sample.jsonl"
    assert run(["replay", str(file), "--rules", str(known), "--sample", "5", "-o", str(sample)], repeats) == 0
    lines = [json.loads(line) for line in sample.read_text().splitlines()]
    assert [(one["join"], one["pull"], one["right"]) for one in lines] == [("public", 3, None), ("public", 6, None)]
    assert lines[0]["first"] == TENANT
    sample.write_text("".join(json.dumps({**one, "right": True}) + "\n" for one in lines))
    capsys.readouterr()
    found = replayed(capsys, file, "--rules", known, "--judged", sample)
    assert (found["public"]["num_judged"], found["public"]["num_right"], found["public"]["precision"]) == (2, 2, 1.0)
    assert 0 < found["public"]["precision_low"] < found["public"]["precision_high"] <= 1


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"key": 3}', '{"key": "a", "right": "yes"}'])
def test_a_bad_judgement_is_named_by_its_line(tmp_path, capsys, line):
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n" + line, encoding="utf-8")
    assert run(["replay", str(stream(tmp_path)), "--judged", str(bad)], repeats) == 2
    assert f"{bad}:2" in capsys.readouterr().err


def test_a_sample_needs_a_file(tmp_path):
    assert run(["replay", str(stream(tmp_path)), "--sample", "3"], repeats) == 2


def test_a_file_that_holds_no_rules_is_refused(tmp_path, capsys):
    bad = tmp_path / "rules.json"
    bad.write_text("{}", encoding="utf-8")
    assert run(["replay", str(stream(tmp_path)), "--rules", str(bad)], repeats) == 2
    assert str(bad) in capsys.readouterr().err
