"""Pickles of known classes as plain data. No class of a pickle is imported, constructed or called."""

from __future__ import annotations

import io
import pickle  # noqa: TID251 - `find_class` below resolves none
from collections.abc import Collection
from typing import Any

from assay.escape import visible

_MOST_NAME = 80


class PickleRefused(ValueError):
    """The pickle is damaged, or names a class that is not allowed."""


class Instance:
    """Stand-in for an object of an allowed class, with the attributes of the object."""

    state: dict[str, Any]

    def __setstate__(self, state: Any) -> None:
        inner = state.get("__dict__")  # as pydantic writes its models
        self.state = dict(inner if isinstance(inner, dict) else state)


class _Reader(pickle.Unpickler):
    def __init__(self, data: bytes, allowed: Collection[tuple[str, str]]) -> None:
        super().__init__(io.BytesIO(data))
        self._allowed = allowed

    def find_class(self, module: str, name: str) -> type[Instance]:
        if (module, name) not in self._allowed:
            shown = visible(f"{module[:_MOST_NAME]}.{name[:_MOST_NAME]}")
            raise PickleRefused(f"a pickle that names {shown}, which is never imported")
        return Instance


def decoded_pickle(data: bytes, allowed: Collection[tuple[str, str]]) -> Any:
    """Return the data of a pickle; objects of the allowed classes become `Instance`.

    Raises:
        PickleRefused: another class, or damaged data.
    """
    try:
        return _Reader(data, allowed).load()
    except PickleRefused:
        raise
    except Exception as error:  # a damaged pickle raises nearly anything
        raise PickleRefused(f"a damaged pickle ({type(error).__name__})") from error
