"""Write candidates of reversed fixes with the outcome of their tests, one JSON object a line.

python -m tests.review_bench.verify FOLDER OUT --most 20 --python PYTHON [NAME …]
"""

from __future__ import annotations

import argparse
import sys
from itertools import islice
from pathlib import Path

from assay.validators.errors import ValidatorError
from assay.validators.vcs.repository import Repository
from tests.review_bench.fixes import fixes, outcome_of


def main() -> None:
    """Write one line for each candidate."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--most", type=int, default=20)
    parser.add_argument("--python", help="run the tests with this Python, which has pytest and what they import")
    parser.add_argument("names", nargs="*")
    given = parser.parse_intermixed_args()
    names = given.names or sorted(path.name for path in given.folder.iterdir())
    with given.out.open("a") as out:
        for name in names:
            with Repository(given.folder / name) as repository:
                num_verified = 0
                for tried, entry in enumerate(islice(fixes(repository, name), given.most)):
                    is_verified, why = False, "not run"
                    # A repository whose first five candidates cannot be run is not prepared here.
                    if given.python and (num_verified or tried < 5):
                        try:
                            is_verified, why = outcome_of(repository, entry, given.python)
                        except ValidatorError as error:
                            why = str(error)
                    num_verified += is_verified
                    out.write(entry.model_copy(update={"verified": is_verified}).model_dump_json() + "\n")
                    out.flush()
                    print(entry.id, is_verified, why, file=sys.stderr, flush=True)


main()
