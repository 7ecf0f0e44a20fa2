"""Calls matched to parameters, held against Python's own `inspect.signature(…).bind`."""

from __future__ import annotations

import inspect

from hypothesis import given
from hypothesis import strategies as st

from assay.validators.languages.engine.parameters import arguments_of, function_in, signature_of
from assay.validators.languages.engine.rows import PYTHON

NAMES = tuple("abcdefg")


@st.composite
def functions(draw: st.DrawFn) -> str:
    """The source of a function with parameters of every kind."""
    names = draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=6))
    cuts = sorted(draw(st.lists(st.integers(0, len(names)), min_size=2, max_size=2)))
    only, plain, keywords = names[: cuts[0]], names[cuts[0] : cuts[1]], names[cuts[1] :]
    num_defaults = draw(st.integers(0, len(only) + len(plain)))
    positional = [*only, *plain]
    shown = [name + ("=0" if at >= len(positional) - num_defaults else "") for at, name in enumerate(positional)]
    parts = [*shown[: len(only)], *(["/"] if only else []), *shown[len(only) :]]
    has_rest = draw(st.booleans())
    parts += ["*rest"] if has_rest else ["*"] if keywords else []
    parts += [name + ("=0" if draw(st.booleans()) else "") for name in keywords]
    parts += ["**others"] if draw(st.booleans()) else []
    return f"def function({', '.join(parts)}): pass"


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call with plain arguments."""
    keywords = draw(st.lists(st.sampled_from((*NAMES, "x")), unique=True, max_size=5))
    positional = ["0"] * draw(st.integers(0, 6))
    return f"function({', '.join([*positional, *(f'{name}=0' for name in keywords)])})"


@given(functions(), calls())
def test_a_call_matches_where_python_binds_it(source: str, call: str):
    assert (_mismatch(source, call) is None) is _binds(source, call)


@given(functions(), calls(), st.integers(0, 4), st.lists(st.sampled_from(NAMES), unique=True, max_size=4))
def test_an_open_call_is_refused_only_where_nothing_it_may_bring_helps(
    source: str, call: str, more: int, names: list[str]
):
    arguments = call[len("function(") : -1]
    given_names = [part.partition("=")[0] for part in arguments.split(", ") if "=" in part]
    opened = f"function({arguments}{', ' if arguments else ''}*rest, **others)"
    if _mismatch(source, opened) is None:
        return
    positional = [part for part in arguments.split(", ") if part and "=" not in part] + ["0"] * more
    keywords = [*given_names, *(name for name in names if name not in given_names)]
    closed = f"function({', '.join([*positional, *(f'{name}=0' for name in keywords)])})"
    assert not _binds(source, closed)


def _mismatch(source: str, call: str) -> str | None:
    tree = PYTHON.parser.parse(f"{source}\n{call}\n".encode())
    definition, expression = tree.root_node.named_children
    function = function_in(definition)
    assert function is not None
    signature, given = signature_of(function), arguments_of(expression.named_children[0])
    assert signature is not None
    assert given is not None
    return given.mismatch(signature)


def _binds(source: str, call: str) -> bool:
    space: dict[str, object] = {}
    exec(source, space)  # made by this test alone
    function = space["function"]
    assert callable(function)
    bound = inspect.signature(function)
    try:
        eval(call, {"function": bound.bind})
    except TypeError:
        return False
    return True
