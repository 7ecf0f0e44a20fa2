"""Python signatures read from source, and whether a call can match one."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from inspect import Parameter, Signature

from assay.validators.quality.contracts.python.nodes import last_name
from assay.validators.quality.contracts.python.scopes import Function

_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
_PLAIN = frozenset(
    "staticmethod classmethod abstractmethod abstractclassmethod override final deprecated cache lru_cache "
    "contextmanager asynccontextmanager coroutine wraps typing_extensions".split()
)
"""Decorators that do not change the arguments of a function."""


@dataclass(frozen=True, slots=True)
class Call:
    """Arguments of a call: number of positional ones, names, and whether `*` or `**` add more."""

    num_positional: int
    keywords: tuple[str, ...] = ()
    is_open: bool = False

    @classmethod
    def of(cls, node: ast.Call) -> Call:
        """Return the arguments as written; after a `*`, their number is unknown."""
        stars = [at for at, argument in enumerate(node.args) if isinstance(argument, ast.Starred)]
        named = tuple(keyword.arg for keyword in node.keywords if keyword.arg is not None)
        is_open = bool(stars) or len(named) != len(node.keywords)
        return cls(stars[0] if stars else len(node.args), named, is_open)


def signature_of(node: Function, is_bound: bool = False) -> Signature | None:
    """Return a function's signature, without the first positional parameter if `is_bound`; None if unclear."""
    arguments = node.args
    positional = [*arguments.posonlyargs, *arguments.args]
    first_default = len(positional) - len(arguments.defaults)
    found: list[Parameter] = []
    for at, argument in enumerate(positional):
        kind = Parameter.POSITIONAL_ONLY if at < len(arguments.posonlyargs) else Parameter.POSITIONAL_OR_KEYWORD
        found.append(_parameter(argument.arg, kind, at >= first_default))
    if is_bound:
        if not found and arguments.vararg is None:
            return None
        found = found[1:]
    if arguments.vararg is not None:
        found.append(Parameter(arguments.vararg.arg, Parameter.VAR_POSITIONAL))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        found.append(_parameter(argument.arg, Parameter.KEYWORD_ONLY, default is not None))
    if arguments.kwarg is not None:
        found.append(Parameter(arguments.kwarg.arg, Parameter.VAR_KEYWORD))
    return made(found)


def made(parameters: list[Parameter]) -> Signature | None:
    """Return a signature of these parameters; None if Python refuses them."""
    try:
        return Signature(parameters)
    except ValueError:
        return None


def keeps_arguments(node: Function) -> bool:
    """Return whether no decorator of a function can change its arguments."""
    return all(last_name(decorator) in _PLAIN for decorator in node.decorator_list)


def mismatch(signature: Signature, call: Call) -> str | None:
    """Return why a call cannot match a signature, to complete "but this line …"; None if it can."""
    bind = signature.bind_partial if call.is_open else signature.bind
    keywords = dict.fromkeys(call.keywords)
    parameters = signature.parameters.values()
    if call.is_open and any(one.kind is Parameter.VAR_KEYWORD for one in parameters):
        # `**` takes the name of a positional-only parameter too, once another argument fills it.
        for one in parameters:
            if one.kind is Parameter.POSITIONAL_ONLY:
                keywords.pop(one.name, None)
    try:
        bind(*range(call.num_positional), **keywords)
    except TypeError as error:
        return _reason(signature, call, str(error))
    return None


def _reason(signature: Signature, call: Call, otherwise: str) -> str:
    parameters = signature.parameters.values()
    names = {one.name for one in parameters if one.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)}
    takes_any = any(one.kind is Parameter.VAR_KEYWORD for one in parameters)
    unknown = [name for name in call.keywords if name not in names]
    if unknown and not takes_any:
        return f"still passes {_listed(unknown)}"
    positional = [one for one in parameters if one.kind in _POSITIONAL]
    takes_more = any(one.kind is Parameter.VAR_POSITIONAL for one in parameters)
    if call.num_positional > len(positional) and not takes_more:
        return f"passes {call.num_positional} positional arguments and it takes {len(positional)}"
    given = {one.name for one in positional[: call.num_positional]} | set(call.keywords)
    variadic = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    missing = [
        one.name
        for one in parameters
        if one.kind not in variadic and one.default is Parameter.empty and one.name not in given
    ]
    if missing and not call.is_open:
        return f"does not pass {_listed(missing)}"
    return f"passes other arguments ({otherwise})"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _parameter(name: str, kind: object, has_default: bool) -> Parameter:
    return Parameter(name, kind, default=None if has_default else Parameter.empty)  # type: ignore[arg-type]
