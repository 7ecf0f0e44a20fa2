"""Value expressions: what is written of a value, from which the symbol graph finds its class."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class How(StrEnum):
    """How a value expression is built.

    | how | name, of | value |
    |---|---|---|
    | name | `a.b` | the name `a` of the file, and its attribute `b` |
    | instance | `a.b` | an instance of that class |
    | call | of | the result of calling a value; of a class an instance |
    | member | name, of | an attribute of a value |
    | item | of | an item of a value, as a loop takes it |
    | entered | of | what `with` binds |
    | container | of | a list or mapping whose items are `of` |
    | parent | class | `super()` in a class |
    | fixture | name | the pytest fixture that a parameter names |
    | literal | | a value of the language itself, such as a text |
    | unknown | | anything |
    """

    name = "name"
    instance = "instance"
    call = "call"
    member = "member"
    item = "item"
    entered = "entered"
    container = "container"
    parent = "parent"
    fixture = "fixture"
    literal = "literal"
    unknown = "unknown"


class Value(NamedTuple):
    """Value expression; see `How`."""

    how: How
    name: str = ""
    of: Value | None = None

    @property
    def last(self) -> str:
        """The last name written in it: its own, or that of what is called."""
        value: Value | None = self
        while value is not None:
            if value.name:
                return value.name.rpartition(".")[2]
            value = value.of
        return ""

    @property
    def is_known(self) -> bool:
        """Whether its class may be found."""
        return self.how not in (How.unknown, How.literal)


_HOWS = {str(how): how for how in How}
UNKNOWN = Value(How.unknown)
LITERAL = Value(How.literal)
DEEPEST = 40
"""Maximum steps of a value expression; a longer one is unknown."""


def member(of: Value, name: str) -> Value:
    """Return the value of an attribute; a name and its attributes stay one chain."""
    if of.how is How.literal:
        return UNKNOWN
    if of.how is How.name:
        return Value(How.name, f"{of.name}.{name}")
    return Value(How.member, name, of)


def derived(how: How, of: Value) -> Value:
    """Return what calling, looping over or entering a value gives."""
    return Value(how, "", of) if of.is_known else of


def value_of(data: object, depth: int = 0) -> Value:
    """Return a value expression from its JSON form, a list of the three fields; unknown if it is damaged."""
    match data:
        case [str() as how, str() as name, of] if depth < DEEPEST and how in _HOWS:
            return Value(_HOWS[how], name, None if of is None else value_of(of, depth + 1))
    return UNKNOWN


def called(value: Value) -> Value:
    """Return what calling a value gives; a class at hand as `cls` gives an instance."""
    if value.how is How.parent:
        return UNKNOWN
    return value if value.how is How.instance else derived(How.call, value)
