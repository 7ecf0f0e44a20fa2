"""Sandbox for the commands of a tree under validation: bubblewrap where it works; the report says where it does not.

Inside, the whole file system is readable and only the tree's workplace is writable. The home folder, /tmp and /run
are empty, because they hold keys, tokens and sockets; toolchains below the home folder are mounted read-only. Other
processes are hidden. The network stays, unless the configuration turns it off.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.validators.configuration.model import Sandbox as Wanted
from assay.validators.errors import ProgramMissing
from assay.validators.io import process

PROGRAM = "bwrap"
PROBE_TIMEOUT_S = 10.0
MOST_ALTERNATES = 8
# Toolchains below the home folder that PATH alone does not lead to.
_TOOLCHAINS = (".rustup", ".pyenv", ".asdf", ".sdkman", ".local/share/uv", ".local/share/mise", ".local/share/pnpm")
# Secrets of tools inside folders that have to be mounted.
_SECRETS = (".cargo/credentials", ".cargo/credentials.toml", ".bundle/config", ".gem/credentials", ".m2/settings.xml")
_NEVER_WHOLE = frozenset((".local", ".config", ".cache", ".docker", ".ssh", ".aws", ".kube", ".gnupg"))
_KEEP_OF_RUN = ("/run/systemd/resolve", "/run/resolvconf", "/run/nscd")
WITHOUT_NETWORK = "bubblewrap, without network"


@dataclass(frozen=True, slots=True)
class Sandbox:
    """Wrapper of commands; without a `program` they run unwrapped, and `why` gives the reason."""

    program: str | None
    why: str | None = None
    network: bool = True

    def wrapped(
        self,
        argv: Sequence[str],
        *,
        cwd: Path,
        writable: Sequence[Path],
        readable: Sequence[str] = (),
        network: bool | None = None,
    ) -> list[str]:
        """Wrap a command: only `writable` can be written; `readable` is mounted where it would be hidden."""
        if self.program is None:
            return list(argv)
        words = [self.program, *_world(readable)]
        for path in writable:
            words += ["--bind", str(path), str(path)]
        if not (self.network if network is None else network):
            words.append("--unshare-net")
        return [*words, "--chdir", str(cwd), "--", *argv]

    @property
    def said(self) -> str:
        """One line for the report."""
        if self.program is None:
            return f"none: {self.why}"
        return "bubblewrap" if self.network else WITHOUT_NETWORK


def open_sandbox(wanted: Wanted, *, network: bool, scratch: Path) -> Sandbox:
    """Return the sandbox the configuration requests, after a trial in `scratch`.

    The trial is needed because bwrap may be installed where user namespaces are forbidden.

    Raises:
        ProgramMissing: The sandbox is `required` and does not work.
    """
    if wanted is Wanted.off:
        return Sandbox(None, "switched off by tier1.sandbox")
    program = shutil.which(PROGRAM)
    sandbox = Sandbox(program, None, network) if program else Sandbox(None, "bubblewrap (bwrap) is not installed")
    why = sandbox.why or _does_not_work(sandbox, scratch)
    if why is None:
        return sandbox
    if wanted is Wanted.required:
        raise ProgramMissing(PROGRAM, f"tier1.sandbox is `required`, but {why}; install bubblewrap or set it to `auto`")
    return Sandbox(None, why)


def _does_not_work(sandbox: Sandbox, scratch: Path) -> str | None:
    trial = sandbox.wrapped(["true"], cwd=scratch, writable=[scratch])
    try:
        done = process.run(trial, cwd=scratch, env=process.clean_environment(), timeout_s=PROBE_TIMEOUT_S, merged=True)
    except ProgramMissing as error:
        return str(error)
    if done.ok:
        return None
    said = done.stdout.decode("utf-8", "replace").strip().splitlines()
    return f"bubblewrap does not work here ({said[-1][:200] if said else 'no output'})"


def borrowed_objects(git_dir: Path) -> tuple[str, ...]:
    """Return the object folders a clone of ours borrows from, which git needs to read inside the sandbox.

    Called before anything of the tree runs: afterwards the file that names them is untrusted.
    """
    waiting = [git_dir / "objects"]
    found: list[str] = []
    while waiting and len(found) < MOST_ALTERNATES:
        try:
            lines = (waiting.pop() / "info" / "alternates").read_bytes().splitlines()
        except OSError:
            continue
        for path in (Path(os.fsdecode(line)) for line in lines if line):
            found.append(str(path))
            waiting.append(path)
    return tuple(found)


def _world(readable: Sequence[str]) -> Iterator[str]:
    """Return the mount options of a command.

    The home folder may be closed to this user, as under systemd's `ProtectHome`: neither pathlib nor bubblewrap takes
    what is below it for missing, and `os.path` does.
    """
    yield from ("--die-with-parent", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--cap-drop", "ALL")
    yield from ("--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
    home = Path(os.environ.get("HOME") or "/root").resolve()
    for folder in dict.fromkeys(("/tmp", "/var/tmp", "/run", str(home))):  # noqa: S108 - emptied, not used
        if os.path.isdir(folder) and folder != "/":
            yield from ("--tmpfs", folder)
    for path in filter(os.path.exists, dict.fromkeys((*_KEEP_OF_RUN, *_toolchains(home), *readable))):
        yield from ("--ro-bind-try", path, path)
    for secret in _SECRETS:
        if os.path.isfile(home / secret):
            yield from ("--ro-bind", "/dev/null", str(home / secret))


def _toolchains(home: Path) -> Iterator[str]:
    """Return the toolchains on PATH below the home folder: `~/.cargo/bin` mounts `~/.cargo`."""
    for part in process.clean_environment().get("PATH", "").split(os.pathsep):
        folder = Path(part)
        if not folder.is_absolute() or home not in folder.parents:
            continue
        first = folder.relative_to(home).parts[0]
        if first.startswith(".") and first not in _NEVER_WHOLE:
            yield str(home / first)
        else:
            yield str(
                folder.parent if folder.name == "bin" and folder.parent not in (home, home / ".local") else folder
            )
    yield from (str(home / name) for name in _TOOLCHAINS)
