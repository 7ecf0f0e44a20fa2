"""The user an agent's process runs as, if that is not this process's user, with a separate folder."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import tempfile
import weakref
from dataclasses import dataclass
from pathlib import Path

from assay.memory_eval.errors import ExamUsageError


@dataclass(frozen=True, slots=True)
class UserIds:
    """User and group of a process; it gets no further groups."""

    uid: int
    gid: int


class AgentUser:
    """Another user of this machine. Its folder is removed with this object."""

    def __init__(self, name: str) -> None:
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            raise ExamUsageError(f"--agent-user {name[:80]!r}: no such user", code="agent.no-user") from None
        if os.geteuid() != 0:
            raise ExamUsageError(
                "--agent-user needs root, which can start a process as another user", code="agent.user"
            )
        if entry.pw_uid == 0:
            raise ExamUsageError(f"--agent-user {name}: is root, which can read every process", code="agent.user")
        self.ids = UserIds(entry.pw_uid, entry.pw_gid)
        place = Path(tempfile.gettempdir()).resolve()
        for folder in (place, *place.parents):
            if not folder.stat().st_mode & stat.S_IXOTH:
                raise ExamUsageError(
                    f"--agent-user {name}: {folder} is closed to that user: set TMPDIR to an open folder",
                    code="agent.user",
                )
        self.folder = Path(tempfile.mkdtemp(prefix="assay-agent-"))
        os.chown(self.folder, self.ids.uid, self.ids.gid)
        self._name = name
        self._finalizer = weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    def environment(self) -> dict[str, str]:
        """Return the variables that name the user and its folder."""
        return {"HOME": str(self.folder), "TMPDIR": str(self.folder), "USER": self._name, "LOGNAME": self._name}
