"""The base where the caller names none: stated by CI, the default branch, or an error."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

from assay.cli.main import run
from assay.validators.errors import NoBase
from assay.validators.vcs.default_base import default_branch, is_on_default_branch
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import WORKTREE, Repository
from tests.repositories import RealRepository

NO_BASE = "git.no-base"
PARENT = "the commit before"
CI = ("GITHUB_WORKSPACE", "GITHUB_BASE_REF", "GITHUB_EVENT_PATH", "CI_PROJECT_DIR", "CI_DEFAULT_BRANCH")
MERGE_REQUEST = ("TARGET_BRANCH_SHA", "DIFF_BASE_SHA", "TARGET_BRANCH_NAME")


class Case(NamedTuple):
    """Commands that make the folder `here` from an origin, CI's variables, and the base: its name, why, the files."""

    commands: str
    base: str
    why: str = ""
    files: str = ""
    variables: Mapping[str, str] = {}
    event: Mapping[str, object] = {}


FETCHED = "git init -q here; cd here; git remote add origin $ORIGIN; git fetch -q origin; git checkout -q --detach "
GITLAB = FETCHED.replace("fetch -q origin", "fetch -q origin feat:refs/pipelines/1") + "refs/pipelines/1"
SINGLE = "git clone -q --single-branch -b "
LOCAL = "git clone -q $ORIGIN here; cd here; git checkout -q feat; git checkout -q main; git remote remove origin"
DEV = FETCHED.replace("$ORIGIN", "$DEV")
USUAL = "the only branch with a usual name"
CASES = {
    "one branch was cloned": Case(f"{SINGLE}feat $ORIGIN here", NO_BASE),
    "one branch was cloned, and the origin has it checked out": Case(
        f"git clone -q $ORIGIN mid; git -C mid checkout -q feat; {SINGLE}feat file://$PWD/mid here",
        NO_BASE,
    ),
    "control, main alone was cloned": Case(
        f"{SINGLE}main $ORIGIN here", PARENT, "HEAD is part of origin/main, the default branch", "a"
    ),
    "one branch was cloned, three commits deep": Case(f"{SINGLE}feat --depth 3 $ORIGIN here", NO_BASE),
    "one branch with a usual name was cloned": Case(f"{SINGLE}trunk $TRUNK here", NO_BASE),
    "a branch was fetched by its URL": Case(
        "git init -q here; cd here; git fetch -q $ORIGIN feat; git checkout -qb feat FETCH_HEAD", NO_BASE
    ),
    "a tag was cloned": Case(f"{SINGLE}v1 $ORIGIN here", NO_BASE),
    "GitLab fetched a commit": Case(GITLAB, NO_BASE),
    "GitLab states the base": Case(
        GITLAB, "$MAIN", "by CI_MERGE_REQUEST_DIFF_BASE_SHA", "b c", {"CI_MERGE_REQUEST_DIFF_BASE_SHA": "$MAIN"}
    ),
    "GitLab states a branch that was not fetched": Case(
        GITLAB, NO_BASE, variables={"CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}
    ),
    "GitLab validates its default branch": Case(
        f"{FETCHED}origin/main",
        PARENT,
        "HEAD is part of origin/main, the default branch by CI_DEFAULT_BRANCH",
        "a",
        {"CI_DEFAULT_BRANCH": "main"},
    ),
    "GitHub states a branch": Case(
        f"{FETCHED}origin/feat", "origin/main", "by GITHUB_BASE_REF", "b c", {"GITHUB_BASE_REF": "main"}
    ),
    "GitHub's event has the commit of a branch that was not fetched": Case(
        f"{SINGLE}feat $ORIGIN here",
        "$MAIN",
        "by GITHUB_EVENT_PATH",
        "b c",
        {"GITHUB_BASE_REF": "main"},
        {"pull_request": {"base": {"sha": "$MAIN"}}},
    ),
    "GitHub states a branch that was not fetched": Case(
        f"{SINGLE}feat $ORIGIN here", NO_BASE, variables={"GITHUB_BASE_REF": "main"}, event={"pull_request": None}
    ),
    "the base itself is checked out for a pull request": Case(
        f"{FETCHED}origin/main", NO_BASE, variables={"GITHUB_BASE_REF": "main"}
    ),
    "the variables are about another repository": Case(
        "git clone -q $ORIGIN here; cd here; git checkout -q feat",
        "origin/main",
        "the default branch",
        "b c",
        {"GITHUB_BASE_REF": "v9", "GITHUB_WORKSPACE": "/nowhere"},
    ),
    "one branch has a usual name": Case(f"{FETCHED}origin/feat", "origin/main", USUAL, "b c"),
    "one branch has a usual name, and is checked out": Case(f"{FETCHED}origin/main", NO_BASE),
    "a forgotten master": Case(f"{DEV}origin/feat", NO_BASE),
    "a forgotten master, and GitHub states the default branch": Case(
        f"{DEV}origin/feat",
        "origin/dev",
        "the default branch by GITHUB_EVENT_PATH",
        "f",
        event={"repository": {"default_branch": "dev"}},
    ),
    "control, a forgotten master in a clone": Case(
        "git clone -q $DEV here; cd here; git checkout -q feat", "origin/dev", "the default branch", "f"
    ),
    "a forgotten master without a remote": Case(
        "git clone -q $DEV here; cd here; git checkout -q feat; git checkout -qb master origin/master;"
        " git checkout -q feat; git remote remove origin",
        NO_BASE,
    ),
    "control, the default branch of a clone": Case(
        "git clone -q $ORIGIN here", PARENT, "HEAD is part of origin/main, the default branch", "a"
    ),
    "control, a bare clone": Case(
        "git clone -q --bare $ORIGIN here", PARENT, "HEAD is part of main, the default branch", "a"
    ),
    "control, a remote with another name": Case(
        "git clone -q -o shop $ORIGIN here; cd here; git checkout -q feat", "shop/main", "the default branch", "b c"
    ),
    "control, a tag in a clone": Case(
        "git clone -q $ORIGIN here; cd here; git checkout -q v1",
        PARENT,
        "HEAD is part of origin/main, the default branch",
        "a",
    ),
    "control, no remote, on the branch with a usual name": Case(LOCAL, PARENT, f"HEAD is part of main, {USUAL}", "a"),
    "control, no remote, on the other branch": Case(f"{LOCAL}; git checkout -q feat", "main", USUAL, "b c"),
    "control, no remote, in a linked working tree": Case(
        f"{LOCAL.replace('here', 'shop')}; git worktree add -q ../here feat",
        "main",
        USUAL,
        "b c",
    ),
    "control, one branch in a new repository": Case(
        "git init -qb work here; cd here; for n in a b; do touch $n; git add .; git commit -qm $n; done",
        PARENT,
        "HEAD is part of work, the only branch",
        "b",
    ),
}


class Origins(NamedTuple):
    """Three origins, and the environment of commands that clone them."""

    main: str
    environment: dict[str, str]


@pytest.fixture(scope="module")
def origins(tmp_path_factory: pytest.TempPathFactory) -> Origins:
    folder = tmp_path_factory.mktemp("origins")
    shop = RealRepository(folder / "shop")
    shop.commit(files={"README": "1"})
    main = shop.commit(files={"a": "1"})
    shop.git("tag", "v1")
    shop.branch("feat")
    for name in "bc":
        shop.commit(files={name: "1"})
    shop.git("checkout", "-q", "main")
    dev = RealRepository(folder / "dev")
    dev.commit(files={"a": "1"})
    dev.git("branch", "-m", "master")
    dev.branch("dev")
    for name in "bcd":
        dev.commit(files={name: "1"})
    dev.branch("feat")
    dev.commit(files={"f": "1"})
    dev.git("checkout", "-q", "dev")
    trunk = RealRepository(folder / "trunk")
    trunk.commit(files={"a": "1"})
    trunk.branch("trunk")
    for name in "bc":
        trunk.commit(files={name: "1"})
    trunk.git("checkout", "-q", "main")
    urls = {one.path.name.upper(): f"file://{one.path}" for one in (shop, dev, trunk)}
    names = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    quiet = {"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null", "PATH": os.environ["PATH"]}
    return Origins(main, {**urls, "ORIGIN": urls["SHOP"], **names, **quiet})


@pytest.fixture(autouse=True)
def _no_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*CI, *(f"CI_MERGE_REQUEST_{one}" for one in MERGE_REQUEST)):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_base_is_known_or_asked_for(
    case: Case, origins: Origins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["sh", "-ec", case.commands], cwd=tmp_path, env=origins.environment, check=True)
    for name, value in case.variables.items():
        monkeypatch.setenv(name, value.replace("$MAIN", origins.main))
    if case.event:
        (tmp_path / "event.json").write_text(json.dumps(case.event).replace("$MAIN", origins.main))
        monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    with Repository(tmp_path / "here") as opened:
        if case.base == NO_BASE:
            with pytest.raises(NoBase) as refused:
                read_change(opened)
            assert refused.value.exit_code == 2
            assert f"{refused.value}".startswith(NO_BASE)
            assert "--base" in f"{refused.value}"
            return
        change = read_change(opened)
    assert (change.base_name, change.base_why) == (case.base.replace("$MAIN", origins.main), case.why)
    assert sorted(change.by_path) == case.files.split()


def test_uncommitted_work_needs_a_base_too(origins: Origins, tmp_path: Path) -> None:
    commands = CASES["one branch was cloned"].commands
    subprocess.run(["sh", "-ec", commands], cwd=tmp_path, env=origins.environment, check=True)
    with Repository(tmp_path / "here") as opened:
        with pytest.raises(NoBase):
            read_change(opened, head=WORKTREE)
        assert default_branch(opened) is None
        assert read_change(opened, "HEAD~1", WORKTREE).base_why == ""
        (tmp_path / "here" / "new").touch()
        set_head = ["git", "remote", "set-head", "origin", "feat"]
        subprocess.run(set_head, cwd=tmp_path / "here", env=origins.environment, check=True)
        change = read_change(opened, head=WORKTREE)
    assert (change.base_name, sorted(change.by_path)) == ("HEAD", ["new"])


def test_the_report_says_which_base_and_why(
    origins: Origins, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    subprocess.run(["sh", "-ec", f"{FETCHED}origin/feat"], cwd=tmp_path, env=origins.environment, check=True)
    monkeypatch.chdir(tmp_path / "here")
    assert run(["validate", "--tiers", "quality", "-o", "out.txt", "-o", "out.md", "-o", "out.json"]) == 0
    found = json.loads(Path("out.json").read_text())
    assert found["base"] == {"sha": origins.main, "name": "origin/main", "why": USUAL, "is_worktree": False}
    for file in ("out.txt", "out.md"):
        assert f"origin/main: {USUAL}" in " ".join(Path(file).read_text().replace("`", "").split())
    monkeypatch.setenv("GITHUB_BASE_REF", "v9")
    capsys.readouterr()
    assert run(["validate", "--tiers", "quality"]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"assay: {NO_BASE}: ")
    assert said.count("\n") == 1
    assert "--base" in said


@pytest.mark.parametrize(
    ("commands", "is_on_it"),
    [
        ("git commit -q --allow-empty -m new", True),
        ("git checkout -q --detach HEAD~0", True),
        ("git checkout -q -b topic; git commit -q --allow-empty -m new", False),
        ("git checkout -q --detach; git commit -q --allow-empty -m new", False),
        ("git remote set-head origin -d; git branch -q other", False),
    ],
)
def test_the_default_branch_is_told_from_others(origins: Origins, tmp_path: Path, commands: str, is_on_it: bool):
    clone = f"git clone -q $ORIGIN here; cd here; git config user.name a; git config user.email a@b; {commands}"
    subprocess.run(["sh", "-ec", clone], cwd=tmp_path, env=origins.environment, check=True)
    with Repository(tmp_path / "here") as opened:
        assert is_on_default_branch(opened, opened.resolve("HEAD"), opened.branch_of("HEAD")) is is_on_it
