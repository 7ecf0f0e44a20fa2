"""The Action's prebuilt packages: only content that was locked is unpacked, whoever filled the folder it is kept in."""

from __future__ import annotations

import functools
import hashlib
import http.server
import io
import lzma
import os
import shutil
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.examples import sampled
from tests.test_action import SCRIPTS, Done, Job


def tar_of(files: dict[str, bytes], *more: tarfile.TarInfo) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name, content in files.items():
            facts = tarfile.TarInfo(name)
            facts.size, facts.mode = len(content), 0o755
            archive.addfile(facts, io.BytesIO(content))
        for one in more:
            archive.addfile(one)
    return buffer.getvalue()


def link(name: str, target: str) -> tarfile.TarInfo:
    facts = tarfile.TarInfo(name)
    facts.type, facts.linkname = tarfile.SYMTYPE, target
    return facts


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Release:
    """A release's files at an address, their lock, and a job that prepares itself by them."""

    def __init__(self, folder: Path) -> None:
        self.files, self.keep, self.action = folder / "files", folder / "tools", folder / "action"
        self.files.mkdir()
        self.job = Job(folder)
        # What prepare.sh reads of the Action's folder.
        shutil.copytree(SCRIPTS, self.action / ".github/action")
        (self.action / "requirements").mkdir()
        for name in ("bootstrap", "action", "sast"):
            (self.action / f"requirements/{name}.txt").write_text("")
        (self.action / "assay/cli").mkdir(parents=True)
        (self.action / "assay/__init__.py").write_text('__version__ = "1.2.3"\n')
        (self.action / "assay/cli/main.py").write_text("import lemon\n\n\ndef main():\n    print(lemon.TASTE)\n")
        self.job.scripts = self.action / ".github/action"
        self.lock = self.action / "requirements/archives.lock"
        self.lock.write_text("# none\n")
        handler = functools.partial(_Quiet, directory=str(self.files))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add(self, part: str, tar: bytes, *, locked: bytes | None = None) -> str:
        """Put an archive there, and lock it; what is `locked` may be another content."""
        known = tar if locked is None else locked
        machine = subprocess.check_output(
            [sys.executable, "-c", "import archive; print(archive.machine())"], cwd=SCRIPTS, text=True
        ).strip()
        name = f"assay-{part}-{machine}-{sys.implementation.cache_tag}-x.tar.xz"
        (self.files / name).write_bytes(lzma.compress(tar, preset=0))
        line = f"{hashlib.sha256(known).hexdigest()} {len(known)} {name}\n"
        self.lock.write_text(self.lock.read_text() + line)
        return name

    def taste(self, text: str = "sour") -> bytes:
        python = f"lib/python3.{sys.version_info.minor}/site-packages"
        return tar_of({f"{python}/lemon.py": f"TASTE = {text!r}\n".encode(), "bin/jscpd": b"\x7fELF"})

    def prepare(self, mode: str = "publish", **env: str) -> Done:
        address = f"http://127.0.0.1:{self.server.server_port}"
        more = {"RUNNER_TOOL_CACHE": str(self.keep), "ASSAY_ARCHIVES": address, "ASSAY_ACTION_MODE": mode, **env}
        # A Python of the name that is looked for first, with which the archives were made.
        names = self.job.temp / "names"
        names.mkdir(exist_ok=True)
        for name in ("python3.13", "python3.12", "python3.11"):
            if not (names / name).exists():
                (names / name).symlink_to(os.path.realpath(sys.executable))
        return self.job.run("prepare.sh", PATH=f"{names}:{os.environ['PATH']}", NO_PROXY="127.0.0.1", **more)


@pytest.fixture
def release(tmp_path: Path) -> Iterator[Release]:
    made = Release(tmp_path)
    yield made
    made.server.shutdown()
    made.server.server_close()


def said(done: Done) -> str:
    return subprocess.check_output([done.outputs["assay"]], text=True)


def test_archives_are_unpacked_and_kept_and_assay_is_of_the_actions_own_commit(release: Release):
    release.add("base", release.taste())
    kept = release.add("quality", tar_of({"bin/tool": b"\x7fELF"}))
    first = release.prepare()
    assert first.code == 0, first.said
    assert set(first.outputs) == {"house", "python", "assay"}, "no key: nothing is taken from a cache or installed"
    assert said(first) == "sour\n"
    assert os.access(Path(first.outputs["house"]) / "env/bin/tool", os.X_OK)
    assert [path.name for path in (release.action / "assay").iterdir()] == ["__init__.py", "cli"]
    for file in release.files.iterdir():
        file.unlink()
    assert (release.keep / "assay-archives" / kept.removesuffix(".xz")).is_file()
    again = release.prepare()
    assert said(again) == "sour\n"
    assert "0.0 MB downloaded" in again.stdout


@pytest.mark.system
@pytest.mark.parametrize("planted", sampled([b"x" * 20480, tar_of({"bin/evil": b"1"}), b""], 1))
def test_what_another_job_left_in_the_kept_folder_is_not_unpacked(release: Release, planted: bytes):
    name = release.add("base", release.taste())
    release.add("quality", tar_of({}))
    (release.keep / "assay-archives").mkdir(parents=True)
    (release.keep / "assay-archives" / name.removesuffix(".xz")).write_bytes(planted)
    assert said(release.prepare()) == "sour\n"


def test_a_link_in_the_kept_folder_is_replaced_and_leads_nowhere(release: Release, tmp_path: Path):
    name = release.add("base", release.taste())
    release.add("quality", tar_of({}))
    (tmp_path / "mine").write_text("mine")
    (release.keep / "assay-archives").mkdir(parents=True)
    (release.keep / "assay-archives" / name.removesuffix(".xz")).symlink_to(tmp_path / "mine")
    assert said(release.prepare()) == "sour\n"
    assert (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize(
    ("tar", "locked"),
    sampled(
        [
            (tar_of({"bin/evil": b"1"}), tar_of({"bin/good": b"1"})),
            (tar_of({"bin/good": b"1"}) + b"\0" * 512, tar_of({"bin/good": b"1"})),
            (tar_of({"../outside": b"1"}), None),
            (tar_of({}, link("lib/python3", "/")), None),
        ],
        2,
    ),
    ids=["content", "longer", "outside", "link"],
)
def test_an_archive_that_is_not_what_was_locked_or_leaves_its_place_means_to_install_as_before(
    release: Release, tar: bytes, locked: bytes | None
):
    release.add("base", tar, locked=locked)
    release.add("quality", tar_of({}))
    done = release.prepare()
    assert done.code == 0, done.said
    assert set(done.outputs) == {"house", "python", "key"}
    assert not (Path(done.outputs["house"]) / "env").exists()
    assert not (release.job.temp / "outside").exists()
    kept = [path.read_bytes() for path in (release.keep / "assay-archives").glob("*-base-*")]
    assert kept == ([] if locked is not None else [tar]), "only what was locked is kept"


@pytest.mark.system
def test_without_a_release_or_for_another_python_packages_are_installed_as_before(release: Release):
    assert set(release.prepare().outputs) == {"house", "python", "key"}
    release.add("base", release.taste())
    release.add("quality", tar_of({}))
    assert set(release.prepare(ASSAY_ARCHIVES="http://127.0.0.1:9").outputs) == {"house", "python", "key"}
    assert set(release.prepare(ASSAY_ARCHIVES="file:///").outputs) == {"house", "python", "key"}
    release.lock.write_text(release.lock.read_text().replace(sys.implementation.cache_tag or "", "cpython-399"))
    assert set(release.prepare().outputs) == {"house", "python", "key"}


def test_a_job_takes_no_more_than_its_mode_needs(release: Release):
    release.add("base", release.taste())
    release.add("setup", tar_of({"bin/uv": b"\x7fELF"}))
    assert "assay" in release.prepare("tools").outputs
    assert "assay" not in release.prepare("publish").outputs, "there is no part with the tools of quality"
    assert "assay" not in release.prepare("report").outputs, "the memory evaluation has no archives"


@pytest.mark.system
@pytest.mark.parametrize(
    ("place", "address"),
    [
        ("_actions/olive/assay/v1", "https://github.example.org/olive/assay/releases/download/v1.2.3/"),
        ("_work/shop/.assay-action", "https://origin.example.org/tools/assay/releases/download/v1.2.3/"),
    ],
)
def test_archives_are_looked_for_in_the_releases_of_the_actions_own_repository(
    release: Release, tmp_path: Path, place: str, address: str
):
    release.add("base", release.taste())
    release.add("quality", tar_of({}))
    (tmp_path / place).parent.mkdir(parents=True)
    release.action = release.action.rename(tmp_path / place)
    release.job.scripts = release.action / ".github/action"
    git = ("git", "-C", str(release.action))
    subprocess.run([*git, "init", "--quiet"], check=True)
    subprocess.run([*git, "remote", "add", "origin", "https://origin.example.org/tools/assay.git"], check=True)
    nowhere = {"HTTPS_PROXY": "http://127.0.0.1:9", "https_proxy": "http://127.0.0.1:9"}
    done = release.prepare(ASSAY_ARCHIVES="", GITHUB_SERVER_URL="https://github.example.org", **nowhere)
    assert "key" in done.outputs
    assert f"no prebuilt packages: {address}assay-base-" in done.stdout


def test_every_locked_archive_is_of_a_known_part_and_each_system_has_all_of_them():
    lines = [line.split() for line in (ROOT / "requirements/archives.lock").read_text().splitlines()[1:]]
    assert all(name.endswith(f"-{digest[:12]}.tar.xz") for digest, _, name in lines)
    names = {name.removeprefix("assay-").rpartition("-")[0] for _, _, name in lines}
    assert len(names) == len(lines)
    systems = {name.partition("-")[2] for name in names}
    assert names == {f"{part}-{system}" for part in ("base", "setup", "quality") for system in systems}
