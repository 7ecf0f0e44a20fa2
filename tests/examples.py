"""How many examples a property test draws: few in `make test`, all in `make soak`."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar

import pytest
from _pytest.mark import ParameterSet

T = TypeVar("T")

IS_SOAK = os.environ.get("PROPERTY_EXAMPLES") == "all"


def num_examples(all_of_them: int) -> int:
    """Return the number in `make soak`, a fifth of it (at least 5) elsewhere."""
    return all_of_them if IS_SOAK else max(5, all_of_them // 5)


def sampled(cases: Iterable[Any], num_kept: int) -> list[Any]:
    """Leave all but `num_kept` cases, evenly spread, to `make soak`. A tuple holds several arguments."""
    cases = list(cases)
    kept = {index * len(cases) // num_kept for index in range(num_kept)}
    return [case if index in kept else _soak(case) for index, case in enumerate(cases)]


def one_of_each(cases: Iterable[T], key: Callable[[T], Hashable]) -> list[Any]:
    """Leave all cases but the first of each kind to `make soak`."""
    seen: set[Hashable] = set()
    found: list[Any] = []
    for case in cases:
        kind = key(case)
        found.append(_soak(case) if kind in seen else case)
        seen.add(kind)
    return found


def _soak(case: Any) -> Any:
    if isinstance(case, ParameterSet):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.soak], id=case.id)
    return pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.soak)
