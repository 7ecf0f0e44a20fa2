"""Datasets: built the same every time, downloaded whole or not at all, and unpacked without believing the archive."""

from __future__ import annotations

import functools
import gzip
import io
import json
import tarfile
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from assay.memory_eval import EvalReport, ExamCouldNotRun, ExamUsageError, UnknownDataset
from assay.memory_eval.datasets import build_dataset, download_dataset, list_datasets, unpack
from tests.memory_eval.reports import scored

NAME = "100t-seed42-v1.0"


def report() -> EvalReport:
    return scored({"a": 1.0, "b": 0.0}, memory_stats={"entries": 100})


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    folder = tmp_path / "memory"
    (folder / "deep").mkdir(parents=True)
    (folder / "graph.bin").write_bytes(bytes(range(256)) * 100)
    (folder / "deep" / "größe.txt").write_text("words")
    return folder


@pytest.fixture
def published(tmp_path: Path, memory: Path) -> Iterator[tuple[Path, str]]:
    """A folder with one dataset, and the address it is served at."""
    folder = tmp_path / "published"
    build_dataset(NAME, memory, report(), folder)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its parent's name
            pass

        def do_GET(self) -> None:
            if self.path.startswith("/away/"):
                self.send_response(302)
                self.send_header("Location", "http://example.invalid/elsewhere")
                self.end_headers()
            else:
                super().do_GET()

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield folder, f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_dataset_is_downloaded_checked_and_unpacked(tmp_path: Path, memory: Path, published: tuple[Path, str]):
    path = download_dataset(NAME, tmp_path / "datasets", published[1])
    assert path == tmp_path / "datasets" / NAME
    assert (path / "memory_db" / "graph.bin").read_bytes() == (memory / "graph.bin").read_bytes()
    assert (path / "memory_db" / "deep" / "größe.txt").read_text() == "words"
    metadata = json.loads((path / "metadata.json").read_text("utf-8"))
    assert (metadata["name"], metadata["num_turns"], metadata["seed"]) == (NAME, 100, 42)
    assert metadata["assay_version"]
    results = json.loads((path / "baseline_results.json").read_text("utf-8"))
    assert results["overall_score"] == 0.5
    assert len(results["results"]) == 2
    assert [one.name for one in (tmp_path / "datasets").iterdir()] == [NAME]


def test_the_list_says_what_is_remote_and_what_is_here(tmp_path: Path, published: tuple[Path, str]):
    folder = tmp_path / "datasets"
    (remote,) = list_datasets(folder, published[1])
    assert (remote["name"], remote["local"], remote["seed"]) == (NAME, False, 42)
    download_dataset(NAME, folder, published[1])
    (local,) = list_datasets(folder, published[1])
    assert (local["local"], local["path"]) == (True, str(folder / NAME))
    assert list_datasets(folder) == [{"name": NAME, "local": True, "path": str(folder / NAME)}]


def test_without_an_address_nothing_is_published_yet(tmp_path: Path):
    assert list_datasets(tmp_path / "none") == []
    with pytest.raises(UnknownDataset, match=r"dataset\.unknown"):
        download_dataset("5000t-seed42-v1.0", tmp_path)


def test_the_address_may_stand_in_the_environment(
    tmp_path: Path, published: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("ASSAY_DATASETS_URL", published[1] + "/")
    assert (download_dataset(NAME, tmp_path / "datasets") / "memory_db").is_dir()


@pytest.mark.soak
def test_what_is_here_is_not_downloaded_again_unless_asked(tmp_path: Path, published: tuple[Path, str]):
    path = download_dataset(NAME, tmp_path / "datasets", published[1])
    (path / "mine.txt").write_text("x")
    assert download_dataset(NAME, tmp_path / "datasets", "http://127.0.0.1:1") == path
    assert (path / "mine.txt").exists()
    download_dataset(NAME, tmp_path / "datasets", published[1], force=True)
    assert not (path / "mine.txt").exists()


def test_an_archive_that_is_not_what_its_checksum_says_is_not_unpacked(tmp_path: Path, published: tuple[Path, str]):
    archive = published[0] / f"{NAME}.tar.gz"
    data = bytearray(archive.read_bytes())
    data[-1] ^= 1
    archive.write_bytes(data)
    with pytest.raises(UnknownDataset, match="does not match its checksum; nothing was unpacked"):
        download_dataset(NAME, tmp_path / "datasets", published[1])
    assert list((tmp_path / "datasets").iterdir()) == []


def test_an_archive_larger_than_said_is_not_read_to_its_end(tmp_path: Path, published: tuple[Path, str]):
    with (published[0] / f"{NAME}.tar.gz").open("ab") as file:
        file.write(bytes(1000))
    with pytest.raises(UnknownDataset, match=r"dataset\.too-large"):
        download_dataset(NAME, tmp_path / "datasets", published[1])


@pytest.mark.parametrize(
    ("address", "kind", "said"),
    [
        ("http://127.0.0.1:1", ExamCouldNotRun, "ConnectError"),
        ("http://example.invalid", ExamUsageError, "only https"),
        ("ftp://example.invalid", ExamUsageError, "only https"),
        ("file:///etc", ExamUsageError, "only https"),
    ],
)
def test_an_address_that_cannot_or_may_not_be_asked_is_one_line(tmp_path: Path, address: str, kind: type, said: str):
    with pytest.raises(kind, match=said):
        list_datasets(tmp_path, address)


@pytest.mark.parametrize("path", ["", "/away"])
def test_a_password_in_the_address_is_not_shown(tmp_path: Path, published: tuple[Path, str], path: str):
    (published[0] / "datasets.json").unlink()
    address = published[1].replace("http://", "http://me:s3cret@") + path
    with pytest.raises((ExamCouldNotRun, ExamUsageError)) as raised:
        list_datasets(tmp_path, address)
    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize("what", ["file", "folder", "link"])
def test_where_something_else_lies_a_line_says_so(tmp_path: Path, published: tuple[Path, str], what: str):
    target = tmp_path / NAME
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").touch()
    if what == "file":
        target.write_text("mine")
    elif what == "link":
        target.symlink_to(elsewhere)
    else:
        elsewhere.rename(target)
    with pytest.raises(ExamUsageError, match=r"dataset\.not-replaced"):
        download_dataset(NAME, tmp_path, published[1])
    assert target.read_text() == "mine" if what == "file" else (target / "mine").exists()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"datasets": [{"name": "../x"}]}', "[" * 100_000])
def test_a_register_that_is_none_is_one_line(tmp_path: Path, published: tuple[Path, str], text: str):
    (published[0] / "datasets.json").write_text(text)
    with pytest.raises(ExamCouldNotRun, match=r"dataset\.invalid-register"):
        list_datasets(tmp_path, published[1])


def test_a_missing_register_and_a_missing_archive_say_the_status(tmp_path: Path, published: tuple[Path, str]):
    (published[0] / f"{NAME}.tar.gz").unlink()
    with pytest.raises(ExamCouldNotRun, match="answered 404"):
        download_dataset(NAME, tmp_path / "datasets", published[1])
    (published[0] / "datasets.json").unlink()
    with pytest.raises(ExamCouldNotRun, match="answered 404"):
        list_datasets(tmp_path, published[1])


@pytest.mark.parametrize("name", ["../x", "", ".hidden", "a/b", "x" * 200])
def test_a_name_that_is_a_path_is_none(tmp_path: Path, memory: Path, name: str):
    with pytest.raises(UnknownDataset):
        download_dataset(name, tmp_path)
    with pytest.raises(ExamUsageError):
        build_dataset(name, memory, report(), tmp_path)


# ------------------------------------------------------------------ building


def test_the_same_content_gives_the_same_archive(tmp_path: Path, memory: Path):
    one = build_dataset(NAME, memory, report(), tmp_path / "one")
    for path in memory.rglob("*"):
        path.touch()
    (memory / "graph.bin").chmod(0o600)
    two = build_dataset(NAME, memory, report(), tmp_path / "two")
    assert one == two
    checksum = (tmp_path / "one" / f"{NAME}.tar.gz.sha256").read_text()
    assert checksum == f"{one['sha256']}  {NAME}.tar.gz\n"


def test_a_second_dataset_joins_the_register_and_a_rebuilt_one_replaces_itself(tmp_path: Path, memory: Path):
    for name in ("b", "a", "b"):
        build_dataset(name, memory, report(), tmp_path / "out")
    register = json.loads((tmp_path / "out" / "datasets.json").read_text())
    assert [one["name"] for one in register["datasets"]] == ["a", "b"]


def test_links_missing_memories_and_invalid_runs_make_no_dataset(tmp_path: Path, memory: Path):
    with pytest.raises(ExamUsageError, match="is not there"):
        build_dataset(NAME, tmp_path / "none", report(), tmp_path / "out")
    with pytest.raises(ExamUsageError, match=r"dataset\.invalid-run"):
        build_dataset(NAME, memory, scored({"a": 0.0}, valid=False, why_invalid="it died"), tmp_path / "out")
    (memory / "passwords").symlink_to("/etc/passwd")
    with pytest.raises(ExamUsageError, match=r"dataset\.not-a-file"):
        build_dataset(NAME, memory, report(), tmp_path / "out")
    assert list((tmp_path / "out").glob("*tar*")) == []


# ------------------------------------------------------------------ hostile archives


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> Path:
    with tarfile.open(path, "w:gz") as tar:
        for info, data in members:
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return path


def member(name: str, kind: bytes = tarfile.REGTYPE, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


@pytest.mark.parametrize(
    "bad",
    [
        member("../outside"),
        member("a/../../outside"),
        member("link", tarfile.SYMTYPE, "/etc"),
        member("hard", tarfile.LNKTYPE, "/etc/passwd"),
        member("pipe", tarfile.FIFOTYPE),
        member("device", tarfile.CHRTYPE),
    ],
    ids=lambda info: info.name,
)
def test_a_member_that_is_no_plain_file_below_is_refused(tmp_path: Path, bad: tarfile.TarInfo):
    path = archive(tmp_path / "x", (member("metadata.json"), b"{}"), (bad, b""))
    with pytest.raises(UnknownDataset, match=r"does not hold|cannot be unpacked"):
        unpack(path, tmp_path / "out")
    assert not (tmp_path / "outside").exists()


def test_a_second_member_of_the_same_name_is_refused(tmp_path: Path):
    path = archive(tmp_path / "x", (member("metadata.json"), b"{}"), (member("metadata.json"), b"[]"))
    with pytest.raises(UnknownDataset, match="does not hold"):
        unpack(path, tmp_path / "out")


@pytest.mark.soak
def test_an_archive_of_zeros_is_stopped_early(tmp_path: Path):
    path = archive(tmp_path / "x", (member("memory_db/zeros"), bytes(300 * 1024 * 1024)))
    with pytest.raises(UnknownDataset, match="does not hold"):
        unpack(path, tmp_path / "out")


@pytest.mark.parametrize(
    "data",
    [b"", b"no archive", gzip.compress(b"no tar"), gzip.compress(bytes(20480))[:-9]],
    ids=["nothing", "no gzip", "no tar", "cut off"],
)
def test_what_is_no_archive_is_one_line(tmp_path: Path, data: bytes):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(UnknownDataset, match=r"cannot be unpacked|is not a dataset"):
        unpack(tmp_path / "x", tmp_path / "out")


@pytest.mark.parametrize("place", ["file", "file/below", "n" * 300, "../" * 2000])
def test_a_folder_that_cannot_be_is_one_line_that_names_it(
    tmp_path: Path, memory: Path, published: tuple[Path, str], place: str
):
    (tmp_path / "file").write_text("no folder")
    folder = tmp_path / place
    for attempt in (
        lambda: build_dataset(NAME, memory, report(), folder),
        lambda: download_dataset(NAME, folder, published[1]),
    ):
        with pytest.raises(ExamUsageError, match=r"file\.not-(read|written)") as caught:
            attempt()
        assert "\n" not in str(caught.value)
    if len(place) > 100:
        with pytest.raises(ExamUsageError, match=r"file\.not-read"):
            list_datasets(folder)
