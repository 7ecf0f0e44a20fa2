"""Licence expressions of SPDX against lists of allowed and denied licences."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any


def is_allowed(expression: str, allow: Collection[str], deny: Collection[str]) -> bool:
    """Return whether licences may be used: of `OR` one part, of `AND` every part.

    An exception (`WITH`) keeps its licence. Without `allow`, whatever is not in `deny` is allowed. An expression that
    cannot be read is allowed only then.
    """
    from license_expression import ExpressionError  # type: ignore[import-untyped]

    try:
        parsed = _licensing().parse(expression, validate=False)
    except (ExpressionError, RecursionError):
        return not allow
    return _is_allowed(parsed, _keys(allow), _keys(deny))


def _is_allowed(parsed: Any, allow: Collection[str], deny: Collection[str]) -> bool:
    licensing = _licensing()
    if isinstance(parsed, licensing.OR):
        return any(_is_allowed(one, allow, deny) for one in parsed.args)
    if isinstance(parsed, licensing.AND):
        return all(_is_allowed(one, allow, deny) for one in parsed.args)
    key = getattr(parsed, "license_symbol", parsed).key.lower()
    names = {key, str(parsed).lower()}
    return names.isdisjoint(deny) and (not allow or not names.isdisjoint(allow))


def _keys(names: Collection[str]) -> frozenset[str]:
    return frozenset(name.lower() for name in names)


@cache
def _licensing() -> Any:
    """Return the library's table of SPDX licences; reading it takes a moment, so only where a list is configured."""
    from license_expression import get_spdx_licensing

    return get_spdx_licensing()
