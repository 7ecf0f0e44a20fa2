"""A backup is made while the App writes, and is a whole database where it is restored."""

from __future__ import annotations

import shutil
import sqlite3
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from assay.cli.main import run
from assay.github.errors import SettingsError
from assay.github_app.ops.backup import back_up
from assay.github_app.ops.settings import Settings
from assay.github_app.runtime.queues import Queues
from assay.github_app.store import DeliveryState, Store
from tests.github_app.remembering import after


def settings_of(folder: Path, **more: str) -> Settings:
    return Settings(data_dir=folder, **more)  # type: ignore[arg-type]


def test_a_copy_made_while_the_app_writes_is_whole(tmp_path: Path):
    settings = settings_of(tmp_path / "data")
    Queues(settings.jobs_url()).close()
    stop, num_written = threading.Event(), [0]
    with Store.open(settings.store_url()) as store:

        def write() -> None:
            while not stop.is_set():
                number = num_written[0]
                store.deliveries.receive(
                    f"d{number}", "push", None, "octo/shop", None, 1, b"x" * 2000, after() + timedelta(seconds=number)
                )
                num_written[0] = number + 1

        writer = threading.Thread(target=write)
        writer.start()
        try:
            copies = []
            for number in range(5):
                before = num_written[0]
                files = back_up(settings, tmp_path / f"backup{number}")
                copies.append((before, files, num_written[0]))
        finally:
            stop.set()
            writer.join()
    for number, (before, files, later) in enumerate(copies):
        assert [file.name for file in files] == ["jobs.sqlite", "assay.sqlite"]
        assert {file.stat().st_mode & 0o077 for file in files} == {0}
        restored = tmp_path / f"restored{number}"
        restored.mkdir()
        for file in files:
            shutil.copy(file, restored)
        with Store.open(settings_of(restored).store_url()) as store:
            count = sum(store.deliveries.counts(DeliveryState).values())
            assert before <= count <= later + 1
            assert all(store.deliveries.get(f"d{one}") is not None for one in range(count))
            assert store.alerts.once("kind", "restored", after())


@pytest.mark.parametrize(
    ("prepare", "code"),
    [
        (lambda folder: None, "backup.no-database"),
        (lambda folder: (folder / "assay.sqlite").write_bytes(b"no database"), "backup.failed"),
    ],
)
def test_without_a_good_database_it_is_one_line(prepare, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    data = tmp_path / "data"
    data.mkdir()
    sqlite3.connect(data / "jobs.sqlite").close()
    (data / "jobs.sqlite").touch()
    prepare(data)
    assert run(["app", "backup", str(tmp_path / "new"), "--data-dir", str(data)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"assay: {code}: ")
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten_and_postgres_is_not_ours(tmp_path: Path):
    settings = settings_of(tmp_path / "data")
    Queues(settings.jobs_url()).close()
    with Store.open(settings.store_url()):
        with pytest.raises(SettingsError, match=r"backup\.exists"):
            back_up(settings, tmp_path)
        other = settings_of(tmp_path / "data", database_url="postgresql+psycopg://assay:hunter2@db/x")
        with pytest.raises(SettingsError, match=r"backup\.not-sqlite") as caught:
            back_up(other, tmp_path / "new")
    assert "hunter2" not in str(caught.value)
