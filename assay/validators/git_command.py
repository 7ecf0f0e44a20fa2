"""git, started so that nothing a repository, a home folder or the machine says can make it run another program.

Every git of Assay goes through `run_git`: for reading a judged repository (`git.py`) and for bringing one here
(`mirroring.py`). No protocol is allowed but the one a caller allows by name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from assay.validators import process

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
) -> process.Completed:
    """Run git to its end; `extra` is added to its environment, `settings` (`key=value`) come after the safe ones.

    Settings stand on the command line, which every user of the machine can read: no secret belongs there.
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
    )


def git_environment() -> dict[str, str]:
    """The environment of every git: no settings but those given, no prompt, no fetching behind our back."""
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
