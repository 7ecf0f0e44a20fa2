"""Contents of git objects, read in one `git cat-file --batch`."""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from assay.validators.errors import ObjectMissing
from assay.validators.io import process
from assay.validators.vcs.git_command import git_environment

_BEGINNING_BYTES = 4096


class ObjectReader:
    """Git process that is started with the first read; thread-safe."""

    def __init__(self, git_directory: Path) -> None:
        self._git_directory = git_directory
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            process.stop(self._process)
            self._process = None

    def read_blobs(self, objects: Sequence[str], limit: int) -> Iterator[bytes | ObjectMissing | None]:
        """Yield the content of each object, in order; None if it is over `limit` bytes."""
        for begin in range(0, len(objects), 256):
            batch = objects[begin : begin + 256]
            # The lock is free between batches: the caller may read another file meanwhile.
            with self._lock:
                # 256 names are under the 64 KiB a pipe takes, so writing all before reading cannot block.
                receive = self._ask(*batch)
                contents = [_read_object(receive, name, limit) for name in batch]
            yield from contents

    def beginning(self, blob: str) -> bytes:
        """Return the first 4 KiB of a blob of any size; b"" if it is missing."""
        with self._lock:
            receive = self._ask(blob)
            header = receive.readline().split()
            size = int(header[2]) if len(header) == 3 else -1
            first = receive.read(max(0, min(size, _BEGINNING_BYTES)))
            _skip(receive, size + 1 - len(first))
        return first

    def has_commit(self, name: str) -> bool:
        """Return whether the repository has the commit with this full id."""
        with self._lock:
            receive = self._ask(name)
            header = receive.readline().split()
            if len(header) == 3:
                _skip(receive, int(header[2]) + 1)
        return len(header) == 3 and header[1] == b"commit"

    def _ask(self, *names: str) -> IO[bytes]:
        """Request the objects; return the stream of their headers and contents."""
        if self._process is None or self._process.poll() is not None:
            command = ("git", "--git-dir", str(self._git_directory), "cat-file", "--batch")
            self._process = process.start(command, cwd=self._git_directory, env=git_environment())
        send, receive = process.pipes(self._process)
        send.write("".join(f"{name}\n" for name in names).encode())
        send.flush()
        return receive


def _read_object(receive: IO[bytes], name: str, limit: int) -> bytes | ObjectMissing | None:
    header = receive.readline().split()
    if len(header) != 3:
        return ObjectMissing(name)
    size = int(header[2])
    if size <= limit:
        return receive.read(size + 1)[:-1]
    _skip(receive, size + 1)
    return None


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0:
        size -= len(stream.read(min(size, 1 << 20)))
