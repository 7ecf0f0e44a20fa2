"""A release, by act: what is built, attested, published and moved. GitHub's command line and docker are stand-ins."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest

from assay import __version__
from tests.conftest import ROOT
from tests.fakes.act import Act
from tests.fakes.act_report import ActRun
from tests.fakes.github import FakeGitHub
from tests.fakes.github_jobs import ACTIONS_LOGIN
from tests.project_files import project_files
from tests.repositories import RealRepository

TAG = f"v{__version__}"
MAJOR = TAG.partition(".")[0]
PROGRAMS = ROOT / "tests/fakes/programs"
LOCK = ROOT / "requirements/archives.lock"
ARCHIVES = "linux-x86_64-cpython-311"
"""Of 27 archives three are built: all of them take a quarter of an hour."""
NOTHING_ELSE = "## 0.0.1\n\n- A first release.\n"

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900)]


@pytest.fixture
def work(tmp_path: Path) -> RealRepository:
    """This project's files in a repository with one commit, and an older version in the changelog."""
    work = RealRepository(tmp_path / "work")
    files = {name: (ROOT / name).read_bytes() for name in project_files()}
    files["CHANGELOG.md"] += NOTHING_ELSE.encode()
    work.commit("Start", files)
    return work


@pytest.fixture
def act(github: FakeGitHub, tmp_path: Path) -> Act:
    runner = Act(github, tmp_path / "act")
    runner.online = True
    runner.programs = Path(shutil.copytree(PROGRAMS, tmp_path / "programs"))
    return runner


def released(github: FakeGitHub, work: RealRepository, act: Act, tag: str) -> tuple[ActRun, str]:
    """The run of the release workflow for a tag on `main`, and the repository's name."""
    repo = github.create_repository("assay")
    github.push(work, "main", repo=repo)
    # The emulator knows the tokens of jobs, and lets a collaborator write whose token may.
    github.person(ACTIONS_LOGIN, kind="Bot")
    bot = f"/repos/{repo}/collaborators/{quote(ACTIONS_LOGIN)}"
    github.as_person("olivia", "PUT", bot, {"permission": "push"})
    sha = work.git("rev-parse", "HEAD").strip()
    github.as_person("olivia", "POST", f"/repos/{repo}/git/refs", {"ref": f"refs/tags/{tag}", "sha": sha})
    payload = github.delivery("push").payload | {"ref": f"refs/tags/{tag}", "after": sha}
    run = act.run(
        "push", payload, "release.yml", sha=sha, ref=f"refs/tags/{tag}", repo=repo, timeout_s=800,
        env={"ARCHIVES": ARCHIVES},
    )  # fmt: skip
    return run, repo


def test_a_tag_becomes_a_release_with_attested_files(github: FakeGitHub, work: RealRepository, act: Act):
    run, repo = released(github, work, act, TAG)
    assert run.results() == {"build": "success", "image": "success", "attest": "success", "publish": "success"}, (
        run.log[-5000:]
    )
    assert act.programs is not None
    kept = act.programs / "releases" / TAG
    files = {path.name for path in kept.iterdir()} - {"title", "notes"}
    boms = {f"assay-{name}.cdx.json" for name in ("cli", "app", "action", "memory", "sast")}
    package = f"assay_review-{__version__}"
    archives = {line.split()[2] for line in LOCK.read_text().splitlines() if ARCHIVES in line}
    assert len(archives) == 3
    assert files == {f"{package}-py3-none-any.whl", f"{package}.tar.gz", "SHA256SUMS", *boms, *archives}

    lines = [line.split() for line in (kept / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert sums == {name: hashlib.sha256((kept / name).read_bytes()).hexdigest() for name in files - {"SHA256SUMS"}}
    named = {one["name"] for one in json.loads((kept / "assay-cli.cdx.json").read_text())["components"]}
    assert {"click", "gitpython", "jscpd", "networkx", "radon"} <= {name.lower() for name in named}

    notes = (kept / "notes").read_text()
    assert "assay validate" in notes
    assert "A first release" not in notes

    subjects = [files["subjects"].decode() for name, files in run.artifacts.items() if name.startswith("attested-")]
    images = [f"{7:064d}  ghcr.io/{repo.lower()}{kind}\n" for kind in ("", "-web")]
    assert sorted(subjects) == sorted([(kept / "SHA256SUMS").read_text(), *images])
    pushed = [line for line in (act.programs / "docker.log").read_text().splitlines() if line.startswith("push ")]
    assert pushed == [f"push ghcr.io/{repo.lower()}{kind}:{__version__}" for kind in ("", "-web")]
    refs = github.as_person("olivia", "GET", f"/repos/{repo}/git/matching-refs/tags/{MAJOR}")
    moved = {one["ref"]: one["object"]["sha"] for one in refs}
    assert moved[f"refs/tags/{MAJOR}"] == moved[f"refs/tags/{TAG}"]


def test_a_tag_that_is_not_the_version_is_not_released(github: FakeGitHub, work: RealRepository, act: Act):
    run, _ = released(github, work, act, "v9.9.9")
    assert run.results() == {"build": "failure", "image": "skipped", "attest": "skipped", "publish": "skipped"}
    assert act.programs is not None
    assert not (act.programs / "releases").exists()
    assert not (act.programs / "docker.log").exists()
