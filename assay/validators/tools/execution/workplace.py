"""A tree of the change with what its commands need, in a temporary folder.

tree/      the checkout, with a separate git directory
env/       the tree's environment (`$VIRTUAL_ENV`): a Python virtual environment where one is created
prefix/    programs installed for this tree (`$ASSAY_PREFIX`): a package manager the machine lacks
tmp/       TMPDIR of its commands
scratch/   a folder for each run's report files
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from assay.validators.changes.change import ChangeSet
from assay.validators.errors import CouldNotRun, ProgramMissing
from assay.validators.io import process
from assay.validators.io.process import OUTPUT_LIMIT, Completed, own_program
from assay.validators.tools.execution.cache_folder import shown_to_commands
from assay.validators.tools.execution.sandbox import Sandbox, borrowed_objects

_QUIET = {
    "CI": "true",
    "GIT_TERMINAL_PROMPT": "0",
    "npm_config_update_notifier": "false",
    "npm_config_fund": "false",
    "COREPACK_ENABLE_DOWNLOAD_PROMPT": "0",
    "DOTNET_CLI_TELEMETRY_OPTOUT": "1",
    "DOTNET_NOLOGO": "1",
    "NEXT_TELEMETRY_DISABLED": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
}
# Inside the sandbox the home folder is empty and toolchains are read-only: what they write goes to `prefix`.
_OWN_HOMES = {
    "CARGO_HOME": "cargo",
    "GOPATH": "go",
    "GOMODCACHE": "go/pkg/mod",
    "GOCACHE": "go-build",
    "GRADLE_USER_HOME": "gradle",
    "NUGET_PACKAGES": "nuget",
    "DOTNET_CLI_HOME": "dotnet",
    "COMPOSER_HOME": "composer",
    "BUNDLE_USER_HOME": "bundle",
}
# pip settings that uv reads under another name, so that a machine set up for pip works with uv.
_UV_NAMES = {"PIP_INDEX_URL": "UV_DEFAULT_INDEX", "PIP_EXTRA_INDEX_URL": "UV_INDEX", "PIP_FIND_LINKS": "UV_FIND_LINKS"}
_CERTIFICATES = ("PIP_CERT", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@dataclass(frozen=True)
class Workplace:
    """A side ("head" or "base") at `home`; `root` is its tree."""

    side: str
    home: Path
    root: Path
    sandbox: Sandbox
    readable: tuple[str, ...] = ()
    _num_runs: list[int] = field(default_factory=lambda: [0])

    @property
    def environment_folder(self) -> Path:
        """`$VIRTUAL_ENV`."""
        return self.home / "env"

    @property
    def prefix(self) -> Path:
        """`$ASSAY_PREFIX`."""
        return self.home / "prefix"

    def new_scratch(self) -> Path:
        """Create an empty folder for the report files of one run."""
        self._num_runs[0] += 1
        scratch = self.home / "scratch" / str(self._num_runs[0])
        scratch.mkdir(parents=True)
        return scratch

    def folder(self, directory: str) -> Path | None:
        """Return a folder of the tree; None if it is missing or a link leads out of the tree."""
        path = self.root / directory
        real = Path(os.path.realpath(path))
        root = Path(os.path.realpath(self.root))
        return path if real.is_dir() and (real == root or root in real.parents) else None

    def without_folders(self, text: str) -> str:
        """Remove the private folder from paths in a command's output: it no longer exists when the report is read."""
        for folder in (self.root, self.home):
            text = text.replace(f"{folder}/", "").replace(str(folder), ".")
        return text

    def environment(self, directory: str, extra: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the whole environment of a command that runs in a folder of the tree."""
        cleaned = process.clean_environment()
        own: dict[str, str] = {}
        if self._has_environment():
            env = str(self.environment_folder)
            own = {"VIRTUAL_ENV": env, "UV_PROJECT_ENVIRONMENT": env, "UV_NO_SYNC": "1"}
        if self.sandbox.program is not None:
            own |= {name: str(self.prefix / folder) for name, folder in _OWN_HOMES.items()}
            own["MAVEN_OPTS"] = f"-Dmaven.repo.local={self.prefix / 'm2'}"
        return {
            **cleaned,
            **_QUIET,
            **own,
            "ASSAY_PREFIX": str(self.prefix),
            "TMPDIR": str(self.home / "tmp"),
            "PATH": os.pathsep.join((*self._programs(directory), cleaned["PATH"], str(self.home / "programs"))),
            **(extra or {}),
        }

    def setup_environment(self, directory: str, caches: Mapping[str, str]) -> dict[str, str]:
        """Return the environment of a step that prepares the tree; `caches` are the download caches."""
        given = self.environment(directory, caches)
        given |= {new: given[old] for old, new in _UV_NAMES.items() if old in given}
        trusted = next((given[name] for name in _CERTIFICATES if name in given), None)
        if trusted and "SSL_CERT_FILE" not in given:
            given["SSL_CERT_FILE"] = trusted
        given.pop("UV_NO_SYNC", None)
        env = str(self.environment_folder)
        # Copies, not links: what a tree's command writes into its environment must not reach another tree's.
        return {**given, "VIRTUAL_ENV": env, "UV_PROJECT_ENVIRONMENT": env, "UV_LINK_MODE": "copy"}

    def run(
        self,
        argv: Sequence[str],
        directory: str,
        env: Mapping[str, str],
        *,
        timeout_s: float,
        stdin: bytes | None = None,
        on_output: Callable[[bytes], None] | None = None,
        shared: Sequence[Path] = (),
        network: bool | None = None,
        output_limit: int = OUTPUT_LIMIT,
    ) -> Completed:
        """Run a command in a folder of the tree inside the sandbox, with both streams merged.

        `shared` folders are writable in addition to the workplace.

        Raises:
            ProgramMissing: The program does not exist.
        """
        cwd = self.root / directory
        wrapped = self.sandbox.wrapped(
            argv, cwd=cwd, writable=(self.home, self.root, *shared), readable=self.readable, network=network
        )
        if (
            self.sandbox.program is not None
            and shutil.which(argv[0], path=env.get("PATH")) is None
            and "/" not in argv[0]
        ):
            # bwrap would report it with an exit code that means something else.
            raise ProgramMissing(argv[0], "not found on PATH")
        return process.run(
            wrapped,
            cwd=cwd,
            env=env,
            timeout_s=timeout_s,
            stdin=stdin,
            merged=True,
            on_output=on_output,
            output_limit=output_limit,
        )

    def _has_environment(self) -> bool:
        return (self.environment_folder / "pyvenv.cfg").is_file()

    def _programs(self, directory: str) -> Iterator[str]:
        """Yield folders with the tree's own programs, nearest first."""
        yield str(self.environment_folder / "bin")
        yield str(self.prefix / "bin")
        parts = [part for part in directory.split("/") if part not in (".", "")]
        for depth in range(len(parts), -1, -1):
            here = self.root.joinpath(*parts[:depth])
            for name in ("node_modules/.bin", "vendor/bin", ".venv/bin"):
                if (here / name).is_dir():
                    yield str(here / name)


def open_workplace(change: ChangeSet, side: str, home: Path, sandbox: Sandbox, tree: Path | None = None) -> Workplace:
    """Create the workplace of a side in the new folder `home`; with `tree` the commands run there, without a checkout.

    Raises:
        CouldNotRun: The change cannot be checked out.
    """
    for name in ("tmp", "scratch", "programs", "prefix"):
        (home / name).mkdir(parents=True)
    root = tree
    if root is None:
        if change.checkout is None:
            raise CouldNotRun("this change comes without a way to check it out")
        root = home / "tree"
        change.checkout(side, str(root))
    readable = [*borrowed_objects(root / ".git"), *shown_to_commands()]
    with suppress(ProgramMissing):
        uv = os.path.realpath(own_program("uv"))
        (home / "programs" / "uv").symlink_to(uv)
        readable.append(uv)
    if tree is not None:
        readable.append(str(tree))
    return Workplace(side, home, root, sandbox, tuple(readable))
