"""An agent that regenerates the exam gets nothing in a secret run, and everything where the seed is public."""

from __future__ import annotations

import json
import os
import shutil
import stat
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from assay.cli.main import run
from assay.memory_eval import AgentOptions, EvalRunner, agent_from, kept_salt, new_salt, verify_report
from assay.memory_eval.adapters.isolation import Isolation
from assay.memory_eval.run.progress import silent
from tests.codes import code_of
from tests.memory_eval.integrity.adversary import NOTHING_PAYS
from tests.memory_eval.integrity.spied_runs import Spied, spied

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="there is no /proc")

IS_ROOT = os.geteuid() == 0
SYSTEM_PYTHON = shutil.which("python3", path="/usr/bin:/bin")
LOOKING = """
import json, os, sys
folder = os.environ["HOME"]
for line in sys.stdin:
    seen = []
    for name in ("environ", "maps", "mem", "fd", "cwd"):
        path = f"/proc/{os.getppid()}/{name}"
        try:
            os.readlink(path) if name == "cwd" else open(f"{path}/0" if name == "fd" else path, "rb").close()
            seen.append(name)
        except OSError:
            pass
    open(f"{folder}/note", "w").close()
    print(json.dumps({"ok": True, "answer": f"{os.getuid()} {os.getgroups()} {seen} {folder}"}), flush=True)
"""
READING = """
import json, os, sys
for line in sys.stdin:
    seen = []
    for name in sorted(os.listdir("{folder}")):
        try:
            open("{folder}/" + name).close()
            seen.append(name)
        except OSError:
            pass
    seen = [name for name in seen if name != "run.lock"]
    print(json.dumps({{"ok": True, "answer": " ".join(seen)}}), flush=True)
"""


def interrupting(phase: str, number: int) -> Callable[[str, int, int], None]:
    """Return a progress that interrupts the run at this point."""

    def draw(now: str, done: int, _out_of: int) -> None:
        if (now, done) == (phase, number):
            raise KeyboardInterrupt

    return draw


def learned_nothing(run: Spied) -> None:
    """Check a secret run: no score, nothing readable, no gold on disk before the end."""
    report = run.report
    assert report["overall_score"] <= NOTHING_PAYS
    assert (report["comparable"], report["why_not_comparable"], report["isolation"]) == (True, None, "same user")
    assert run.read == []
    assert not run.can_gain
    assert run.num_fds <= 4  # three pipes, and the listing itself
    on_disk = "\n".join(run.files.values())
    asked = report["results"][0]["question"]
    assert report["commitment"] in on_disk
    assert report["salt"] not in on_disk
    assert asked not in on_disk
    assert not any(len(one["expected"]) > 12 and one["expected"] in on_disk for one in report["results"])


@pytest.mark.soak
def test_a_secret_exam_cannot_be_regenerated_and_its_report_is_verified(tmp_path: Path):
    found = spied(tmp_path)
    learned_nothing(found)
    assert found.stdout.startswith(f"commitment: {found.report['commitment']}\n")
    assert found.report["salt"] in found.stdout
    assert run(["memory", "verify", str(tmp_path / "out" / "report.json")]) == 0


@pytest.mark.soak
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("num_turns", "num_questions"), [(100, 100), (1000, 200)])
@pytest.mark.parametrize("number", range(3))
def test_no_secret_exam_of_any_size_can_be_regenerated(tmp_path: Path, num_turns: int, num_questions: int, number: int):
    learned_nothing(spied(tmp_path, num_turns=num_turns, num_questions=num_questions))


@pytest.mark.soak
@pytest.mark.parametrize("seed", [42, pytest.param(0xA3C19F00D5E8B7261F4D9C3B, marks=pytest.mark.soak)])
def test_a_public_seed_is_regenerated_and_not_comparable(tmp_path: Path, seed: int):
    found = spied(tmp_path, "--seed", str(seed))
    assert found.report["overall_score"] >= 0.95
    assert found.report["comparable"] is False
    assert found.report["why_not_comparable"].startswith("public seed")
    assert "Not comparable: public seed" in found.stdout
    assert found.report["salt"] is found.report["commitment"] is None


@pytest.mark.soak
@pytest.mark.skipif(not IS_ROOT, reason="only root starts a process that reads all others")
def test_an_agent_of_root_reads_this_process_and_is_not_comparable(tmp_path: Path):
    scores = []
    for number in range(3):  # the spy recognizes about 99 of 100 keys in memory
        (folder := tmp_path / str(number)).mkdir()
        found = spied(folder, as_root=True)
        if "mem" not in found.read:
            pytest.skip("this root lacks the capability")
        assert found.report["isolation"] == "root"
        assert found.report["comparable"] is False
        scores.append(found.report["overall_score"])
        if scores[-1] >= 0.95:
            break
    assert max(scores) >= 0.95


@pytest.mark.skipif(not IS_ROOT or SYSTEM_PYTHON is None, reason="only root starts a process of another user")
def test_an_agent_of_another_user_has_a_folder_and_reads_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", "/tmp")  # that of the tests is closed to other users
    command = (str(SYSTEM_PYTHON), "-c", LOOKING)
    agent = agent_from("subprocess", AgentOptions(command=command, agent_user="nobody"))
    report = EvalRunner(num_turns=20, num_questions=2, salt=new_salt()).run(agent)
    uid, groups, seen, folder = report.results[0].answer.split(" ", 3)
    agent.close()
    assert (uid != "0", groups, seen) == (True, "[]", "[]")
    assert Path(folder).stat().st_uid == int(uid)
    assert stat.S_IMODE(Path(folder).stat().st_mode) == 0o700
    assert (report.isolation, report.comparable) == (Isolation.other_user, True)
    del agent
    assert not Path(folder).exists()


@pytest.mark.skipif(not IS_ROOT or SYSTEM_PYTHON is None, reason="only root starts a process of another user")
def test_a_run_of_another_user_is_resumed_from_files_it_cannot_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tempfile.tempdir", "/tmp")
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        options = AgentOptions(command=(str(SYSTEM_PYTHON), "-c", READING.format(folder=folder)), agent_user="nobody")
        runner = EvalRunner(20, 5, output_dir=folder, salt=new_salt(), progress=interrupting("asking", 3))
        with pytest.raises(KeyboardInterrupt), closing(agent_from("subprocess", options)) as agent:
            runner.run(agent)
        kept = {one.name: stat.S_IMODE(one.stat().st_mode) for one in Path(folder).iterdir()}
        assert (kept["salt"], kept["results.jsonl"]) == (0o600, 0o600)
        assert kept_salt(Path(folder)) == runner.salt
        with closing(agent_from("subprocess", options)) as agent:
            report = replace(runner, resume=True, progress=silent).run(agent)
        assert {one.answer for one in report.results} == {"commitments learned.jsonl run.json"}
        assert len((Path(folder) / "commitments").read_text("utf-8").split()) == 1
    assert (report.comparable, verify_report(report)) == (True, [])


def test_a_baseline_is_resumed_and_an_agent_of_the_same_user_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    for name, code in (("baseline:bm25", 0), ("subprocess:cat", 2)):
        folder = tmp_path / name[:4]
        with closing(agent_from(name)) as agent, suppress(KeyboardInterrupt):
            EvalRunner(20, 5, output_dir=folder, salt=new_salt(), progress=interrupting("learning", 3)).run(agent)
        (begun,) = (folder / "commitments").read_text("utf-8").split()
        asked = ["memory", "run", "--turns", "20", "--questions", "5", "--adapter", name, "--output-dir", str(folder)]
        if code == 0:
            assert run([*asked, "--resume", "--questions", "4"]) == 2
            assert code_of(capsys.readouterr().err.removeprefix("assay: ")) == "run.other-settings"
        assert run([*asked, "--resume"]) == code
        told = capsys.readouterr()
        assert (f"commitment: {begun}" in told.out) == (code == 0)
        assert ("memory.secret-resume" in told.err) == (code == 2)


def test_an_object_of_this_process_is_not_comparable():
    class Mine:
        def learn(self, content: str) -> None:
            """Keep nothing."""

        def answer(self, question: str) -> str:
            return "?"

    salt = new_salt()
    runner = EvalRunner(num_turns=20, num_questions=2, salt=salt)
    assert salt.hex() not in repr(runner)
    assert repr(salt) not in repr(runner)
    report = runner.run(Mine())
    assert (report.isolation, report.comparable) == ("in process", False)
    assert report.salt == salt.hex()


def test_exams_begun_before_in_the_folder_are_noted(tmp_path: Path):
    asked = ["memory", "run", "--turns", "20", "--questions", "2", "--adapter", "baseline:nothing"]
    notes = []
    for _ in range(2):
        assert run([*asked, "--output-dir", str(tmp_path)]) == 0
        notes.append(json.loads((tmp_path / "report.json").read_text("utf-8"))["notes"][1:])
    assert notes == [[], ["1 other secret exam was begun in this folder before this one"]]
    assert len((tmp_path / "commitments").read_text("utf-8").split()) == 2
