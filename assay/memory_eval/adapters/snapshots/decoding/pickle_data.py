"""Pickles of known classes as plain data. The opcodes are read as a list; nothing is imported or called.

Only what a pickled pydantic model of plain values needs is understood. Any other class, and every call, is refused:
a pickle is a program, and one that calls something was not written by the store.
"""

from __future__ import annotations

import io
import pickletools
import re
import struct
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from assay.escape import visible

MOST_OPCODES = 2_000_000
MOST_REPEATED = 64
"""Largest data for each byte of the pickle, when references are written out: characters, and `_NODE` for a value."""
_LEAST_ALLOWED = 2**16
_NODE = 16
_MOST_NAME = 80

_CONSTANTS: dict[str, Callable[[], Any]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_DICT": dict,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "EMPTY_SET": set,
}
_VALUES = frozenset(
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT UNICODE SHORT_BINUNICODE BINUNICODE BINUNICODE8"
    " SHORT_BINBYTES BINBYTES BINBYTES8".split()
)
_KEYS = (str, int, float, bytes, type(None))
_IGNORED = frozenset({"PROTO", "FRAME"})
_FLOATS = re.compile(rb"(?:G.{8})+", re.DOTALL)
_FLOAT_BYTES = 9
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


class PickleRefused(ValueError):
    """The pickle is damaged, or contains a class or a call that is not allowed."""


@dataclass(frozen=True, slots=True)
class ClassName:
    """A class that the pickle names: a label, never imported."""

    module: str
    name: str


@dataclass(slots=True, eq=False)
class Instance:
    """An object of a named class, with its attributes."""

    of: ClassName
    state: dict[str, Any] = field(default_factory=dict)


def decoded_pickle(data: bytes, allowed: Collection[tuple[str, str]]) -> Any:
    """Return the data of a pickle; objects of the allowed classes become `Instance`.

    Raises:
        PickleRefused: another class, a call, an unknown opcode or damaged data.
    """
    try:
        return _Machine(allowed).run(data)
    except PickleRefused:
        raise
    except (ValueError, IndexError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise PickleRefused(f"a damaged pickle ({type(error).__name__})") from error


class _Machine:
    def __init__(self, allowed: Collection[tuple[str, str]]) -> None:
        self._allowed = allowed
        self._stack: list[Any] = []
        self._marks: list[int] = []
        self._memo: dict[int, Any] = {}
        self._room = 0
        self._has_shared = False

    def run(self, data: bytes) -> Any:
        most = max(_LEAST_ALLOWED, MOST_REPEATED * len(data))
        self._room = most
        file = io.BytesIO(data)
        for number, (opcode, argument, place) in enumerate(pickletools.genops(file)):
            if number > MOST_OPCODES:
                raise PickleRefused(f"a pickle of more than {MOST_OPCODES:,} opcodes")
            if opcode.name == "STOP":
                whole = self._stack.pop()
                if self._has_shared:
                    _check_size(whole, most)
                return whole
            if opcode.name == "BINFLOAT" and place is not None and (floats := _FLOATS.match(data, place)):
                # A vector has hundreds: together they take a twentieth of the time.
                self._stack += struct.unpack(f">{'xd' * (len(floats[0]) // _FLOAT_BYTES)}", floats[0])
                file.seek(floats.end())
                continue
            self._step(opcode.name, argument)
        raise PickleRefused("a pickle without an end")

    def _step(self, name: str, argument: Any) -> None:
        if name in _CONSTANTS:
            self._stack.append(_CONSTANTS[name]())
        elif name in _VALUES:
            self._stack.append(argument)
        elif name in _TUPLES:
            count = _TUPLES[name]
            self._stack[-count:] = [tuple(self._stack[-count:])]
        elif name not in _IGNORED:
            handler = getattr(self, f"_on_{name.lower()}", None)
            if handler is None:
                raise PickleRefused(f"a pickle with {name}, which is never executed")
            handler(argument)

    def _write(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise PickleRefused("a pickle that repeats its values too often")

    def _marked(self) -> list[Any]:
        start = self._marks.pop()
        items = self._stack[start:]
        del self._stack[start:]
        return items

    def _on_mark(self, _: Any) -> None:
        self._marks.append(len(self._stack))

    def _on_memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self._stack[-1]

    def _on_binput(self, place: int) -> None:
        self._memo[place] = self._stack[-1]

    _on_long_binput = _on_binput

    def _on_binget(self, place: int) -> None:
        value = self._memo[place]
        if isinstance(value, str | bytes):
            self._write(len(value))
        else:
            self._has_shared = True
        self._stack.append(value)

    _on_long_binget = _on_binget

    def _on_tuple(self, _: Any) -> None:
        self._stack.append(tuple(self._marked()))

    def _on_append(self, _: Any) -> None:
        item = self._stack.pop()
        _typed(self._stack[-1], list).append(item)

    def _on_appends(self, _: Any) -> None:
        items = self._marked()
        _typed(self._stack[-1], list).extend(items)

    def _on_additems(self, _: Any) -> None:
        items = self._marked()
        _typed(self._stack[-1], set).update(map(_key, items))

    def _on_setitem(self, _: Any) -> None:
        value, key = self._stack.pop(), self._stack.pop()
        _typed(self._stack[-1], dict)[_key(key)] = value

    def _on_setitems(self, _: Any) -> None:
        items = self._marked()
        _typed(self._stack[-1], dict).update(zip(map(_key, items[::2]), items[1::2], strict=True))

    def _on_global(self, argument: str) -> None:
        module, _, name = argument.partition(" ")
        self._name(module, name)

    def _on_stack_global(self, _: Any) -> None:
        name, module = self._stack.pop(), self._stack.pop()
        self._name(module, name)

    def _name(self, module: Any, name: Any) -> None:
        if not isinstance(module, str) or not isinstance(name, str):
            raise PickleRefused("a damaged pickle (a class without a name)")
        if (module, name) not in self._allowed:
            shown = visible(f"{module[:_MOST_NAME]}.{name[:_MOST_NAME]}")
            raise PickleRefused(f"a pickle that names {shown}, which is never imported")
        self._stack.append(ClassName(module, name))

    def _on_newobj(self, _: Any) -> None:
        arguments, of = self._stack.pop(), self._stack.pop()
        if arguments != () or not isinstance(of, ClassName):
            raise PickleRefused("a pickle that calls a constructor with arguments")
        self._stack.append(Instance(of))

    def _on_build(self, _: Any) -> None:
        state = _typed(self._stack.pop(), dict)
        inner = state.get("__dict__")  # as pydantic writes its models
        attributes = inner if isinstance(inner, dict) else state
        self._write(_NODE * len(attributes))
        _typed(self._stack[-1], Instance).state.update(attributes)


def _typed(value: Any, kind: type) -> Any:
    if not isinstance(value, kind):
        raise PickleRefused("a damaged pickle (an operation on a value of another type)")
    return value


def _key(value: Any) -> Any:
    """Return a plain key: hashing a tuple of tuples can take exponential time."""
    if not isinstance(value, _KEYS):
        raise PickleRefused("a pickle with a key that is not a plain value")
    return value


def _check_size(whole: Any, most: int) -> None:
    """Raise PickleRefused if the data with each reference written out is too large, or contains itself."""
    left, size = [whole], 0
    while left:
        value = left.pop()
        size += _NODE + (len(value) if isinstance(value, str | bytes) else 0)
        if size + len(left) * _NODE > most:
            raise PickleRefused("a pickle that repeats its values too often")
        if isinstance(value, Instance):
            left.append(value.state)
        elif isinstance(value, dict):
            left += value
            left += value.values()
        elif isinstance(value, list | tuple | set):
            left += value
