"""What the Action installs itself from: only what was locked, whatever a cache or an index holds."""

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

from tests.test_action import SCRIPTS, Done, Job

WHEELHOUSE = SCRIPTS / "wheelhouse.py"


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


@pytest.mark.system
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


@pytest.mark.soak
def test_a_job_that_only_runs_commands_does_without_semgrep(small: Small):
    small.wheels.mkdir()
    done = small.install(ASSAY_ACTION_MODE="tools")
    assert done.code == 0, done.said
    assert sorted(path.name.split("-")[0] for path in small.wheels.iterdir()) == ["lemon", "pip", "tiny_backend", "uv"]
    assert Path(done.outputs["assay"]).is_file()
    assert "semgrep" not in done.outputs
    assert not (small.job.house / "env-sast").exists()


@pytest.mark.soak
def test_only_the_scanners_that_were_asked_for_come_into_a_prebuilt_environment(small: Small):
    small._lock(
        "action",
        ("lemon", {"lemon.py": "SOUR = True\n"}),
        ("zizmor", {"zizmor-1.0.data/scripts/zizmor": "#!/bin/sh\n"}),
    )
    prebuilt = small.job.temp / "prebuilt"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", prebuilt / "env"], check=True)
    told = {"ASSAY_ACTION_HOUSE": str(prebuilt), "ASSAY_ACTION_KEEPS": "false", "ASSAY_ACTION_MODE": "publish"}
    done = small.install(**told, ASSAY_ACTION_SCANNERS="semgrep zizmor")
    assert done.code == 0, done.said
    assert set(done.outputs) <= {"semgrep", "fetched"}
    assert Path(done.outputs["semgrep"]).is_file()
    assert (prebuilt / "env/bin/zizmor").is_file()
    assert not list(prebuilt.glob("env/lib/*/site-packages/lemon.py"))


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


@pytest.mark.soak
@pytest.mark.parametrize(
    "harm", [altered, *(pytest.param(harm, marks=SLOW) for harm in (truncated, exchanged, Path.unlink))]
)
def test_a_wheel_that_is_not_what_was_locked_is_fetched_anew(kept: Small, harm: Callable[[Path], None]):
    harm(kept.wheels / "lemon-1.0-py3-none-any.whl")
    done = kept.install()
    assert done.code == 0, done.said
    assert done.outputs["fetched"] == "true"
    assert kept.sour() == "SOUR = True\n"


@pytest.mark.soak
@pytest.mark.parametrize(
    "name", ["lemon", *(pytest.param(name, marks=SLOW) for name in ("uv", "pip", "tiny_backend", "semgrep"))]
)
def test_a_wheel_that_is_not_what_was_locked_is_never_installed(kept: Small, name: str):
    kept.close()
    altered(kept.wheels / f"{name}-1.0-py3-none-any.whl")
    done = kept.install()
    assert done.code == 3
    assert "packages could not be downloaded in 3 tries" in done.lines[-1]
    assert "assay" not in done.outputs
    assert not any(name in str(path) for path in kept.job.house.glob("*/lib/*/site-packages/*"))


@pytest.mark.soak
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


@pytest.mark.soak
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
