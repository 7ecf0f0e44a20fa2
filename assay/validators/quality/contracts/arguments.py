"""Whether the arguments of a call fit the parameters of a function, and what to say if they do not."""

from __future__ import annotations

from inspect import Parameter, Signature

from assay.validators.languages.engine.parameters import Call


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
    kinds = {one.kind for one in parameters}
    unknown = [name for name in call.keywords if name not in names]
    if unknown and Parameter.VAR_KEYWORD not in kinds:
        return f"still passes {_listed(unknown)}"
    positional = [
        one.name for one in parameters if one.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
    ]
    if call.num_positional > len(positional) and Parameter.VAR_POSITIONAL not in kinds:
        return f"passes {call.num_positional} positional arguments and it takes {len(positional)}"
    given = {*positional[: call.num_positional], *call.keywords}
    variadic = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    needed = [one.name for one in parameters if one.kind not in variadic and one.default is Parameter.empty]
    missing = [name for name in needed if name not in given]
    if missing and not call.is_open:
        return f"does not pass {_listed(missing)}"
    return f"passes other arguments ({otherwise})"


def signature_text(signature: Signature) -> str:
    """Return the parameters as in a signature, with `=…` for any default."""
    shown: list[str] = []
    for one in signature.parameters.values():
        if one.kind is Parameter.KEYWORD_ONLY and not any(part.startswith("*") for part in shown):
            shown.append("*")
        stars = "*" if one.kind is Parameter.VAR_POSITIONAL else "**" if one.kind is Parameter.VAR_KEYWORD else ""
        shown.append(f"{stars}{one.name}{'' if one.default is Parameter.empty else '=…'}")
    return f"({', '.join(shown)})"


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
