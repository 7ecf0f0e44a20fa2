"""The places a risk factor rests on, as many as a format shows, and how many it does not."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.validators.report.model import Evidence

_REST = re.compile(r"and (\d{1,9}) more")


def shown_of(evidence: Sequence[Evidence], most: int) -> tuple[Sequence[Evidence], int]:
    """The first places and the number of the others.

    A report keeps only so many; its last line may itself say how many more there are, and these are counted too.
    """
    rest = _REST.fullmatch(evidence[-1].text) if evidence and evidence[-1].file is None else None
    places = evidence[:-1] if rest else evidence
    num_unkept = int(rest[1]) if rest else 0
    return places[:most], max(0, len(places) - most) + num_unkept
