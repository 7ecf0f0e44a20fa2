"""What a maintainer gets from `assay init` alone, on repositories of others.

    ASSAY_BENCH_REPOSITORIES=/path/click:/path/hono ASSAY_BENCH_REPORTS=/path/reports \
        make bench PYTEST_ARGS="-k adoption"

Each repository is cloned anew one change before the commit that `FAULTS` names. After `assay init` and a commit,
act runs the written workflow for two pull requests: that change, and the fault planted there. Assay comes from archives
of a release at an address of this machine (`ASSAY_BENCH_RELEASE` names a folder with them, else they are built).
Everything else that is downloaded goes through a counting proxy: the commands' dependencies, and scanners.

A runner of GitHub has programs that this machine may lack, such as go: PATH is the runner's too, but the sandbox hides
/tmp.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.bench.counting_proxy import CountingProxy
from tests.bench.test_action_setup import _archives, _served
from tests.bench.test_real_repositories import CASES, IDENTITY, path_of_machine
from tests.bench.test_replay import ASSAY, REPOSITORIES, git, name_of
from tests.fakes.act import Act
from tests.fakes.act_report import ActRun
from tests.fakes.act_run import ASSAY_REPOSITORY
from tests.fakes.github import FakeGitHub
from tests.functional.action_bed import report_of

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]
KEPT = os.environ.get("ASSAY_BENCH_REPORTS")
_DOWNLOADED = re.compile(r"assay: prebuilt packages, ([\d.]+) MB downloaded")
_MACHINE = {
    name: str(path)
    for name, path in (
        ("RUSTUP_HOME", Path.home() / ".rustup"),
        ("CARGO_HOME", Path.home() / ".cargo"),
        ("NODE_EXTRA_CA_CERTS", Path("/etc/ssl/certs/ca-certificates.crt")),
    )
    if path.exists()
}
"""What a runner's machine has, and the folder of a run's home has not."""


HONO = {
    "commit": "28a9c128912de19f3fb28b00ae289c9b93f6f392",
    "file": "src/utils/cookie.ts",
    "old": "opt.maxAge >= 0",
    "new": "opt.maxAge > 0",
    "test": "Should serialize cookie with maxAge is 0",
}
FAULTS = CASES | {"hono": HONO}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, bytes]:
    """Address of the archives, and their lock."""
    given = os.environ.get("ASSAY_BENCH_RELEASE")
    folder = Path(given) if given else tmp_path_factory.mktemp("release")
    archives = folder / "release" if given else _archives(folder)
    return _served(archives), (folder / "archives.lock").read_bytes()


@dataclass(frozen=True)
class Adopted:
    """A repository right after `assay init`, and what that took."""

    clone: Path
    files: int
    written: int
    lines: int
    wall_s: float
    cpu_s: float


@pytest.mark.skipif(
    "ASSAY_BENCH_REPOSITORIES" not in os.environ,
    reason="ASSAY_BENCH_REPOSITORIES names no clones of public repositories",
)
@pytest.mark.parametrize("path", REPOSITORIES, ids=name_of)
def test_adoption(
    path: Path, github: FakeGitHub, tmp_path: Path, release: tuple[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = name_of(path).rpartition("+")[2]
    case = FAULTS[name]
    adopted = _adopt(path, case["commit"], tmp_path / name)
    print(
        f"\n{name}: {adopted.files} files; init wrote {adopted.written} files, {adopted.lines} lines, in "
        f"{adopted.wall_s:.0f} s ({adopted.cpu_s:.0f} CPU s)"
    )
    full_name = github.create_repository(name, private=False)
    github.push(adopted.clone, "main", repo=full_name)
    github.person("ada")
    runner = Act(github, tmp_path / "act", installed=False)
    runner.online = True
    address, lock = release
    (runner.action / "requirements/archives.lock").write_bytes(lock)
    wrong = []
    for branch, title in (("replay", _replay(adopted.clone, case)), ("planted", _plant(adopted.clone, case))):
        head = github.push(adopted.clone, branch, repo=full_name, by="ada")
        number = github.open_pull(branch, by="ada", title=title, repo=full_name)
        with CountingProxy() as proxy, monkeypatch.context() as patched:
            patched.setenv("HTTPS_PROXY", proxy.url)
            patched.setenv("PATH", path_of_machine())
            env = {"ASSAY_ARCHIVES": address, **_MACHINE}
            run = runner.pull(number, "assay.yml", repo=full_name, env=env, timeout_s=1500)
        _keep(f"{name}-{branch}", run, github, full_name, number, head)
        report = report_of(run)
        _print(branch, run, report, proxy)
        named = any(case["test"] in each["message"] for each in report["tiers"]["tools"]["findings"])
        if (report["conclusion"] == "failure") != (branch == "planted") or named != (branch == "planted"):
            wrong.append(f"{branch}: {report['conclusion']}, {report['reasons']}")
    assert wrong == []


def _adopt(path: Path, commit: str, clone: Path) -> Adopted:
    """Clone, check out what was there before `commit`, run `assay init`, and commit what it wrote."""
    subprocess.run(["git", "clone", "-q", str(path), str(clone)], check=True)
    git(clone, "checkout", "-q", "-B", "main", f"{commit}^1")
    files = len(git(clone, "ls-files").splitlines())
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    env = {**os.environ, "XDG_CACHE_HOME": f"{clone}-cache", "COLUMNS": "100"}
    done = subprocess.run(
        [ASSAY, "init", "--uses", f"{ASSAY_REPOSITORY}@v1"], cwd=clone, env=env, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    wall_s, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    _write(f"{clone.name}-init.txt", done.stdout)
    git(clone, "add", "-A")
    written = git(clone, "diff", "--cached", "--numstat").splitlines()
    git(clone, *IDENTITY, "commit", "-q", "-m", "Adopt Assay")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Adopted(clone, files, len(written), sum(int(line.split()[0]) for line in written), wall_s, cpu_s)


def _replay(clone: Path, case: dict[str, Any]) -> str:
    """Branch `replay`: the change that landed last, on top of the adoption; gives its title."""
    commit = case["commit"]
    git(clone, "checkout", "-q", "-B", "replay", "main")
    patch = subprocess.run(
        ["git", "-C", str(clone), "diff", "--binary", f"{commit}^1", commit], capture_output=True, check=True
    ).stdout
    subprocess.run(["git", "-C", str(clone), "apply", "--index"], input=patch, check=True)
    title = git(clone, "log", "-1", "--format=%s", commit).strip()
    git(clone, *IDENTITY, "commit", "-q", "-m", title)
    return title


def _plant(clone: Path, case: dict[str, Any]) -> str:
    """Branch `planted`: one line of the source is wrong; gives its title."""
    git(clone, "checkout", "-q", "-B", "planted", "main")
    file = clone / case["file"]
    text = file.read_text("utf-8")
    assert str(case["old"]) in text
    file.write_text(text.replace(str(case["old"]), str(case["new"]), 1), "utf-8")
    title = f"Simplify {file.stem}"
    git(clone, *IDENTITY, "commit", "-q", "-a", "-m", title)
    return title


def _print(branch: str, run: ActRun, report: dict[str, Any], proxy: CountingProxy) -> None:
    tools_s, publish_s = (
        sum(step.seconds for step in run.jobs[job].steps.values() if "/" not in step.id) for job in ("tools", "publish")
    )
    own = sum(float(number) for number in _DOWNLOADED.findall(run.log))
    print(f"  {branch}: {report['conclusion']}, {report['title']}; act exits with {run.exit_code}")
    print(
        f"    {run.seconds:.0f} s (tools {tools_s:.0f}, publish {publish_s:.0f}), load {os.getloadavg()[0]:.1f}; "
        f"Assay {own:.0f} MB, commands {proxy.megabytes():.0f} MB"
    )
    for each in report["tiers"]["tools"]["runs"]:
        print(f"    {each['outcome']:12} {each['duration_s'] or 0:6.1f} s  {each['kind']:7} {each['command']}")


def _keep(name: str, run: ActRun, github: FakeGitHub, repo: str, number: int, head: str) -> None:
    """Write what a maintainer sees, and the report's files."""
    comments = [each["body"] for each in github.comments(number, repo=repo)]
    _write(f"{name}-comment.md", "\n\n---\n\n".join(comments))
    for check in github.check_runs(head, repo=repo, name="Assay"):
        output = check["output"]
        _write(
            f"{name}-check.md", f"{check['conclusion']}: {output['title']}\n\n{output['summary']}\n\n{output['text']}"
        )
        _write(f"{name}-annotations.json", json.dumps(check["annotations"], indent=1))
    _write(f"{name}-lines.json", json.dumps(github.reviews(number, repo=repo), indent=1))
    _write(f"{name}-summary.md", run.summary)
    _write(f"{name}-act.log", run.log)
    for file, content in run.artifacts.get("assay-report", {}).items():
        _write(f"{name}-{Path(file).name}", content.decode())


def _write(name: str, text: str) -> None:
    if KEPT:
        Path(KEPT).mkdir(parents=True, exist_ok=True)
        Path(KEPT, name).write_text(text, "utf-8")
