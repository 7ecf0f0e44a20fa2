"""Write the list of much-used package names from manifests and lock files of public repositories.

    python -m tests.bench.popular_names assay/validators/dependencies/popular.txt MIRROR.git …

A name counts once a repository; names of at least `FEWEST` repositories are kept, the most used first.
"""

from __future__ import annotations

import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from assay.validators.changes.change import decoded
from assay.validators.dependencies.changed import reader_of
from assay.validators.dependencies.lock_files import READERS, locked
from assay.validators.dependencies.manifests.manifest import Declared
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.vcs.repository import Repository

FEWEST = 2
MOST_BYTES = 200_000
LIMIT_BYTES = 20_000_000


def names_in(mirror: str) -> set[tuple[str, str]]:
    """Return (ecosystem, name) of every package that the newest commit of a repository declares or locks."""
    found: set[tuple[str, str]] = set()
    with Repository(mirror) as repository:
        tree = repository.tree(repository.resolve("HEAD"), "HEAD")
        for path in tree.paths:
            reader, is_lock = reader_of(path), path.rpartition("/")[2] in READERS
            content = tree.read(path, LIMIT_BYTES if is_lock else LIMIT_CHARACTERS) if reader or is_lock else None
            if content is None:
                continue
            try:
                if is_lock:
                    lock = locked(path, content)
                    found |= {(lock.ecosystem, name) for name in lock.versions}
                elif reader is not None:
                    said = reader.read(path, decoded(content))
                    found |= {(one.ecosystem, one.name) for one in said if isinstance(one, Declared)}
            except Unreadable:
                continue
    return found


def main(target: str, *mirrors: str) -> None:
    """Count the names, and write the list with its date."""
    counts: Counter[tuple[str, str]] = Counter()
    for mirror in mirrors:
        names = names_in(mirror)
        counts.update(names)
        print(f"{len(names):6} {mirror}", file=sys.stderr)
    kept = [(ecosystem, name, num) for (ecosystem, name), num in counts.items() if num >= FEWEST and name.isascii()]
    kept.sort(key=lambda one: (-one[2], one[0], one[1]))
    head = f"# Package names in at least {FEWEST} of {len(mirrors)} public repositories, {datetime.now(UTC).date()}\n"
    text = head + "".join(f"{ecosystem} {name}\n" for ecosystem, name, _ in kept)
    Path(target).write_text(text[:MOST_BYTES].rpartition("\n")[0] + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
