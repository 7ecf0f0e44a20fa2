"""Words that identify access checks in code."""

from __future__ import annotations

import re

_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_WHO = frozenset(
    "admin admins administrator superuser superadmin staff owner owners ownership permission permissions perm perms "
    "privilege privileges role roles scope scopes auth authn authz authenticated authorized authorised authentication "
    "authorization login logged access acl rbac tenant csrf xsrf token password signature hmac digest mfa otp captcha "
    "anonymous allowed forbidden".split()
)
"""Subjects of a check."""
_STRONG = _WHO - frozenset("token access tenant scope scopes otp owner owners signature digest".split())
"""Words with few other meanings in a condition."""
_VERBS = frozenset(
    "require requires ensure enforce check verify validate assert authorize authorise must demand guard deny".split()
)
_STRICT_VERBS = frozenset("require requires ensure enforce authorize authorise demand".split())
_REQUIRED = _VERBS | frozenset(
    "required only needed needs protect protected accepted verified authenticated authorized has passes".split()
)
_ALONE = frozenset("authorize authorise authorized authenticated authenticate secured preauthorize".split())
REFUSAL = re.compile(r"permission|forbidden|unauthori[sz]|denied|not_?allowed|access|\b40[13]\b", re.IGNORECASE)
"""An exception that refuses access: `PermissionDenied`."""
REFUSED_ANSWER = re.compile(r"forbidden|unauthori[sz]ed|permission_?denied|\b40[13]\b", re.IGNORECASE)
"""A response that refuses access: `HttpResponseForbidden()`, `abort(403)`."""
_LETS_IN = frozenset("exempt anonymous not skip allow public optional".split())


def words_of(name: str) -> list[str]:
    """Return the lower-case words of an identifier."""
    return [word.lower() for word in _BREAK.split(name) if word]


def is_guard_call(name: str, *, is_statement: bool) -> bool:
    """Return whether a call of this name refuses: `require_admin(user)`; `check_…` only if its result is unused."""
    words = words_of(name)
    if not words:
        return False
    if words[0] in _ALONE and len(words) == 1:
        return is_statement
    verbs = _VERBS if is_statement else _STRICT_VERBS
    return words[0] in verbs and not _WHO.isdisjoint(words[1:]) and _LETS_IN.isdisjoint(words[1:2])


def is_guard_decorator(name: str) -> bool:
    """Return whether a decorator or annotation of this name restricts access."""
    words = words_of(name)
    if not _LETS_IN.isdisjoint(words):
        return False
    is_known = len(words) == 1 and (words[0] in _ALONE or words[0] in ("roles", "rolesallowed"))
    return is_known or (not _REQUIRED.isdisjoint(words) and not _WHO.isdisjoint(words)) or name in _DECORATORS


_DECORATORS = frozenset(("user_passes_test", "permission_classes", "UseGuards", "PreAuthorize", "RolesAllowed"))


def is_asked(name: str, *, is_told: bool = False) -> bool:
    """Return whether a condition on this name checks identity or permission: `user.is_admin`, `has_perm(…)`.

    With `is_told`, a refusal follows the condition, and any name that asks a question counts: `can_edit(…)`.
    """
    words = words_of(name)
    if len(words) == 1:
        return words[0] in _ASKED_ALONE
    return bool(words) and words[0] in _ASKS and (is_told or not _STRONG.isdisjoint(words))


_ASKED_ALONE = frozenset("role superuser authenticated authorized authorised".split())
_ASKS = frozenset("is has can may check verify compare constant user timing safe not".split())
