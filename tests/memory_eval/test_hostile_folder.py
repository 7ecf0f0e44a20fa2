"""A run's folder, or a report's, in which somebody put links and lines of their own: nothing outside it is touched."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

from assay.cli.display.outputs import write
from assay.cli.main import run
from assay.memory_eval import EvalRunner, ExamUsageError, WorldUnreadable, generate_dialogue, generate_questions
from assay.memory_eval.exam.folder import write_exam
from assay.memory_eval.files import lines_of, write_atomically
from assay.memory_eval.run.run_folder import RunFolder
from tests.memory_eval.examined_agents import Good
from tests.memory_eval.exams import small_exam


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    file = tmp_path / "outside.txt"
    file.write_text("mine, and no line end")
    return file


@pytest.mark.parametrize(
    "name", ["results.jsonl", "learned.jsonl", "run.lock", ".run.json.{pid}.tmp", ".results.jsonl.{pid}.tmp"]
)
def test_a_run_writes_through_no_link(tmp_path: Path, outside: Path, name: str):
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / name.format(pid=os.getpid())).symlink_to(outside)
    with contextlib.suppress(ExamUsageError):  # refused, or written beside it
        EvalRunner(world=small_exam(), output_dir=folder).run(Good())
    assert outside.read_text() == "mine, and no line end"


@pytest.mark.parametrize("name", ["results.jsonl", "learned.jsonl"])
def test_a_resumed_run_cuts_nothing_off_a_file_elsewhere(tmp_path: Path, outside: Path, name: str):
    folder = tmp_path / "out"
    EvalRunner(world=small_exam(), output_dir=folder).run(Good())
    (folder / name).unlink()
    (folder / name).symlink_to(outside)
    with pytest.raises(ExamUsageError, match=r"file\.not-written"):
        EvalRunner(world=small_exam(), output_dir=folder, resume=True).run(Good())
    assert outside.read_text() == "mine, and no line end"
    with pytest.raises(OSError, match="symbolic link"):
        list(lines_of(folder / name))


@pytest.mark.parametrize(
    "line", ['{"saved_after": "/../../elsewhere"}', '{"saved_after": -3}', '{"saved_after": true}']
)
def test_where_an_agents_memory_lies_is_not_for_a_line_to_say(tmp_path: Path, line: str):
    (tmp_path / "learned.jsonl").write_text(line + "\n")
    with pytest.raises(WorldUnreadable, match=r"learned\.jsonl:1"):
        RunFolder(tmp_path).read_back()


@pytest.mark.parametrize("record", ["", "none", "[]", "[" * 200_000], ids=["empty", "text", "list", "deep"])
def test_a_record_that_is_none_is_named(tmp_path: Path, record: str):
    (tmp_path / "run.json").write_text(record)
    with pytest.raises(WorldUnreadable, match=r"file\.not-an-object: .*run\.json"):
        EvalRunner(world=small_exam(), output_dir=tmp_path, resume=True).run(Good())


@pytest.mark.parametrize("score", ["7.0", "-1", "NaN", "1e999"])
def test_a_score_that_cannot_be_is_not_taken_up(tmp_path: Path, score: str):
    folder = tmp_path / "out"
    EvalRunner(world=small_exam(), output_dir=folder).run(Good())
    lines = (folder / "results.jsonl").read_text().splitlines()
    first = json.loads(lines[0]) | {"score": "HERE"}
    (folder / "results.jsonl").write_text("\n".join([json.dumps(first).replace('"HERE"', score), *lines[1:]]) + "\n")
    with pytest.raises(WorldUnreadable, match=r"results\.jsonl:1"):
        EvalRunner(world=small_exam(), output_dir=folder, resume=True).run(Good())


def test_a_file_is_put_into_place_beside_a_link_and_not_through_it(tmp_path: Path, outside: Path):
    (tmp_path / f".run.json.{os.getpid()}.tmp").symlink_to(outside)
    write_atomically(tmp_path / "run.json", [b"{}\n"])
    (tmp_path / f".report.json.{os.getpid()}.tmp").symlink_to(outside)
    write(str(tmp_path / "report.json"), "{}")
    world = tmp_path / "world"
    world.mkdir()
    (world / f".turns.jsonl.{os.getpid()}.tmp").symlink_to(outside)
    ground_truth = generate_dialogue(num_turns=20, seed=1)
    write_exam(world, ground_truth, generate_questions(ground_truth, num_questions=2), 1, force=True)
    assert outside.read_text() == "mine, and no line end"
    assert not (tmp_path / "report.json").is_symlink()


def test_a_dataset_is_built_beside_links_and_not_through_them(tmp_path: Path, outside: Path):
    folder = tmp_path / "out"
    assert run(["memory", "run", "--turns", "30", "--questions", "4", "--adapter", "baseline:bm25",
                "--output-dir", str(folder)]) == 0  # fmt: skip
    dist = tmp_path / "dist"
    dist.mkdir()
    (tmp_path / "memory.txt").write_text("a memory")
    names = ("d.tar.gz.sha256", f".datasets.json.{os.getpid()}.tmp", f".d.tar.gz.{os.getpid()}.tmp")
    for name in names:
        (dist / name).symlink_to(outside)
    assert run(["memory", "build-dataset", "d", "--memory", str(tmp_path / "memory.txt"),
                "--report", str(folder / "report.json"), "--output-dir", str(dist)]) == 0  # fmt: skip
    assert outside.read_text() == "mine, and no line end"
