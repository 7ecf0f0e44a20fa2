"""Pack what a generator wrote: `python -m … pack FOLDER FILE.zip`, without vectors, locks and private settings."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

_LEFT_OUT = (".bin", ".lock", "-shm")


def main(folder: Path, target: Path) -> None:
    """Write every file of the folder that a reader needs, in a fixed order and with a fixed date."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_LZMA) as packed:
        for file in sorted(folder.rglob("*")):
            name = file.relative_to(folder).as_posix()
            if file.is_file() and not name.endswith(_LEFT_OUT) and not name.startswith("home/"):
                packed.writestr(zipfile.ZipInfo(name), file.read_bytes(), zipfile.ZIP_LZMA)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
