"""`assay rules compare`: a line for each pair, in order, offline; a bad line is named by its number."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import run

PAIRS: list[dict[str, Any]] = [
    {"a": "don't use any", "b": "please use proper TypeScript types instead of any", "id": 7, "why": "overwritten"},
    {"a": "nit: this is redundant", "b": "don't use any", "nested": {"kept": ["\u00e9", None]}},
    {"a": "use early returns", "b": "one return at the end, no early returns", "rule_a": "overwritten"},
]


def compared(tmp_path: Path, *lines: str) -> tuple[int, Path]:
    source, target = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_text("\n".join(lines), "utf-8")
    return run(["rules", "compare", "--pairs", str(source), "-o", str(target)]), target


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
    assert run(["rules", "compare", "--pairs", str(source)]) == 0
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
    assert run(["rules", "compare", "--pairs", str(source), "-o", str(target)]) == 2
    error = capsys.readouterr().err
    assert f"{source}:2: " in error
    assert said in error
    assert not target.exists()


def test_a_file_that_is_not_there_is_a_matter_of_usage(tmp_path):
    assert run(["rules", "compare", "--pairs", str(tmp_path / "none")]) == 2


@pytest.mark.soak
def test_300_pairs_take_less_than_a_minute_without_network_key_or_database(tmp_path):
    """In a process that has no environment and may not connect anywhere."""
    source, target = tmp_path / "pairs.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps({**PAIRS[n % 3], "n": n}) + "\n" for n in range(300)), "utf-8")
    script = (
        "import socket, sys\ndef refuse(*_): raise AssertionError('a connection')\n"
        "socket.socket.connect = refuse\nsocket.getaddrinfo = refuse\n"
        "from assay.cli.main import run\nsys.exit(run(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, "rules", "compare", "--pairs", str(source), "-o", str(target)],
        cwd=tmp_path,
        env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [json.loads(line)["n"] for line in target.read_text().splitlines()] == list(range(300))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.jsonl", "pairs.jsonl"]
