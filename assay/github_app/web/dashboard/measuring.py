"""Cache of pull request measures for one minute, because consecutive pages need the same ones."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from datetime import datetime

from assay.github_app.outcomes.metrics.measures import PullMeasures, measures
from assay.github_app.store import Store

KEEP_S = 60.0
MOST_KEPT = 32
_Key = tuple[tuple[int, ...], datetime | None]


class MeasureCache:
    """Cached measures by repositories and time; the caller checks read access."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[_Key, tuple[float, Sequence[PullMeasures]]] = OrderedDict()

    def of(self, ids: tuple[int, ...], since: datetime | None) -> Sequence[PullMeasures]:
        """Return the measures of pull requests opened since then (rounded to the hour, so that pages share them)."""
        rounded = None if since is None else since.replace(minute=0, second=0, microsecond=0)
        key = (tuple(sorted(ids)), rounded)
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None and time.monotonic() - kept[0] < KEEP_S:
                return kept[1]
        found = measures(self._store, key[0], since=rounded)
        with self._lock:
            self._kept[key] = (time.monotonic(), found)
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
        return found
