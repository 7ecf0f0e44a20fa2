"""Evidence of a risk factor, cut to what a format shows."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.validators.report.model import Evidence

_REST = re.compile(r"and (\d{1,9}) more")


def shown_of(evidence: Sequence[Evidence], most: int) -> tuple[Sequence[Evidence], int]:
    """Return the first `most` places and the number of places left out.

    A report keeps a limited number of places; its last entry may be `and N more`, and that N is counted too.
    """
    rest = _REST.fullmatch(evidence[-1].text) if evidence and evidence[-1].file is None else None
    places = evidence[:-1] if rest else evidence
    num_unkept = int(rest[1]) if rest else 0
    return places[:most], max(0, len(places) - most) + num_unkept
