"""Breaks to plant into a TypeScript tree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tests.bench.planted import Plant


def plants(sources: Mapping[str, str]) -> Iterator[Plant]:
    """Every break that can be planted, in a stable order."""
    yield from ()
