"""How many examples a property test draws: few in `make test`, all in `make soak`."""

from __future__ import annotations

import os

IS_SOAK = os.environ.get("PROPERTY_EXAMPLES") == "all"


def num_examples(all_of_them: int) -> int:
    """Return the number in `make soak`, a fifth of it (at least 5) elsewhere."""
    return all_of_them if IS_SOAK else max(5, all_of_them // 5)
