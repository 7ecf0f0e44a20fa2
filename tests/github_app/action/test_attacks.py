"""The second stage under attack, all three steps on the tests' GitHub: nothing is published that should not be.

Each attack is an artifact of a fork's run. What stands on GitHub afterwards is compared with what stands there when the
run left no artifact at all: Tiers 2 and 3 are always published, and no artifact makes the verdict better.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.action.steps import steps
from assay.action.steps.steps import NOTHING_TO_VALIDATE
from assay.github.client import Clock, pacing
from assay.validators import UNTRUSTED_RUN, Gate, Outcome, ToolKind, ToolRun
from tests.fakes.github import FakeGitHub
from tests.github_app.action.archives import ARCHIVES, Zip
from tests.github_app.action.jobs import environment
from tests.github_app.action.posted import changed, document, packed
from tests.github_app.action.test_artifact import CASES, _body
from tests.github_app.action.test_second_stage import MAY, WORKFLOW
from tests.github_app.github.scripted import Reply, Scripted
from tests.github_app.github.test_artifacts import endless, streaming
from tests.repositories import RealRepository

MORE = "".join(f"def part_{number}(x):\n    return x + {number}\n\n\n" for number in range(20))
SLOW = ("a gigabyte of zeros",)  # three seconds to make; `test_archive.py` has it
EVIL = "pwned"


@dataclass
class Attacked:
    """A fork's pull request that was fetched and validated; its run's artifact is still to be chosen."""

    github: FakeGitHub
    env: dict[str, str]
    folder: Path
    run: int
    number: int
    head: str
    other: int
    other_head: str

    def leave(self, archive: bytes, **more: Any) -> None:
        """The run's one artifact."""
        self.github.state.artifacts.clear()
        self.github.artifact(self.run, "assay-tools", archive, **more)

    def publish(self) -> dict[str, Any]:
        """The last step; what stands there then."""
        for name in ("output", "summary"):
            (self.folder / name).unlink(missing_ok=True)
        code = steps.publish(self.env)
        (check,) = self.github.check_runs(self.head, name="Assay")
        lines = (self.folder / "output").read_text().splitlines()
        outputs = dict(line.split("=", 1) for line in lines)
        assert len(outputs) == len(lines)
        return {
            "code": code,
            "conclusion": check["conclusion"],
            "output": check["output"],
            "labels": self.github.labels(self.number),
            "outputs": outputs,
            "summary": (self.folder / "summary").read_text(),
            "comments": [one["body"] for one in self.github.comments(self.number)],
        }

    def nobody_else_was_told(self) -> None:
        """The other pull request, and the other repository's head, are as they were."""
        assert self.github.check_runs(self.other_head) == []
        assert self.github.labels(self.other) == []
        assert self.github.comments(self.other) == []
        assert self.github.violations == []


@pytest.fixture
def attacked(
    github: FakeGitHub, repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Attacked:
    monkeypatch.setattr(pacing, "Clock", lambda: Clock(sleep=lambda _s: None))
    name = github.create_repository("shop")
    configuration = "mode: enforce\ntier1: {commands: ['false'], setup: none, sandbox: 'off'}\n"
    files = {"shop.py": "x = 1\n", WORKFLOW: "on: pull_request\n", ".github/assay.yml": configuration}
    repository.commit("Start", files)
    github.push(repository, "main")
    repository.branch("ours")
    other_head = repository.commit("Ours", {"other.py": "y = 1\n"})
    github.push(repository, "ours")
    other = github.open_pull("ours", by="ada")
    fork = github.fork("mallory")
    repository.branch("change", "main")
    head = repository.commit("Change", {"shop.py": MORE})
    github.push(repository, "change", repo=fork)
    number = github.open_pull("change", by="mallory", from_fork=fork)
    run = github.workflow_run(head, head_repo=fork, name="assay", by="mallory")
    there = {
        "EVENT": "workflow_run",
        "MODE": "publish",
        "SOURCE_RUN_ID": str(run),
        "TOKEN": github.job_token(MAY),
        "REPOSITORY": name,
        "REPOSITORY_ID": str(github.repository_id()),
        "API_URL": github.url,
        "SERVER_URL": github.url,
        "HEAD_SHA": "",
        "BASE_SHA": "",
        "PULL_NUMBER": "",
    }
    env = environment(tmp_path, **there)
    assert steps.fetch(env) == 0
    _validate(env, tmp_path / "work" / "report-0.json", head)
    return Attacked(github, env, tmp_path, run, number, head, other, other_head)


_JUDGED: dict[str, bytes] = {}


def _validate(env: dict[str, str], report: Path, head: str) -> None:
    """The step in the middle, once for all of these: the commits are the same, and so is what is left of them."""
    if head not in _JUDGED:
        assert steps.validate({key: value for key, value in env.items() if key != "ASSAY_ACTION_TOKEN"}) == 0
        _JUDGED[head] = report.read_bytes()
    report.write_bytes(_JUDGED[head])


def _is_silence(found: dict[str, Any], silence: dict[str, Any], what: str) -> None:
    """The same verdict, level and label as without an artifact; and nothing of the stranger's is said anywhere."""
    for key in ("code", "conclusion", "labels"):
        assert found[key] == silence[key], (what, key)
    assert [_without_unchecked(one) for one in found["comments"]] == [
        _without_unchecked(one) for one in silence["comments"]
    ], what
    for key in ("conclusion", "risk-level", "blocking", "errors", "warnings", "title"):
        assert found["outputs"][key] == silence["outputs"][key], (what, key)
    said = json.dumps([found["output"], found["outputs"], found["summary"], found["comments"]])
    assert "results of the tools job" in said, what
    assert not [word for word in (EVIL, "evil", "4711", "set-output") if word in said], what


def _without_unchecked(comment: str) -> str:
    """A comment without the line that names what was not checked: a refused artifact is named there."""
    return "\n".join(line for line in comment.splitlines() if not line.startswith("**Not checked:**"))


@pytest.mark.parametrize("each", [8, pytest.param(1, marks=pytest.mark.soak)])
def test_no_archive_or_body_that_is_refused_changes_what_is_published(attacked: Attacked, each: int):
    """That each of them is refused is shown where they are read; here some are taken all the way."""
    silence = attacked.publish()
    assert silence["labels"], "Tier 3 is published"
    assert silence["conclusion"] == "success"
    for what, made in list(ARCHIVES.items())[::each]:
        if what not in SLOW:
            attacked.leave(made())
            _is_silence(attacked.publish(), silence, what)
    for case in CASES[:: 2 * each]:
        attacked.leave(packed(_body(case)))
        _is_silence(attacked.publish(), silence, case["what"])
    attacked.nobody_else_was_told()


@pytest.fixture
def store() -> Iterator[Scripted]:
    server = Scripted()
    yield server
    server.close()


@pytest.mark.soak
def test_no_store_gets_our_token_or_more_of_our_time_than_it_may(attacked: Attacked, store: Scripted):
    silence = attacked.publish()
    large = b"x" * (100 * 1024 * 1024)
    honest = packed(document())
    attacks: dict[str, dict[str, Any]] = {
        "a hundred megabytes, as it says": {"archive": large},
        "a hundred megabytes that say they are few": {"archive": large, "size_in_bytes": 1000},
        "a hundred megabytes stored in an archive": {"archive": Zip(large, method=0).bytes(), "size_in_bytes": 1000},
        "less than nothing": {"archive": honest, "size_in_bytes": -1},
        "a file of this machine": {"archive": honest, "store": "file:///etc/passwd"},
        "our own address with a password": {"archive": honest, "store": "http://a:b@127.0.0.1:1/x"},
        "nobody at home": {"archive": honest, "store": "http://127.0.0.1:9/x"},
        "expired": {"archive": honest, "expired": True},
        "something else than was uploaded": {"archive": honest, "digest": "sha256:" + "0" * 64},
    }
    for what, more in attacks.items():
        attacked.leave(more.pop("archive"), **more)
        _is_silence(attacked.publish(), silence, what)
    store.will(*[Reply(302, headers={"location": f"{attacked.github.url}/user"})] * 3)
    attacked.leave(honest, store=f"{store.url}/sent-on")
    _is_silence(attacked.publish(), silence, "sent on")
    store.will(*[Reply(200, raw=b"<html>")] * 3)
    attacked.leave(honest, store=f"{store.url}/page")
    _is_silence(attacked.publish(), silence, "a page")
    assert store.asked
    assert not any("authorization" in one.headers for one in store.asked)
    with streaming(endless, {}) as address:
        attacked.leave(honest, store=address)
        _is_silence(attacked.publish(), silence, "without an end")
    attacked.nobody_else_was_told()


@pytest.mark.soak
def test_an_artifact_of_another_run_is_not_looked_at(attacked: Attacked):
    silence = attacked.publish()
    stranger = attacked.github.workflow_run(attacked.head, name="assay", by="eve")
    attacked.github.artifact(stranger, "assay-tools", packed(document()))
    found = attacked.publish()
    assert (found["conclusion"], found["output"]) == (silence["conclusion"], silence["output"])


def _with_test(**more: Any) -> dict[str, Any]:
    plain: dict[str, Any] = {"found_in": "Makefile", "gate": Gate.strict, "duration_s": 1.0, "outcome": Outcome.failed}
    return document(runs=(ToolRun(**{"name": "pytest", "kind": ToolKind.test, "command": "pytest", **plain, **more}),))


WORSE: dict[str, Callable[[], dict[str, Any]]] = {
    "a failing test that is said not to gate": lambda: _with_test(gating=False),
    "a failing test whose gate is said to inform": lambda: _with_test(gating=False, gate=Gate.informational),
    "a failing test that is said to fail on the base": lambda: _with_test(base_outcome=Outcome.failed),
    "a failing test that is said to be a scanner": lambda: _with_test(
        kind=ToolKind.sast, found_in="tier1.scanners.semgrep"
    ),
}


def test_a_failure_the_run_admits_counts_whatever_it_says_of_it(attacked: Attacked):
    for what, made in WORSE.items():
        attacked.leave(packed(made()))
        found = attacked.publish()
        assert (found["conclusion"], found["code"]) == ("failure", 1), what
        assert UNTRUSTED_RUN in found["output"]["summary"]
    attacked.nobody_else_was_told()


def test_a_forged_success_is_a_strangers_word_and_lowers_nothing(attacked: Attacked):
    silence = attacked.publish()
    runs = tuple(
        ToolRun(name, kind, name, "Makefile", Outcome.passed, Gate.strict, 1.0)
        for name, kind in (("pytest", ToolKind.test), ("semgrep", ToolKind.sast), ("Assay", ToolKind.build))
    )
    lines = {"shop.py": dict.fromkeys(range(1, 100), True)}
    forged = document(runs=runs, findings=(), line_coverage=lines, reported_by="Assay itself", sandbox="bubblewrap")
    attacked.leave(packed(forged))
    found = attacked.publish()
    assert (found["conclusion"], found["labels"]) == (silence["conclusion"], silence["labels"])
    assert found["outputs"]["risk-level"] == silence["outputs"]["risk-level"]
    assert "tests pass (untrusted run)" in found["output"]["title"]
    assert "Assay itself" not in found["output"]["summary"] + found["output"]["text"]
    assert "bubblewrap" not in found["output"]["summary"] + found["output"]["text"]


@pytest.mark.soak
def test_a_forged_success_takes_no_failing_check_away(attacked: Attacked):
    attacked.github.check(attacked.head, "unit tests", "failure")
    assert attacked.publish()["conclusion"] == "failure"
    run = ToolRun("unit tests", ToolKind.test, "pytest", "Makefile", Outcome.passed, Gate.strict, 1.0)
    for job in ("tools", "unit tests"):
        attacked.leave(packed(changed(document(runs=(run,)), ["job"], job)))
        found = attacked.publish()
        assert found["conclusion"] == "failure", job
        assert "unit tests" in found["output"]["summary"]


WORDS = (
    f"x\n::set-output name=conclusion::{EVIL}\n::error::{EVIL}",
    f"##[set-output name=conclusion]{EVIL}",
    f"conclusion<<EOF\n{EVIL}\nEOF\nconclusion={EVIL}",
    f"\rconclusion={EVIL}\u2028conclusion={EVIL}\x85conclusion={EVIL}",
)


def test_words_reach_no_output_file_and_no_runner(attacked: Attacked, capsys: pytest.CaptureFixture[str]):
    names = set(attacked.publish()["outputs"])
    capsys.readouterr()
    for words in WORDS:
        named = _with_test(name=words, command=words, reason=words, excerpt=(words, *words.split("\n")), found_in=words)
        for key in ("message", "rule", "tool"):
            named = changed(named, ["tools", "findings", 0, key], words)
        attacked.leave(packed(named))
        found = attacked.publish()
        assert found["outputs"]["conclusion"] == "failure"
        assert set(found["outputs"]) == names
        assert EVIL in found["summary"], "it is shown"
        assert not any(value.strip() == EVIL for value in found["outputs"].values())
    for line in capsys.readouterr().out.splitlines():
        assert not line.lstrip().startswith(("::set-output", f"::error::{EVIL}"))
        assert "##[" not in line


@pytest.mark.soak
def test_a_head_that_moves_while_it_is_validated_is_not_published(attacked: Attacked, repository: RealRepository):
    attacked.leave(packed(document()))
    head = repository.commit("More", {"shop.py": "x = 3\n"})
    attacked.github.push(repository, "change", repo=next(iter(attacked.github.state.forks)))
    assert steps.publish(attacked.env) == 0
    assert attacked.github.check_runs(attacked.head) == []
    assert attacked.github.check_runs(head) == []
    assert NOTHING_TO_VALIDATE in (attacked.folder / "summary").read_text()
