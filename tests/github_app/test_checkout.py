"""Mirrors over git's own smart HTTP: what is brought, what is refused, what never leaks, and who may remove what."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from subprocess import PIPE, Popen
from subprocess import run as started

import pytest

from assay.github.errors import CheckoutFailed
from assay.github.pull_request.checkout import MirrorLimits, Mirrors, Wanted
from assay.validators import Mirror, Remote, Repository, change_between
from tests.github_app.git_server import HEADER, TOKEN, GitServer, serving
from tests.repositories import RealRepository


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    (tmp_path / "served").mkdir()
    with serving(GitServer(tmp_path / "served")) as one:
        yield one


@dataclass
class Shop:
    """A repository on the server: its address, and a base and head in it."""

    url: str
    bare: Path
    base: str
    head: str
    work: RealRepository

    def settings(self, **changes: str) -> None:
        for name, value in changes.items():
            self.work.git("--git-dir", str(self.bare), "config", name.replace("_", ".", 1), value)

    def push(self, *refspecs: str) -> None:
        self.work.git("push", "--quiet", "--force", str(self.bare), *refspecs)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The shop as it is before each test: (a folder with work tree and bare repository, base, head)."""
    folder = tmp_path_factory.mktemp("shop")
    repository, bare = RealRepository(folder / "work"), folder / "shop.git"
    repository.git("init", "--quiet", "--bare", "--initial-branch=main", str(bare))
    repository.commit("Old", {"old.txt": "only in history\n" * 50, "shop.py": "x = 0\n"})
    repository.remove("old.txt")
    base = repository.commit("Start", {"shop.py": "x = 1\n", "photo.png": b"\x89PNG" + os.urandom(4000)})
    repository.branch("topic")
    head = repository.commit("Change", {"shop.py": "x = 2\n", "new.py": "import shop\n"})
    repository.git("push", "--quiet", str(bare), "main", "topic", "topic:refs/pull/7/head")
    for name in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        repository.git("--git-dir", str(bare), "config", name, "true")
    return folder, base, head


@pytest.fixture
def shop(server: GitServer, made: tuple[Path, str, str], tmp_path: Path) -> Shop:
    folder, base, head = made
    shutil.copytree(folder / "shop.git", server.root / "acme" / "shop.git")
    shutil.copytree(folder / "work", tmp_path / "work", symlinks=True)
    work = RealRepository(tmp_path / "work")
    return Shop(f"{server.url}/acme/shop.git", server.root / "acme" / "shop.git", base, head, work)


def checkout(mirrors: Mirrors, shop: Shop, **more: object):
    token = more.pop("token", TOKEN)
    wanted = Wanted(**{"base": shop.base, "head": shop.head, "number": 7} | more)  # type: ignore[arg-type]
    return mirrors.checkout("acme/shop", 42, shop.url, token, wanted)  # type: ignore[arg-type]


def objects_in(folder: Path) -> set[str]:
    command = ["git", "--git-dir", str(folder), "cat-file", "--batch-all-objects", "--batch-check"]
    done = started(command, capture_output=True, check=True)
    return {line.split()[1] for line in done.stdout.decode().splitlines()}


def blobs_in(folder: Path) -> int:
    command = ["git", "--git-dir", str(folder), "cat-file", "--batch-all-objects", "--batch-check"]
    done = started(command, capture_output=True, check=True)
    return sum(b" blob " in line for line in done.stdout.splitlines())


@pytest.fixture
def mirrors(tmp_path: Path) -> Mirrors:
    return Mirrors(tmp_path / "mirrors")


# ------------------------------------------------------------------ what is brought


def test_a_change_is_brought_and_can_be_read_whole(mirrors: Mirrors, shop: Shop):
    with checkout(mirrors, shop) as got, Repository(got.repository) as opened:
        change = change_between(opened, got.base, got.head)
        assert {file.path for file in change.files} == {"shop.py", "new.py"}
        assert change.head.read("shop.py") == b"x = 2\n"
        assert change.base.read("shop.py") == b"x = 1\n"


@pytest.mark.soak
def test_of_the_past_only_source_is_brought_and_no_picture(mirrors: Mirrors, shop: Shop):
    with checkout(mirrors, shop) as got:
        assert blobs_in(got.repository) == 4  # shop.py three times, new.py; not old.txt, not photo.png
    with checkout(mirrors, shop, everything=True) as got, Repository(got.repository) as opened:
        assert opened.tree(got.head).read("photo.png") is not None
        assert blobs_in(got.repository) == 5


def test_a_server_that_cannot_leave_anything_out_gives_everything(mirrors: Mirrors, shop: Shop):
    shop.settings(uploadpack_allowFilter="false")
    with checkout(mirrors, shop) as got, Repository(got.repository) as opened:
        assert opened.tree(got.head).read("photo.png") is not None


def test_the_head_of_a_fork_is_found_by_the_number(mirrors: Mirrors, shop: Shop):
    fork = shop.work.commit("From a fork", {"new.py": "import shop, os\n"})
    shop.push(f"{fork}:refs/pull/9/head")
    with checkout(mirrors, shop, head=fork, number=9) as got:
        assert got.head == fork


def test_what_is_here_already_is_not_asked_for_again(mirrors: Mirrors, shop: Shop, server: GitServer):
    checkout(mirrors, shop).close()
    num_asked = len(server.asked)
    checkout(mirrors, shop).close()
    assert len(server.asked) == num_asked


def test_a_second_change_brings_only_what_is_new(mirrors: Mirrors, shop: Shop):
    with checkout(mirrors, shop) as first:
        num_known = blobs_in(first.repository)
    second = shop.work.commit("More", {"new.py": "import shop\nprint(shop.x)\n"})
    shop.push("topic:refs/pull/7/head")
    with checkout(mirrors, shop, head=second) as got:
        assert blobs_in(got.repository) == num_known + 1


def test_a_group_of_the_merge_queue_needs_no_number(mirrors: Mirrors, shop: Shop):
    shop.push("topic:refs/heads/gh-readonly-queue/main/pr-7-" + shop.base)
    with checkout(mirrors, shop, number=None) as got:
        assert got.head == shop.head


@pytest.mark.parametrize("wrong", ["main", "--upload-pack=touch /tmp/x", "", "a" * 39, "../../etc"])
def test_only_full_commit_ids_are_fetched(mirrors: Mirrors, shop: Shop, wrong: str):
    with pytest.raises(CheckoutFailed, match=r"checkout\.not-a-commit-id"):
        checkout(mirrors, shop, head=wrong)


def test_a_commit_that_is_gone_is_said_to_be(mirrors: Mirrors, shop: Shop):
    with pytest.raises(CheckoutFailed, match=r"acme/shop: .*no longer exists"):
        checkout(mirrors, shop, head="1" * 40)


# ------------------------------------------------------------------ secrets


def test_the_token_is_sent_and_stands_nowhere(
    mirrors: Mirrors, shop: Shop, server: GitServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("DEBUG")
    seen: list[bytes] = []

    def look() -> None:
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                with contextlib.suppress(OSError):
                    seen.append((entry / "cmdline").read_bytes())

    server.on_request = look
    with checkout(mirrors, shop):
        pass
    assert {header for _, header in server.asked} == {HEADER}
    assert any(b"remote.origin.url" in line for line in seen)
    secrets = (TOKEN.encode(), HEADER.split()[1].encode())
    assert not any(secret in line for line in seen for secret in secrets)
    for path in (tmp_path / "mirrors").rglob("*"):
        if path.is_file():
            assert not any(secret in path.read_bytes() for secret in secrets), path
    assert not any(TOKEN in address for address, _ in server.asked)
    assert not any(secret.decode() in caplog.text for secret in secrets)


def test_no_redirect_takes_the_token_along(mirrors: Mirrors, shop: Shop, server: GitServer, tmp_path: Path):
    with serving(GitServer(tmp_path, wants_token=False)) as elsewhere:
        server.redirect_to = elsewhere.url
        with pytest.raises(CheckoutFailed):
            checkout(mirrors, shop)
        assert elsewhere.asked == []


def test_a_refusal_says_so_without_the_token(mirrors: Mirrors, shop: Shop):
    with pytest.raises(CheckoutFailed, match="access refused") as failed:
        checkout(mirrors, shop, token="ghs_wrong")
    assert "ghs_wrong" not in str(failed.value)
    assert "ghs_wrong" not in repr(Remote("https://github.example/a/b.git", "Authorization: Basic ghs_wrong"))


def test_no_credential_of_the_machine_is_used(
    mirrors: Mirrors, shop: Shop, server: GitServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    home = tmp_path / "home"
    home.mkdir()
    (home / ".netrc").write_text("machine 127.0.0.1 login me password hunter2\n")
    (home / ".gitconfig").write_text("[credential]\n\thelper = !touch " + str(tmp_path / "helped") + "\n")
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(CheckoutFailed):
        checkout(mirrors, shop, token=None)
    assert {header for _, header in server.asked} == {None}
    assert not (tmp_path / "helped").exists()


@pytest.mark.parametrize(
    "url", ["ext::sh -c touch% /tmp/owned", "file:///etc", "git://host/x", "ssh://git@host/x", "http://u:p@h/x", "/etc"]
)
def test_only_plain_http_addresses_are_fetched_from(mirrors: Mirrors, shop: Shop, url: str):
    shop.url = url
    with pytest.raises(CheckoutFailed, match=r"checkout\.invalid-address"):
        checkout(mirrors, shop)


# ------------------------------------------------------------------ hostile repositories


def test_nothing_of_a_hostile_repository_runs(mirrors: Mirrors, shop: Shop, tmp_path: Path):
    marker = tmp_path / "ran"
    trap = f"#!/bin/sh\ntouch {marker}\n"
    shop.work.write("hooks/post-checkout", trap, executable=True)
    shop.work.write(".gitattributes", "* filter=trap diff=trap\n")
    shop.work.write(".gitmodules", f'[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch {marker}"\n')
    shop.work.write(".lfsconfig", f"[lfs]\n\turl = file://{marker}\n")
    shop.work.link("link", "/etc/passwd")
    shop.work.write(b"new\nline\xff.py", "x = 1\n")
    head = shop.work.commit("Traps")
    shop.push("topic:refs/pull/7/head")
    with checkout(mirrors, shop, head=head, everything=True) as got, Repository(got.repository) as opened:
        change = change_between(opened, got.base, got.head)
        assert "new\nline\udcff.py" in {file.path for file in change.files}
        assert "link" not in change.head
    assert not marker.exists()
    assert not list((got.repository / "hooks").glob("*"))


def test_names_that_lead_out_of_the_tree_are_only_names(mirrors: Mirrors, shop: Shop):
    blob = shop.work.git("hash-object", "-w", "--stdin", data=b"owned\n").strip()
    inner = shop.work.git("mktree", data=f"100644 blob {blob}\tpasswd\n".encode()).strip()
    tree = shop.work.git("mktree", "--missing", data=f"040000 tree {inner}\t..\n".encode()).strip()
    head = shop.work.git("commit-tree", tree, "-p", shop.base, "-m", "Out").strip()
    shop.push(f"{head}:refs/pull/7/head")
    with checkout(mirrors, shop, head=head) as got, Repository(got.repository) as opened:
        assert opened.tree(got.head).paths == ["../passwd"]
        assert opened.tree(got.head).read("../passwd") == b"owned\n"


@pytest.mark.soak
def test_a_tree_of_a_hundred_thousand_files_is_brought(mirrors: Mirrors, shop: Shop):
    blob = shop.work.git("hash-object", "-w", "--stdin", data=b"x = 1\n").strip()
    index = "".join(f"100644 {blob}\td{number // 1000}/f{number}.py\n" for number in range(100_000))
    shop.work.git("update-index", "--index-info", data=index.encode())
    tree = shop.work.git("write-tree").strip()
    head = shop.work.git("commit-tree", tree, "-p", shop.base, "-m", "Many").strip()
    shop.push(f"{head}:refs/pull/7/head")
    with checkout(mirrors, shop, head=head) as got, Repository(got.repository) as opened:
        assert len(opened.tree(got.head).paths) >= 100_000


# ------------------------------------------------------------------ limits, eviction, damage


def test_a_repository_above_the_limit_is_said_to_be_and_leaves_nothing_in_use(tmp_path: Path, shop: Shop):
    mirrors = Mirrors(tmp_path / "mirrors", MirrorLimits(repository_bytes=20_000))
    head = shop.work.commit("Much", {"big.py": os.urandom(100_000).hex()})
    shop.push("topic:refs/pull/7/head")
    with pytest.raises(CheckoutFailed, match=r"checkout\.too-large"):
        checkout(mirrors, shop, head=head)
    assert mirrors.forget(42)


def test_mirrors_that_were_not_used_for_longest_go_first_and_never_one_in_use(tmp_path: Path, shop: Shop):
    mirrors = Mirrors(tmp_path / "mirrors", MirrorLimits(total_bytes=1))
    held = mirrors.checkout("acme/shop", 1, shop.url, TOKEN, Wanted(shop.base, shop.head, 7))
    mirrors.checkout("acme/shop", 2, shop.url, TOKEN, Wanted(shop.base, shop.head, 7)).close()
    mirrors.checkout("acme/shop", 3, shop.url, TOKEN, Wanted(shop.base, shop.head, 7)).close()
    assert sorted(path.name for path in mirrors.root.glob("*.git")) == ["1.git", "3.git"]
    assert not mirrors.forget(1)
    with Repository(held.repository) as opened:
        assert opened.tree(held.head).read("shop.py") == b"x = 2\n"
    held.close()
    assert mirrors.forget(1)


def test_a_use_of_a_process_that_was_killed_counts_no_more(mirrors: Mirrors, shop: Shop):
    checkout(mirrors, shop).close()
    uses = mirrors.root / "42.uses"
    (uses / "left-behind").touch()
    assert mirrors.forget(42)


@pytest.mark.parametrize("damage", ["pack", "head", "distrusted"])
def test_a_damaged_mirror_is_made_anew(mirrors: Mirrors, shop: Shop, damage: str):
    checkout(mirrors, shop).close()
    folder = mirrors.root / "42.git"
    if damage == "pack":
        for path in (folder / "objects" / "pack").glob("*.idx"):
            path.chmod(0o600)
            path.write_bytes(b"not an index")
    elif damage == "head":
        (folder / "HEAD").write_text("nonsense\n")
    else:
        (folder / "stale").touch()
        mirrors.distrust(42)
    with checkout(mirrors, shop) as got, Repository(got.repository) as opened:
        assert opened.tree(got.head).read("shop.py") == b"x = 2\n"
        assert not (folder / "stale").exists()


def test_an_interrupted_fetch_is_taken_up_again(mirrors: Mirrors, shop: Shop):
    mirror = Mirror(mirrors.root / "42.git", 10**9)
    mirrors.root.mkdir()
    mirror.make()
    (mirror.folder / "objects" / "pack" / "tmp_pack_abc").write_bytes(b"half")
    (mirror.folder / "shallow.lock").touch()
    with checkout(mirrors, shop) as got:
        assert got.head == shop.head


@pytest.mark.soak
def test_many_at_once_share_one_mirror(mirrors: Mirrors, shop: Shop):
    with ThreadPoolExecutor(6) as pool:
        got = list(pool.map(lambda _: checkout(Mirrors(mirrors.root), shop), range(6)))
    assert {one.repository for one in got} == {mirrors.root / "42.git"}
    assert not mirrors.forget(42)
    for one in got:
        one.close()
    assert mirrors.forget(42)


def test_two_processes_share_one_mirror(mirrors: Mirrors, shop: Shop, server: GitServer):
    code = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from assay.github.pull_request.checkout import Mirrors, Wanted\n"
        "root, url, token, base, head = sys.argv[1:]\n"
        "with Mirrors(Path(root)).checkout('acme/shop', 42, url, token, Wanted(base, head, 7)) as got:\n"
        "    print('has it', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    arguments = [str(mirrors.root), shop.url, TOKEN, shop.base, shop.head]
    others = [
        Popen([sys.executable, "-P", "-c", code, *arguments], stdin=PIPE, stdout=PIPE, text=True) for _ in range(2)
    ]
    for other in others:
        assert other.stdout is not None
        assert other.stdout.readline() == "has it\n"
    assert len([path for path, _ in server.asked if "git-upload-pack" in path]) <= 8  # one of them fetched, not both
    assert not mirrors.forget(42)
    others[0].kill()
    others[0].wait()
    assert not mirrors.forget(42)
    others[1].communicate("")
    assert mirrors.forget(42)
    for other in others:
        for stream in (other.stdin, other.stdout):
            if stream is not None:
                stream.close()


@pytest.mark.soak
def test_many_fetches_are_put_together(mirrors: Mirrors, shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.pull_request.checkout.MOST_PACKS", 3)
    for number in range(4):
        head = shop.work.commit("More", {"new.py": f"x = {number}\n"})
        shop.push("topic:refs/pull/7/head")
        with checkout(mirrors, shop, head=head) as got, Repository(got.repository) as opened:
            assert opened.tree(head).read("new.py") == f"x = {number}\n".encode()
    assert Mirror(mirrors.root / "42.git", 0).num_packs <= 4


def test_a_waiting_checkout_gives_up_in_time(mirrors: Mirrors, shop: Shop, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("assay.github.pull_request.checkout.LOCK_TIMEOUT_S", 0.2)
    mirrors.root.mkdir()
    with mirrors._locked(42, 1), pytest.raises(CheckoutFailed, match=r"checkout\.locked"):
        checkout(Mirrors(mirrors.root), shop)
