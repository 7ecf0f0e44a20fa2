"""`python -m assay.memory_eval` is `assay memory run`."""

from __future__ import annotations

import sys

from assay.cli.main import run

if __name__ == "__main__":
    sys.exit(run(["memory", "run", *sys.argv[1:]]))
