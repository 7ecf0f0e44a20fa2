"""Git processes that cannot be made to run another program by any setting of a repository, user or machine.

Every git process of Assay starts in `run_git`: for reading a repository (`repository.py`) and for fetching one
(`clone_cache.py`). Only the protocol a caller names is allowed.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from assay.validators.errors import GitFailed
from assay.validators.io import process

GIT_TIMEOUT_S = 300.0
_EMPTY = "/dev/null"
_SAFE_SETTINGS = (
    "core.fsmonitor=false",
    f"core.hooksPath={_EMPTY}",
    f"core.attributesFile={_EMPTY}",
    "core.sshCommand=false",
    "core.askPass=false",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "diff.external=",
    "gpg.program=false",
    "safe.directory=*",
    "core.quotePath=false",
    "log.showSignature=false",
    # They would go on in the background.
    "gc.auto=0",
    "maintenance.auto=false",
)


def run_git(
    arguments: Sequence[str],
    *,
    cwd: Path,
    timeout_s: float,
    output_limit: int,
    stdin: bytes | None = None,
    extra: Mapping[str, str] | None = None,
    settings: Sequence[str] = (),
    on_output: Callable[[bytes], None] | None = None,
    longest_line: int | None = None,
) -> process.Completed:
    """Run git to its end; `extra` is added to its environment, `settings` (`key=value`) follow the safe ones.

    Settings go on the command line, which every user of the machine can read: pass no secret in them.
    """
    pinned = [part for setting in (*_SAFE_SETTINGS, *settings) for part in ("-c", setting)]
    return process.run(
        ["git", "--no-pager", "--no-replace-objects", "--literal-pathspecs", *pinned, *arguments],
        cwd=cwd,
        env={**git_environment(), **(extra or {})},
        timeout_s=timeout_s,
        stdin=stdin,
        output_limit=output_limit,
        on_output=on_output,
        may_leave=False,
        longest_line=longest_line,
    )


def git_environment() -> dict[str, str]:
    """Return git's environment: no settings but those given, no prompt, no implicit fetch."""
    return {
        **process.clean_environment(),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_SYSTEM": _EMPTY,
        "GIT_CONFIG_GLOBAL": _EMPTY,
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        "LC_ALL": "C",
    }


@cache
def empty_repository(form: str) -> tuple[tuple[str, bytes | None], ...]:
    """Return the files of an empty bare repository with ids of this form: names and contents, None for a folder.

    Callers that create many repositories write these files and start no process for each. Raises `GitFailed`.
    """
    with tempfile.TemporaryDirectory(prefix="assay-git-", ignore_cleanup_errors=True) as folder:
        template, made = Path(folder, "template"), Path(folder, "empty.git")
        template.mkdir()
        arguments = ("init", "-q", "--bare", f"--template={template}", f"--object-format={form}", str(made))
        done = run_git(arguments, cwd=Path(folder), timeout_s=GIT_TIMEOUT_S, output_limit=process.OUTPUT_LIMIT)
        if not done.ok:
            raise GitFailed(("init",), done.returncode, done.stderr.decode("utf-8", "replace"))
        return tuple(
            (str(path.relative_to(made)), None if path.is_dir() else path.read_bytes())
            for path in sorted(made.rglob("*"))
        )
