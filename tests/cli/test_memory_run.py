"""`assay memory run` and `compare`: real agents, from the first turn to the files of the report."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.llm.prices import price_of
from tests.examples import sampled

SMALL = ["--turns", "60", "--questions", "12"]
FILES = {"report.json", "report.md", "report.html", "results.jsonl"}
AGENT = '''
import os


class Agent:
    """Remembers every turn, and answers with the one that shares most words."""

    def __init__(self, model="none"):
        self.turns, self.model = [], model

    def learn(self, content):
        self.turns.append(content)

    def answer(self, question):
        words = set(question.lower().split())
        best = max(self.turns, key=lambda turn: len(words & set(turn.lower().split())), default="")
        return {"answer": best[:60], "tokens_in": 1000, "tokens_out": 0}

    def reset(self):
        self.turns = []

    def stats(self):
        return {"entries": len(self.turns), "model": self.model, "from_env": os.environ.get("ASSAY_AGENT_MODEL", "")}
'''


class Handler(BaseHTTPRequestHandler):
    """An agent that knows nothing, over HTTP; it fails every call where its server is told to."""

    def do_POST(self) -> None:
        length = int(self.headers["Content-Length"] or 0)
        self.rfile.read(length)
        is_broken = self.server.is_broken and self.path == "/answer"  # type: ignore[attr-defined]
        body = b"{}" if self.path != "/answer" else b'{"answer": "You never told me that.", "confidence": 0.5}'
        self.send_response(500 if is_broken else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
        pass


@pytest.fixture
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.is_broken = False  # type: ignore[attr-defined]
    threading.Thread(target=made.serve_forever, args=(0.01,), daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


def url(server: ThreadingHTTPServer) -> str:
    return f"http://127.0.0.1:{server.server_port}"


def report(folder: Path) -> dict:
    data: dict = json.loads((folder / "report.json").read_text("utf-8"))
    return data


def test_an_agent_over_http_is_examined_and_every_file_written(
    tmp_path: Path, server: ThreadingHTTPServer, capsys: pytest.CaptureFixture[str]
):
    asked = ["memory", "run", *SMALL, "--agent-url", url(server), "--output-dir", str(tmp_path)]
    assert run([*asked, "--baseline", "nothing", "--baseline", "bm25"]) == 0
    assert {path.name for path in tmp_path.iterdir()} >= FILES
    data = report(tmp_path)
    assert data["num_turns"] == 60
    assert len(data["results"]) == 12
    assert [one["name"] for one in data["baselines"]] == ["nothing", "bm25"]
    assert data["baselines"][0]["overall_score"] == data["overall_score"]
    low, high = data["measured"]["intervals"]["overall"]
    assert low <= data["overall_score"] <= high
    lines = (tmp_path / "results.jsonl").read_text("utf-8").splitlines()
    assert {json.loads(line)["question_id"] for line in lines} == {one["question_id"] for one in data["results"]}
    shown = capsys.readouterr()
    assert "CATEGORY BREAKDOWN" in shown.out
    assert "baseline bm25:" in shown.out
    assert "\x1b" not in shown.err


def test_a_python_agent_lives_in_its_folder_and_is_told_its_model(tmp_path: Path):
    (tmp_path / "mine.py").write_text(AGENT)
    asked = ["memory", "run", *SMALL, "--adapter", "python:mine:Agent", "--python-path", str(tmp_path)]
    model = "claude-haiku-5-5"
    assert run([*asked, "--model", model, "--output-dir", str(tmp_path / "out")]) == 0
    data = report(tmp_path / "out")
    assert data["memory_stats"] == {"entries": 60, "model": model, "from_env": model}
    price = price_of(model)
    assert price is not None
    assert data["measured"]["cost_usd"] == pytest.approx(12 * 1000 * price.input / 1e6)
    assert "mine" not in sys.modules


@pytest.mark.soak
def test_an_agent_that_fails_every_call_makes_the_run_invalid(
    tmp_path: Path, server: ThreadingHTTPServer, capsys: pytest.CaptureFixture[str]
):
    server.is_broken = True  # type: ignore[attr-defined]
    asked = ["memory", "run", *SMALL, "--adapter", "http", "--agent-url", url(server), "--output-dir", str(tmp_path)]
    assert run([*asked, "--timeout", "5"]) == 3
    data = report(tmp_path)
    assert data["valid"] is False
    assert " 12 calls" in data["why_invalid"]
    assert "Invalid run" in capsys.readouterr().out
    assert "invalid run" in (tmp_path / "report.md").read_text("utf-8")


@pytest.mark.soak
def test_a_run_is_taken_up_again_where_it_ended(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "run", *SMALL, "--seed", "42", "--adapter", "baseline:nothing", "--output-dir", str(tmp_path)]
    assert run(asked) == 0
    first = report(tmp_path)
    lines = (tmp_path / "results.jsonl").read_text("utf-8").splitlines(keepends=True)
    (tmp_path / "results.jsonl").write_text("".join(lines[: len(lines) // 2]), "utf-8")
    assert run([*asked, "--resume"]) == 0
    again = report(tmp_path)
    assert again["overall_score"] == first["overall_score"]
    assert [one["question_id"] for one in again["results"]] == [one["question_id"] for one in first["results"]]
    assert run([*asked, "--resume", "--seed", "7"]) == 2
    assert "run.other-settings" in capsys.readouterr().err


def test_a_world_of_your_own_is_examined(tmp_path: Path):
    (tmp_path / "turns.yaml").write_text("- Sarah Chen is allergic to shellfish.\n- Atlas is led by Omar.\n")
    (tmp_path / "questions.yaml").write_text("- {text: Who leads Atlas?, expected_answer: Omar, category: projects}\n")
    asked = ["memory", "run", "--adapter", "baseline:bm25", "--world", str(tmp_path)]
    assert run([*asked, "--output-dir", str(tmp_path / "out")]) == 0
    data = report(tmp_path / "out")
    assert (data["num_turns"], data["num_questions"], data["seed"]) == (2, 1, None)
    assert data["category_breakdown"][0]["category"] == "projects"


@pytest.mark.soak
def test_a_drawn_world_is_the_same_examination_as_its_seed(tmp_path: Path):
    assert run(["memory", "world", *SMALL, "--seed", "9", "-o", str(tmp_path / "w")]) == 0
    scores = []
    for source in (["--world", str(tmp_path / "w")], [*SMALL, "--seed", "9"]):
        assert run(["memory", "run", "--adapter", "baseline:bm25", *source, "--output-dir", str(tmp_path / "o")]) == 0
        scores.append([(one["question_id"], one["score"]) for one in report(tmp_path / "o")["results"]])
    assert scores[0] == scores[1]


def test_a_memory_on_disk_is_examined_as_it_lies_there(tmp_path: Path):
    (tmp_path / "CLAUDE.md").write_text("# Notes\n\nSarah Chen is allergic to shellfish.\n")
    asked = ["memory", "run", *SMALL, "--seed", "42", "--skip-learning", "--load-db", str(tmp_path / "CLAUDE.md")]
    assert run([*asked, "--adapter", "learning-agent", "--output-dir", str(tmp_path / "out")]) == 0
    assert "snapshot" in report(tmp_path / "out")["agent"]


@pytest.mark.soak
def test_a_python_class_may_be_taught_beside_the_store_it_is_given(tmp_path: Path):
    storing = "import json\n" + AGENT.replace(
        'model="none"):', 'storage_path, model="none"):\n        self.store = storage_path'
    )
    (tmp_path / "mine.py").write_text(
        storing + "\n    def close(self):\n        json.dump(self.turns, open(self.store, 'w'))\n"
    )
    asked = ["memory", "run", *SMALL, "--adapter", "python:mine:Agent", "--python-path", str(tmp_path)]
    assert run([*asked, "--load-db", str(tmp_path / "store"), "--output-dir", str(tmp_path / "out")]) == 0
    assert len(json.loads((tmp_path / "store").read_text())) == 60


@pytest.mark.parametrize(
    "asked",
    sampled(
        [
            "--turns 100 --questions 20",
            (
                "--turns 60 --questions 10 --model claude-sonnet-4-6"
                " --grader-model claude-haiku-4-5-20251001 --output-dir OUT"
            ),
            "--turns 60 --questions 20 --grader-votes 5 --seed 42",
            "--turns 60 --segment-size 30 --questions 10",
            "--turns 60 --questions 10 --parallel-workers 10",
        ],
        2,
    ),
)
def test_the_known_command_lines_work_as_they_are(tmp_path: Path, capsys: pytest.CaptureFixture[str], asked: str):
    assert run(["memory", "run", *asked.replace("OUT", str(tmp_path)).split()]) == 0
    shown = capsys.readouterr()
    assert "baseline:bm25" in shown.err
    assert "Answers: " in shown.out


def test_an_agent_that_is_not_here_is_never_replaced(capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "run", *SMALL, "--adapter", "learning-agent"]
    assert run(asked) == 2
    assert "--agent-url, --model or --load-memory" in capsys.readouterr().err
    assert run([*asked, "--model", "claude-sonnet-4-6"]) == 3
    assert "amplihack is not installed: pip install 'amplihack'" in capsys.readouterr().err


def test_every_known_option_is_in_force(tmp_path: Path):
    asked = "--turns 60 --questions 12 --seed 7 --grader-votes 5 --segment-size 20 --parallel-workers 3"
    assert run(["memory", "run", *asked.split(), "--output-dir", str(tmp_path / "out")]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert (report["num_turns"], report["num_questions"], report["seed"], report["grader_votes"]) == (60, 12, 7, 5)
    assert len(report["results"]) == 12
    # BM25 is in this process and answers one question at a time: both options say so.
    assert sorted(note.partition(" ")[0] for note in report["notes"]) == ["--parallel-workers", "segments"]


@pytest.mark.soak
def test_the_module_is_the_command(tmp_path: Path):
    asked = [sys.executable, "-P", "-m", "assay.memory_eval", *SMALL, "--adapter", "baseline:nothing"]
    done = subprocess.run([*asked, "--fail-under", "0.9"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "CATEGORY BREAKDOWN" in done.stdout


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--turns", "0"], "0 is not in the range"),
        (["--turns", "-5"], "-5 is not in the range"),
        (["--questions", "0"], "0 is not in the range"),
        (["--turns", "20", "--questions", "5000"], "5000 questions were asked for and a dialogue of 20 turns carries"),
        (["--adapter", "telepathy"], "unknown adapter 'telepathy'; supported: baseline"),
        (["--adapter", "http"], "needs the address of the agent"),
        (["--adapter", "python:nosuch"], "needs `python:module:Class`"),
        (["--adapter", "python:a:B", "--python-path", "nowhere"], "nowhere is not a folder"),
        (["--adapter", "subprocess:cat", "--env", "NO_SUCH_NAME"], "NO_SUCH_NAME is to be passed on"),
        (["--world", "nowhere"], "nowhere: no such folder"),
        (["--baseline", "best"], "'best' is not one of"),
        (["--grading", "kindly"], "'kindly' is not one of"),
        (["--grader-votes", "0"], "0 is not in the range"),
        (["--segment-size", "0"], "0 is not in the range"),
        (["--parallel-workers", "0"], "0 is not in the range"),
        (["--timeout", "0"], "0.0 is not in the range"),
        (["--fail-under", "70"], "expected FIGURE=NUMBER, 0 to 1"),
        (["--resume", "--seed", "42"], "--resume needs the --output-dir"),
        (["--skip-learning", "--adapter", "baseline:bm25"], "memory.secret-untaught"),
        (["--skip-learning"], "--skip-learning needs an agent with a memory"),
        (["--load-memory", "nowhere", "--skip-learning"], "nowhere: no such file or folder"),
        (["--load-memory", "nowhere"], "cannot be combined with learning: add --skip-learning"),
        (["--load-db", "nowhere", "--adapter", "baseline:bm25"], "with learning: add --skip-learning"),
        (["--output-dir", "/proc/none"], "/proc/none: cannot be written"),
        (["--nonsense"], "No such option"),
    ],
)
def test_what_makes_no_sense_exits_with_two(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], asked: list[str], said: str
):
    monkeypatch.chdir(tmp_path)
    assert run(["memory", "run", "--turns", "20", "--questions", "3", *asked]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert "internal error" not in error


def test_who_is_examined_is_said_once_and_what_does_not_reach_it_too(capsys: pytest.CaptureFixture[str]):
    assert run(["memory", "compare", "--seeds", "1,2", *SMALL, "--model", "some-model"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(";")[0] for line in lines] == [
        "assay: no --adapter given",
        "assay: --model has no effect on baseline:bm25: it needs a python or subprocess agent",
    ]


def test_known_command_lines_reach_the_agent_they_point_at(capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "run", *SMALL, "--adapter", "learning-agent", "--agent-url", "http://127.0.0.1:9"]
    assert run(asked) == 3
    assert "http://127.0.0.1:9 cannot be made to forget" in capsys.readouterr().err


@pytest.mark.soak
def test_who_interrupts_a_run_is_told_how_it_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assay.memory_eval.adapters.baseline_agent.Retrieving.answer", interrupt)
    asked = ["memory", "run", *SMALL, "--adapter", "baseline:bm25"]
    assert run(asked) == 130
    assert "the secret exam is lost" in capsys.readouterr().err
    asked += ["--seed", "42"]
    assert run(asked) == 130
    assert "--resume" not in capsys.readouterr().err
    assert run([*asked, "--output-dir", str(tmp_path)]) == 130
    assert f"partial results are in {tmp_path}; add --resume to continue" in capsys.readouterr().err
    monkeypatch.undo()
    assert run([*asked, "--output-dir", str(tmp_path), "--resume"]) == 0


# ------------------------------------------------------------------ comparing


def test_several_seeds_are_examined_and_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    asked = ["memory", "compare", "--seeds", "42,123", *SMALL, "--adapter", "baseline:bm25"]
    assert run([*asked, "--output-dir", str(tmp_path)]) == 0
    merged = report(tmp_path)
    each = [report(tmp_path / f"seed-{seed}") for seed in (42, 123)]
    assert merged["num_questions"] == 24
    assert merged["overall_score"] == pytest.approx(sum(one["overall_score"] for one in each) / 2, rel=0.02)
    assert {one["question"] for one in each[0]["results"]}.isdisjoint(one["question"] for one in each[1]["results"])
    shown = capsys.readouterr().out
    assert "seed 42:" in shown
    assert "95% interval" in shown


@pytest.mark.soak
def test_two_reports_are_compared_by_their_questions(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name in ("nothing", "bm25"):
        size = ["--turns", "100", "--questions", "60", "--seed", "42"]
        asked = ["memory", "run", *size, "--adapter", f"baseline:{name}"]
        assert run([*asked, "--output-dir", str(tmp_path / name)]) == 0
    before, after = (str(tmp_path / name / "report.json") for name in ("bm25", "nothing"))
    capsys.readouterr()
    assert run(["memory", "compare", before, after]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("worse: ")
    assert "LOST MOST" in shown
    assert run(["memory", "compare", before, after, "--fail-on-worse"]) == 1
    for suffix in ("json", "md", "txt"):
        assert run(["memory", "compare", before, after, "-o", str(tmp_path / f"c.{suffix}")]) == 0
    assert json.loads((tmp_path / "c.json").read_text("utf-8"))["verdict"] == "worse"
    assert (tmp_path / "c.md").read_text("utf-8").startswith("# Memory comparison: worse")
    assert run(["memory", "compare", before, after, "-o", str(tmp_path / "c.docx")]) == 2
