"""Make one large repository of several: each a top folder, their first-parent commits interleaved by date.

    python -m tests.bench.monorepo TARGET REPOSITORY... [--newest N]

TARGET is a new bare repository that borrows the objects of the others, which must stay where they are. A folder is
named after its repository; `--newest` takes that many commits of each. Use TARGET as `ASSAY_BENCH_REPOSITORIES`.
"""

from __future__ import annotations

import argparse
import heapq
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n", maxsplit=1)[0])
    parser.add_argument("target", type=Path)
    parser.add_argument("repositories", type=Path, nargs="+")
    parser.add_argument("--newest", type=int, metavar="N", help="commits of each repository; default: all")
    options = parser.parse_args(arguments)
    _git("init", "--quiet", "--bare", "-b", "main", str(options.target))
    folders = [Path(_git("-C", str(one), "rev-parse", "--absolute-git-dir").strip()) for one in options.repositories]
    (options.target / "objects/info/alternates").write_text("".join(f"{folder}/objects\n" for folder in folders))
    lines = [_commits(folder, folder.parent.name.rpartition("+")[2], options.newest) for folder in folders]
    command = ["git", "-C", str(options.target), "fast-import", "--quiet", "--date-format=raw-permissive"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as importing:
        assert importing.stdin is not None
        for _, commit in heapq.merge(*lines, key=lambda one: one[0]):
            importing.stdin.write(commit)
    return importing.returncode


def _commits(folder: Path, name: str, newest: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the commits of a repository, oldest first: time in seconds, and what fast-import reads."""
    most = () if newest is None else (f"--max-count={newest}",)
    form = "%x01%ct%x02%ae%x02%T%x02%B"
    command = ["git", "-C", str(folder), "log", "--first-parent", "--reverse", *most, f"--format={form}", "HEAD"]
    out = subprocess.run(command, capture_output=True, check=True).stdout
    latest = 0
    for record in out.split(b"\x01")[1:]:
        time, author, tree, message = record.split(b"\x02", 3)
        # Dates of a first-parent line may go back; its order must stay.
        latest = max(latest, int(time))
        who = b"A <%s> %d +0000\n" % (author.replace(b"<", b"").replace(b">", b""), latest)
        head = b"commit refs/heads/main\nauthor %scommitter %sdata %d\n%s\n" % (who, who, len(message), message)
        yield latest, head + b"M 040000 %s %s\n\n" % (tree, name.encode())


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], capture_output=True, check=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
