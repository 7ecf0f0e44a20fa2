"""Trees no git would make: names that lead out of every folder, into git's own, or through a link."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.github.pull_request.checkout import Mirrors, Wanted
from assay.validators import ValidationRequest, validate_isolated
from tests.repositories import RealRepository

CODE = b"import subprocess\n\n\ndef run(x):\n    return subprocess.run(x, shell=True)\n"


@pytest.mark.soak
def test_a_hostile_tree_is_fetched_and_validated_and_writes_nothing_outside(
    repository: RealRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    base = repository.commit("Start", {"app.py": "x = 1\n"})
    outside = tmp_path / "outside"
    outside.mkdir()
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    head = _hostile_commit(repository, base, outside)
    repository.git("update-ref", "refs/heads/evil", head)
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        repository.git("config", name, "true")
    mirrors = Mirrors(tmp_path / "mirrors", local=True)
    with mirrors.checkout("acme/shop", 1, repository.path.as_uri(), None, Wanted(base, head, 1)) as checkout:
        report = validate_isolated(
            ValidationRequest(str(checkout.repository), base, head), deadline_s=200, memory_bytes=4 * 1024**3
        )
    assert report.tools is not None
    assert report.tools.findings, "the scanners looked, and so the files were written out somewhere"
    assert list(outside.iterdir()) == []
    assert list(scratch.iterdir()) == [], "what was written out is gone"
    assert [path.name for path in tmp_path.rglob("pwned.py")] == []
    assert {path.name for path in tmp_path.iterdir()} == {"outside", "scratch", "mirrors", repository.path.name}


def _hostile_commit(repository: RealRepository, base: str, outside: Path) -> str:
    """A commit after `base` whose tree only `hash-object --literally` makes."""

    def put(kind: str, content: bytes) -> str:
        return repository.git("hash-object", "-t", kind, "-w", "--stdin", "--literally", data=content).strip()

    def tree(*entries: tuple[str, bytes, str]) -> str:
        return put("tree", b"".join(b"%b %b\0%b" % (mode.encode(), n, bytes.fromhex(id_)) for mode, n, id_ in entries))

    code = put("blob", CODE)
    inner = tree(("100644", b"pwned.py", code))
    up = tree(("40000", b"..", tree(("40000", b"..", inner))))
    whole = tree(
        ("40000", b"..", up),
        ("40000", b".git", inner),
        ("100644", str(outside / "pwned.py").encode(), code),
        ("100644", b"../pwned.py", code),
        ("100644", b"..\\pwned.py", code),
        ("100644", b"--config=pwned.py", code),
        ("100644", b"\xff\n.py", code),
        ("120000", b"link", put("blob", str(outside).encode())),
        ("100644", b"link/pwned.py", code),
    )
    return repository.git("commit-tree", whole, "-p", base, "-m", "Evil").strip()
