"""Go projects with a real go: what is kept of their modules and of the standard library, and who can write it."""

from __future__ import annotations

import io
import shutil
import subprocess
import threading
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from assay.validators.report.model import Outcome
from tests.repositories import RealRepository
from tests.validators.tools.changes import only, run_on, settings

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(shutil.which("go") is None, reason="go is not installed"),
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed"),
]
MODULE, VERSION = "example.org/dep", "v1.0.0"
TEST = """\
package shop

import (
	"os"
	"path/filepath"
	"testing"

	"example.org/dep"
)

func TestTotal(t *testing.T) {
	for _, name := range []string{"GOMODCACHE", "GOCACHE"} {
		os.WriteFile(filepath.Join(os.Getenv(name), "stolen"), nil, 0o644)
	}
	if dep.One() != Total() {
		t.Fatal(Total())
	}
}
"""


class Proxy(SimpleHTTPRequestHandler):
    """A module proxy that counts what it is asked for."""

    asked: ClassVar[Counter[str]] = Counter()

    def do_GET(self) -> None:
        """Count, and serve the file."""
        self.asked[self.path] += 1
        super().do_GET()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
        """Say nothing."""


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Counter[str]]:
    """Requests to the proxy that has the module, by path."""
    folder = tmp_path / "proxy" / MODULE / "@v"
    folder.mkdir(parents=True)
    manifest = f"module {MODULE}\n\ngo 1.19\n"
    files = {"go.mod": manifest, "dep.go": "package dep\n\nfunc One() int { return 1 }\n"}
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(f"{MODULE}@{VERSION}/{name}", text)
    (folder / f"{VERSION}.info").write_text(f'{{"Version": "{VERSION}"}}')
    (folder / f"{VERSION}.mod").write_text(manifest)
    (folder / f"{VERSION}.zip").write_bytes(content.getvalue())
    Proxy.asked.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Proxy, directory=str(tmp_path / "proxy")))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setenv("GOPROXY", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield Proxy.asked
    server.shutdown()
    server.server_close()


def test_modules_and_the_standard_library_are_fetched_once_and_no_test_writes_what_is_kept(
    repository: RealRepository, tmp_path: Path, asked: Counter[str], monkeypatch: pytest.MonkeyPatch
):
    repository.write("go.mod", f"module example.org/shop\n\ngo 1.19\n\nrequire {MODULE} {VERSION}\n")
    repository.write("go.sum", "")
    repository.write("shop.go", "package shop\n\nfunc Total() int { return 1 }\n")
    repository.write("shop_test.go", TEST)
    with monkeypatch.context() as patched:
        patched.setenv("GONOSUMDB", "*")
        patched.setenv("GOMODCACHE", str(tmp_path / "modules"))
        subprocess.run(["go", "mod", "tidy", "-modcacherw"], cwd=repository.path, check=True)
    asked.clear()
    repository.commit()
    repository.commit(files={"shop.go": "package shop\n\nfunc Total() int { return 2 }\n"})
    config = settings("go test ./...", setup="auto", sandbox="required", scanners={"semgrep": False})
    for _ in range(2):
        run = only(run_on(repository, config))
        assert (run.outcome, run.base_outcome) == (Outcome.failed, Outcome.passed)
    assert asked[f"/{MODULE}/@v/{VERSION}.zip"] == 1
    kept = tmp_path / "cache/assay/trees"
    assert {path.name for path in kept.glob("*/*/*")} >= {"cache", "example.org", "README"}
    assert not list(kept.rglob("stolen"))
