"""The Action's scripts: what it finds, what it installs and from what, and what each step is told of the job."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT

ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"] if "id" in step}
SCRIPTS = ROOT / ".github/action"
WHEELHOUSE = SCRIPTS / "wheelhouse.py"


class Done:
    """One of the scripts, run: its exit code, what it said, its outputs and its page."""

    def __init__(self, job: Job, script: str, *arguments: str, env: dict[str, str]) -> None:
        output = job.temp / "output"
        output.write_text("")
        told = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(job.temp / "summary"), **job.env, **env}
        done = subprocess.run(
            ["bash", str(job.scripts / script), *arguments], env=told, capture_output=True, text=True, check=False
        )
        self.code, self.said, self.stdout = done.returncode, done.stderr, done.stdout
        self.outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())


class Job:
    """A job of a workflow, as far as the scripts see it."""

    def __init__(self, folder: Path) -> None:
        self.temp, self.workspace, self.scripts = folder / "temp", folder / "workspace", SCRIPTS
        self.house = self.temp / "house"
        (self.house / "work").mkdir(parents=True)
        self.workspace.mkdir()
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "RUNNER_OS": "Linux",
            "RUNNER_TEMP": str(self.temp),
            "GITHUB_WORKSPACE": str(self.workspace),
        }

    def run(self, script: str, *arguments: str, **env: str) -> Done:
        """Run one of the scripts."""
        return Done(self, script, *arguments, env=env)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job with nothing in its workspace."""
    return Job(tmp_path)


# ------------------------------------------------------------------ action.yml


def test_every_input_and_output_is_described():
    for name, facts in {**ACTION["inputs"], **ACTION["outputs"]}.items():
        assert facts["description"].strip(), name


def test_only_the_steps_that_speak_to_github_have_the_token():
    holders = [name for name, step in STEPS.items() if "token" in str(step.get("env", {}))]
    assert holders == ["fetch", "publish"]
    assert [name for name, step in STEPS.items() if "model-key" in str(step.get("env", {}))] == ["judge"]


def test_each_step_is_told_by_expressions_who_and_what_is_judged():
    told = [
        {name: value for name, value in STEPS[step]["env"].items() if value.startswith(("${{ inputs.", "${{ github."))}
        for step in ("fetch", "judge", "publish")
    ]
    for one in told:
        one.pop("ASSAY_ACTION_TOKEN", None)
        one.pop("ANTHROPIC_API_KEY", None)
    assert told[0] == told[1] == told[2]
    assert {f"ASSAY_ACTION_{name.upper().replace('-', '_')}" for name in ACTION["inputs"]} - set(told[0]) == {
        "ASSAY_ACTION_ARTIFACT",
        "ASSAY_ACTION_MODEL_KEY",
        "ASSAY_ACTION_TOKEN",
    }


def test_a_job_that_publishes_takes_nothing_from_a_cache():
    assert "inputs.publish-only != 'true'" in STEPS["cache"]["if"]
    (keep,) = [step for step in ACTION["runs"]["steps"] if "cache/save@" in step.get("uses", "")]
    assert "steps.cache.outcome == 'success'" in keep["if"]


# ------------------------------------------------------------------ prepare


def test_a_python_and_a_folder_are_found_and_nothing_is_left_for_later_steps(job: Job):
    done = job.run("prepare.sh", GITHUB_ENV=str(job.temp / "env"), GITHUB_PATH=str(job.temp / "path"))
    assert done.code == 0, done.said
    assert (Path(done.outputs["house"]) / "work").is_dir()
    assert Path(done.outputs["python"]).is_file()
    assert done.outputs["key"].startswith("assay-wheelhouse-")
    assert not (job.temp / "env").exists()
    assert not (job.temp / "path").exists()


def test_a_python_in_the_workspace_is_never_run(job: Job):
    planted = job.workspace / "bin/python3.13"
    planted.parent.mkdir()
    planted.write_text(f"#!/bin/sh\ntouch {job.temp}/ran\n")
    planted.chmod(0o755)
    done = job.run("prepare.sh", PATH=f"{planted.parent}:{os.environ['PATH']}")
    assert done.code == 0
    assert done.outputs["python"] != str(planted)
    assert not (job.temp / "ran").exists()


def test_without_a_python_one_line_says_what_to_add(job: Job, tmp_path: Path):
    few = tmp_path / "few"
    few.mkdir()
    for name in ("bash", "dirname", "mktemp", "mkdir"):
        (few / name).symlink_to(subprocess.check_output(["which", name], text=True).strip())
    done = job.run("prepare.sh", PATH=str(few))
    assert done.code == 3
    assert done.said.count("\n") == 1
    assert "actions/setup-python" in done.said


def test_windows_is_refused_in_one_line(job: Job):
    done = job.run("prepare.sh", RUNNER_OS="Windows")
    assert done.code == 2
    assert done.said.splitlines() == [
        "assay: the Action runs on Linux and macOS runners, not on Windows; give the job another runs-on"
    ]


def test_an_assay_of_the_machine_is_used_as_it_is(job: Job, tmp_path: Path):
    home = tmp_path / "home/bin"
    home.mkdir(parents=True)
    assert job.run("prepare.sh", ASSAY_HOME=str(home.parent)).code == 2
    (home / "assay").write_text('#!/bin/sh\necho "$@"\n')
    (home / "assay").chmod(0o755)
    done = job.run("prepare.sh", ASSAY_HOME=str(home.parent))
    assert set(done.outputs) == {"house"}
    fetched = job.run("run.sh", "fetch", ASSAY_HOME=str(home.parent), ASSAY_ACTION_HOUSE=done.outputs["house"])
    assert "action fetch" in fetched.stdout


# ------------------------------------------------------------------ the wheelhouse


def sweep(wheels: Path, lock: Path) -> str:
    """What the sweep says it removed."""
    command = [sys.executable, "-I", str(WHEELHOUSE), "sweep", str(wheels), str(lock)]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def test_only_what_was_locked_stays_in_the_wheelhouse(tmp_path: Path):
    wheels, lock = tmp_path / "wheels", tmp_path / "lock.txt"
    wheels.mkdir()
    good = wheels / "good.whl"
    good.write_bytes(b"good")
    lock.write_text(f"good==1 --hash=sha256:{hashlib.sha256(b'good').hexdigest()}\n")
    (wheels / "bad.whl").write_bytes(b"g0od")
    (wheels / ".hidden").write_bytes(b"x")
    (wheels / "two\nlines").write_bytes(b"x")
    (wheels / "folder").mkdir()
    (wheels / "link.whl").symlink_to(good)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    (wheels / "linked-folder").symlink_to(outside)
    assert "6 cached files" in sweep(wheels, lock)
    assert list(wheels.iterdir()) == [good]
    assert (outside / "kept").exists()
    assert sweep(wheels, lock) == ""


def test_a_file_with_a_second_name_is_not_kept(tmp_path: Path):
    wheels, lock = tmp_path / "wheels", tmp_path / "lock.txt"
    wheels.mkdir()
    (wheels / "good.whl").write_bytes(b"good")
    (tmp_path / "other-name").hardlink_to(wheels / "good.whl")
    lock.write_text(f"sha256:{hashlib.sha256(b'good').hexdigest()}\n")
    sweep(wheels, lock)
    assert list(wheels.iterdir()) == []


def test_a_wheelhouse_that_is_a_link_is_replaced(tmp_path: Path):
    outside, wheels, lock = tmp_path / "outside", tmp_path / "wheels", tmp_path / "lock.txt"
    outside.mkdir()
    (outside / "kept").touch()
    wheels.symlink_to(outside)
    lock.write_text("")
    sweep(wheels, lock)
    assert not wheels.is_symlink()
    assert (outside / "kept").exists()


# ------------------------------------------------------------------ install, from an index that is a folder


def wheel(folder: Path, name: str, files: dict[str, str], version: str = "1.0") -> Path:
    """A small wheel, as simple as they come."""
    info = f"{name}-{version}.dist-info"
    whole = {
        **files,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text)}\n" for path, text in whole.items())
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in {**whole, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            facts = zipfile.ZipInfo(inside)
            facts.external_attr = 0o100755 << 16
            archive.writestr(facts, text)
    return path


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


def lock(path: Path, *wheels: Path) -> None:
    """The lock that names these wheels and no others."""
    path.write_text(
        "".join(
            "{}=={} --hash=sha256:{}\n".format(*one.name.split("-")[:2], hashlib.sha256(one.read_bytes()).hexdigest())
            for one in wheels
        )
    )


BACKEND = """
import zipfile
def build_wheel(folder, *_):
    name = "assay_review-1.0-py3-none-any.whl"
    info = "assay_review-1.0.dist-info/"
    with zipfile.ZipFile(folder + "/" + name, "w") as wheel:
        wheel.writestr(info + "METADATA", "Metadata-Version: 2.1\\nName: assay-review\\nVersion: 1.0\\n")
        wheel.writestr(info + "WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(info + "RECORD", "")
        wheel.writestr("assay_review-1.0.data/scripts/assay", open("assay.sh").read())
    return name
"""
PROJECT = """
[build-system]
requires = ["tiny_backend"]
build-backend = "tiny_backend"
[project]
name = "assay-review"
version = "1.0"
"""


class Small:
    """An Action that is small: our scripts, locks of a few packages made here, and an index with them."""

    def __init__(self, folder: Path) -> None:
        self.job = Job(folder)
        self.folder, self.index = folder / "action", folder / "index"
        self.wheels = self.job.temp / "assay-wheelhouse"
        self.job.scripts = self.folder / ".github/action"
        self.job.scripts.mkdir(parents=True)
        for script in SCRIPTS.iterdir():
            if script.is_file():
                (self.job.scripts / script.name).write_bytes(script.read_bytes())
        (self.folder / "requirements").mkdir()
        (self.folder / "pyproject.toml").write_text(PROJECT)
        (self.folder / "assay.sh").write_text('#!/bin/sh\necho "$0 $*"\n')
        self.index.mkdir()
        # The real ones, by another name: what is tried is what our scripts let them install.
        ours = Path(sys.executable)
        handing_on = f"import os, sys\nos.execv({str(ours)!r}, [{str(ours)!r}, '-I', '-m', 'pip', *sys.argv[1:]])\n"
        calling_uv = f'#!/bin/sh\nexec "{ours.parent}/uv" "$@"\n'
        self._lock(
            "bootstrap", ("pip", {"pip/__main__.py": handing_on}), ("uv", {"uv-1.0.data/scripts/uv": calling_uv})
        )
        self._lock("action", ("lemon", {"lemon.py": "SOUR = True\n"}), ("tiny_backend", {"tiny_backend.py": BACKEND}))
        self._lock("sast", ("semgrep", {"semgrep-1.0.data/scripts/semgrep": "#!/bin/sh\n"}))

    def _lock(self, name: str, *packages: tuple[str, dict[str, str]]) -> None:
        lock(self.folder / f"requirements/{name}.txt", *(wheel(self.index, *package) for package in packages))

    def install(self, **env: str) -> Done:
        """Install, into a folder of its own as `prepare.sh` makes it."""
        self.job.house = self.job.temp / f"house-{len(list(self.job.temp.iterdir()))}"
        (self.job.house / "work").mkdir(parents=True)
        told = {
            "ASSAY_ACTION_HOUSE": str(self.job.house),
            "ASSAY_ACTION_PYTHON": sys.executable,
            "ASSAY_ACTION_WHEELHOUSE": str(self.wheels),
            "ASSAY_ACTION_PAUSE_S": "0",
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.index),
        }
        return self.job.run("install.sh", **{**told, **env})

    def close(self) -> None:
        """The index cannot be reached any more."""
        for path in self.index.iterdir():
            path.unlink()

    def sour(self) -> str:
        """What the package that was installed says."""
        (found,) = self.job.house.glob("env/lib/*/site-packages/lemon.py")
        return found.read_text()


@pytest.fixture
def small(tmp_path: Path) -> Small:
    """A small Action, and nothing installed yet."""
    return Small(tmp_path)


@pytest.fixture
def kept(small: Small) -> Small:
    """The same with a full wheelhouse, as it comes from a cache; the index still there."""
    small.wheels.mkdir()
    for path in small.index.iterdir():
        (small.wheels / path.name).write_bytes(path.read_bytes())
    return small


def test_what_was_downloaded_once_is_installed_again_without_an_index(small: Small):
    before = {path: path.stat().st_mtime_ns for path in small.folder.rglob("*")}
    first = small.install()
    assert first.code == 0, first.said
    assert {path: path.stat().st_mtime_ns for path in small.folder.rglob("*")} == before, "not a file of the Action's"
    assert "from the package index" in first.stdout
    assert sorted(path.name.split("-")[0] for path in small.wheels.iterdir()) == [
        "lemon", "pip", "semgrep", "tiny_backend", "uv",
    ]  # fmt: skip
    small.close()
    again = small.install()
    assert again.code == 0, again.said
    assert "from the cache" in again.stdout
    assert "fetched" not in again.outputs
    said = subprocess.check_output([again.outputs["assay"], "x"], text=True)
    assert said == f"{small.job.house}/env/bin/assay x\n"
    assert Path(again.outputs["semgrep"]).is_file()


def altered(path: Path) -> None:
    """One bit of its content is another."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-100])


def exchanged(path: Path) -> None:
    """A good wheel with another content under the same name."""
    wheel(path.parent, "lemon", {"lemon.py": "SOUR = False\n"})


SLOW = pytest.mark.soak
"""Each installs once or twice, which is seconds: `make test` has one of a kind."""


@pytest.mark.parametrize(
    "harm", [altered, *(pytest.param(harm, marks=SLOW) for harm in (truncated, exchanged, Path.unlink))]
)
def test_a_wheel_that_is_not_what_was_locked_is_fetched_anew(kept: Small, harm: Callable[[Path], None]):
    harm(kept.wheels / "lemon-1.0-py3-none-any.whl")
    done = kept.install()
    assert done.code == 0, done.said
    assert done.outputs["fetched"] == "true"
    assert kept.sour() == "SOUR = True\n"


@pytest.mark.parametrize(
    "name", ["lemon", *(pytest.param(name, marks=SLOW) for name in ("uv", "pip", "tiny_backend", "semgrep"))]
)
def test_a_wheel_that_is_not_what_was_locked_is_never_installed(kept: Small, name: str):
    kept.close()
    altered(kept.wheels / f"{name}-1.0-py3-none-any.whl")
    done = kept.install()
    assert done.code == 3
    assert "packages could not be downloaded in 3 tries" in done.said.splitlines()[-1]
    assert "assay" not in done.outputs
    assert not any(name in str(path) for path in kept.job.house.glob("*/lib/*/site-packages/*"))


def test_a_newer_wheel_that_was_planted_is_not_taken(kept: Small):
    kept.close()
    wheel(kept.wheels, "lemon", {"lemon.py": "SOUR = False\n"}, version="2.0")
    planted = wheel(kept.wheels, "lemon", {"lemon.py": "SOUR = False\n"}, version="1.0.post1")
    # Of one version the one with a build number is preferred.
    planted.rename(kept.wheels / "lemon-1.0-9-py3-none-any.whl")
    done = kept.install()
    assert done.code == 0, done.said
    assert "2 cached files" in done.stdout
    assert kept.sour() == "SOUR = True\n"


@SLOW
def test_what_an_index_gives_is_checked_as_well(small: Small):
    exchanged(small.index / "lemon-1.0-py3-none-any.whl")
    done = small.install()
    assert done.code == 3
    assert "DO NOT MATCH THE HASHES" in done.said
    assert not (small.job.house / "env/bin/assay").exists()


def test_settings_of_the_projects_own_python_are_not_meant_for_ours(kept: Small, tmp_path: Path):
    hostile = tmp_path / "hostile"
    hostile.mkdir()
    (hostile / "sitecustomize.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    done = kept.install(
        PYTHONPATH=str(hostile), PYTHONSTARTUP=str(hostile / "sitecustomize.py"), PIP_REQUIRE_VIRTUALENV="1",
        PIP_TARGET=str(hostile), PIP_NO_BINARY=":all:", UV_NO_INSTALL="1", UV_CACHE_DIR="/nowhere",
        VIRTUAL_ENV=str(hostile),
    )  # fmt: skip
    assert done.code == 0, done.said
    assert not (tmp_path / "ran").exists()
    assert [path.name for path in hostile.iterdir()] == ["sitecustomize.py"]


# ------------------------------------------------------------------ the steps


@pytest.fixture
def told(job: Job) -> Callable[..., Done]:
    """Run a step whose program is a shell script of the test's."""

    def run_step(step: str, program: str, **env: str) -> Done:
        path = job.temp / "assay"
        path.write_text(f"#!/usr/bin/env bash\n{program}\n")
        path.chmod(0o755)
        more = {"ASSAY_ACTION_ASSAY": str(path), "ASSAY_ACTION_HOUSE": str(job.house), **env}
        return job.run("run.sh", step, **more)

    return run_step


SECRETS = {
    "ASSAY_ACTION_TOKEN": "s3cret",
    "GITHUB_TOKEN": "s3cret",
    "GH_TOKEN": "s3cret",
    "ACTIONS_RUNTIME_TOKEN": "s3cret",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "s3cret",
    "ACTIONS_ID_TOKEN_REQUEST_URL": "http://s3cret",
}
SPEAKING = ("GITHUB_ENV", "GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY")


def test_where_the_changes_commands_run_there_is_no_credential_and_no_way_to_the_runner(told: Callable[..., Done]):
    # Of the shells above it too, as far as they are ours.
    looking = "env; cat /proc/$PPID/environ /proc/$(ps -o ppid= -p $PPID | tr -d ' ')/environ | tr '\\0' '\\n'"
    done = told("judge", looking, **SECRETS, **dict.fromkeys(SPEAKING[:2], "/x"), KEPT="yes")
    assert done.code == 0
    assert "s3cret" not in done.stdout
    assert [name for name in SPEAKING if f"{name}=" in done.stdout] == []
    assert "KEPT=yes" in done.stdout
    assert "PYTHONSAFEPATH=1" in done.stdout


def test_the_step_that_fetches_has_the_token_and_no_identity(told: Callable[..., Done]):
    done = told("fetch", "env", **SECRETS)
    assert "ASSAY_ACTION_TOKEN=s3cret" in done.stdout
    assert "ACTIONS_" not in done.stdout


def test_the_step_that_publishes_may_say_who_it_is(told: Callable[..., Done]):
    assert "ACTIONS_ID_TOKEN_REQUEST_TOKEN=s3cret" in told("publish", "env", **SECRETS).stdout


@pytest.mark.parametrize("step", ["fetch", "judge"])
def test_the_runner_takes_no_commands_from_what_is_printed_before_the_verdict(told: Callable[..., Done], step: str):
    done = told(step, "echo '::error::not ours'")
    first, *_, last = done.stdout.split()
    word = first.removeprefix("::stop-commands::")
    assert len(word) == 32
    assert last == f"::{word}::"
    assert f"::stop-commands::{word}" not in told(step, "true").stdout


def test_no_step_works_in_the_workspace(told: Callable[..., Done], job: Job):
    for step in ("fetch", "judge", "publish"):
        assert str(job.house) in told(step, "pwd").stdout.splitlines()


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_actions_exit_code_is_that_of_the_last_step(told: Callable[..., Done], code: int):
    assert told("publish", f'echo conclusion=x >>"$GITHUB_OUTPUT"; exit {code}').code == code


@pytest.mark.parametrize(
    ("step", "code", "conclusion"),
    [("fetch", 2, "misconfigured"), ("judge", 3, "could_not_run"), ("judge", 139, "could_not_run")],
)
def test_a_step_that_stops_is_told_by_the_last_one_which_ends_alike(
    told: Callable[..., Done], job: Job, step: str, code: int, conclusion: str
):
    assert told(step, f"echo 'assay: input x: 100% wrong' >&2; exit {code}").code == code
    done = told("publish", "echo must not run; exit 0", ASSAY_ACTION_STOPPED=step)
    assert done.code == (2 if code == 2 else 3)
    assert "must not run" not in done.stdout
    assert done.outputs == {"conclusion": conclusion, "title": "Assay came to no verdict"}
    assert "    input x: 100% wrong\n" in (job.temp / "summary").read_text()
    assert "::error title=Assay::input x: 100%25 wrong\n" in done.stdout


def test_a_last_step_that_ends_without_a_word_is_told_too(told: Callable[..., Done]):
    done = told("publish", "echo 'assay: GitHub is down' >&2; exit 3")
    assert done.code == 3
    assert done.outputs["conclusion"] == "could_not_run"
    assert "::error title=Assay::GitHub is down" in done.stdout
