"""Changed security code: access control, secrets, trust."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from assay.validators.changes.change import ChangedFile, text_at
from assay.validators.dangers.dangerous_code import COVERED, dangers
from assay.validators.dangers.loaded import is_aside, is_code, loading_product
from assay.validators.io.globs import matcher
from assay.validators.policy.natures import ASIDE, DECLARED, is_copied
from assay.validators.progress import OutOfTime
from assay.validators.report.answers import unanswered
from assay.validators.report.model import Statement
from assay.validators.report.unknown import Question
from assay.validators.risk.changed_code import ChangedCode, around, definitions
from assay.validators.risk.signal import Measure, RiskContext

_STRONG = (
    "auth authn authz authenticate authenticated authenticator authentication authorize authorized authorization "
    "oauth oauth2 openid oidc saml sso ldap login logout signin password passwords passwd passphrase credential "
    "credentials secret secrets crypto cryptography cipher encrypt encrypted encryption decrypt decryption jwt jwk jws "
    "csrf xsrf acl rbac permission permissions privilege privileges sanitize sanitizer sanitizers sanitization "
    "ssl tls hmac sandbox firewall impersonate mfa totp otp 2fa captcha keyring vault api_key access_token auth_token "
    "refresh_token csrf_token private_key public_key access_control trusted_host safe_join verify_token validate_token "
    "check_token"
)
_WEAK = "session sessions cookie cookies signature security nonce certificate certificates cert certs cors"
"""Words that also have other meanings (a database session, a function's signature): enough for a note on a path,
not for a statement on a symbol."""
_SYMBOL, _PATH = (
    re.compile(rf"(?:^|_)(?:{'|'.join(words.split())})(?:_|$)") for words in (_STRONG, f"{_STRONG} {_WEAK}")
)
_BREAK = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_HELPERS = re.compile(
    r"(^|/)(scripts?|tools?|tooling|build|examples?|benchmarks?|benches|demos?|samples?|docs?|integration|\.github|hack|contrib)/"
)


class SecuritySensitiveSignal:
    """Signal `security_sensitive`: an error in security code opens access."""

    name = "security_sensitive"
    answers = Question.dangers
    covers = COVERED

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield dangers, security-related names, and paths that the configuration marks."""
        named = matcher(context.limits.paths.security_sensitive)
        # Copied files come last, so that a timeout costs only them.
        every = sorted(context.change.files, key=is_copied)
        wanted = [file for file in every if is_code(file) or (named(file.path) and file.nature not in ASIDE)]
        removed = cache(lambda: _removed(context, [file for file in wanted if not is_aside(file)]))
        for number, file in enumerate(wanted):
            if context.deadline.passed:
                text = f"{len(wanted) - number} files of code not checked: the tier ran out of time"
                yield Statement("source_unread", text, file.path)
                yield from unanswered(wanted[number:], self.answers, "the tier ran out of time")
                break
            code = context.changed_code(file)
            yield from _dangers(context, file, code, removed)
            # An import is not code by itself, but another one can make the same call dangerous.
            if file.nature in ASIDE or not code:
                continue
            if file.nature not in DECLARED:
                yield from _sensitive(context, file, code)
            if named(file.path):
                text = "the configuration marks this path as security-sensitive"
                yield Statement("sensitive_path", text, file.path, next(iter(code.added), None))


def _dangers(
    context: RiskContext, file: ChangedFile, code: ChangedCode, removed: Callable[[], Counter[tuple[str, str]]]
) -> Iterator[Statement]:
    """Yield dangerous lines the change adds, not those it moved from another place.

    A generated or vendored file is rewritten as a whole: a danger it had as often before is not new.
    """
    old, new = text_at(context.change.base, file.base_path), text_at(context.change.head, file.path)
    before = Counter(what for what, _ in _gone(file, code, old)) if file.nature in DECLARED else Counter[str]()
    after = new.split("\n")
    found = []
    for danger in dangers(file.typed_path, code.added, old, new):
        text = after[danger.line - 1] if 0 < danger.line <= len(after) else ""
        place = danger.what, _normal(text)
        if removed()[place] > 0:
            removed()[place] -= 1
        elif before[danger.what] > 0:
            before[danger.what] -= 1
        else:
            found.append((danger.line, f"{danger.what}: {text.strip()[:80]}"))
    if found:
        kind = "danger" if _runs_in_product(context, file) else "danger_aside"
        yield from (Statement(kind, text, file.path, line) for line, text in found)


def _runs_in_product(context: RiskContext, file: ChangedFile) -> bool:
    """Return whether product code is or loads this file; tests, documentation and examples may be dangerous.

    Without time to decide, it counts as loaded.
    """
    if not is_aside(file):
        return True
    try:
        return file.exists and bool(loading_product(context.change, context.head_graph, file.path))
    except OutOfTime:
        return True


def _sensitive(context: RiskContext, file: ChangedFile, code: ChangedCode) -> Iterator[Statement]:
    """Yield changed bodies of security symbols that did not only move, else a note if the file's name is one."""
    moved = context.moved_code
    added = code.added.keys() - moved.head.get(file.path, frozenset())
    removed = code.removed.keys() - moved.base.get(file.base_path or file.path, frozenset())
    if _HELPERS.search(file.path) or not (added or removed):
        return
    after = definitions(context.change.head, file.path if file.exists else None)
    before = definitions(context.change.base, file.base_path)
    pieces = (*around(after, added), *around(before, removed))
    named = {piece.name: piece for piece in pieces if _SYMBOL.search(_words(piece.name))}
    old, new = ({piece.name for piece in side} for side in (before, after))
    for name, piece in named.items():
        if name.rpartition(".")[0] in named:
            continue  # its class is listed
        line = min((line for line in added if piece.line <= line <= piece.end_line), default=None)
        what = "removed" if name not in new else "changed" if name in old else "added"
        text = f"{name} is {what}; its name suggests security code"
        yield Statement("sensitive_name", text, file.path, line)
    if not named and _PATH.search(_words(file.path)):
        yield Statement("sensitive_name", "the file name suggests security code", file.path, min(added, default=None))


def _words(name: str) -> str:
    """Return the words of a name in small letters, joined by underscores."""
    return "_".join(_BREAK.split(name)).strip("_").lower()


def _removed(context: RiskContext, files: Iterable[ChangedFile]) -> Counter[tuple[str, str]]:
    """Return how often the change removes each dangerous line, by danger and text.

    The same call may have been safe in a deleted file, with its name from another import.
    """
    found = Counter[tuple[str, str]]()
    for file in files:
        if not context.deadline.passed:
            found.update(_gone(file, context.changed_code(file), text_at(context.change.base, file.base_path)))
    return found


def _gone(file: ChangedFile, code: ChangedCode, before: str) -> Iterator[tuple[str, str]]:
    """Yield (danger, text) of each dangerous line that a change removes from a file."""
    path = (file.base_path or file.path) + file.script_suffix
    for one in dangers(path, code.removed, "", before if code.removed else ""):
        if one.line in code.removed:
            yield one.what, _normal(code.removed[one.line])


def _normal(line: str) -> str:
    """Return a line without white space and without the variable whose attribute it sets."""
    return re.sub(r"^\w+(?=\.\w+=)", "_", "".join(line.split()))
