"""Effect of an SQL statement by its words alone: for dialects and statements without a parser."""

from __future__ import annotations

import re

from assay.validators.risk.migrations.migration import Effect

LONGEST = 20_000
"""Maximum characters of a statement that are checked; the words that matter come first."""
_NO_COLUMN = r"(?!CONSTRAINT|DEFAULT|NOT|INDEX|KEY|PRIMARY|FOREIGN|CHECK|IDENTITY|EXPRESSION|UNIQUE)"
_ROWS = (
    (r"^ALTER (INDEX|SEQUENCE|FUNCTION|TRIGGER|ROLE|USER)\b", Effect.other),
    (r"\bRENAME (CONSTRAINT|INDEX|KEY)\b", Effect.other),
    (r"\bDROP (TABLE|COLUMN|SCHEMA|DATABASE|TYPE|DOMAIN|SEQUENCE|(MATERIALIZED )?VIEW)\b", Effect.destructive),
    (rf"\bALTER TABLE\b.*\bDROP {_NO_COLUMN}", Effect.destructive),
    (r"\bALTER (COLUMN )?\S+ (SET DATA )?TYPE\b", Effect.destructive),
    (r"\b(MODIFY|CHANGE) (COLUMN )?\S+ \S", Effect.destructive),
    (r"\bSET NOT NULL\b", Effect.destructive),
    (r"\bRENAME (COLUMN|TO|TABLE|ATTRIBUTE|VALUE)\b|\bALTER TABLE\b.*\bRENAME\b|^RENAME TABLE\b", Effect.destructive),
    (r"\bSP_RENAME\b", Effect.destructive),
    (r"^TRUNCATE\b|^DELETE FROM \S+$", Effect.destructive),
    (rf"\bADD (COLUMN )?(IF NOT EXISTS )?{_NO_COLUMN}\S+ (?!.*\bDEFAULT\b).*\bNOT NULL\b", Effect.destructive),
    (r"^(DO|CALL|EXEC|EXECUTE|BEGIN ATOMIC)\b", Effect.unclear),
    (r"\bADD (CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK)\b", Effect.other),
    (r"^(CREATE|ALTER|COMMENT|GRANT|INSERT)\b", Effect.additive),
    (r"^(DROP|DELETE|UPDATE|MERGE|REVOKE|REINDEX|REFRESH|CLUSTER|OPTIMIZE)\b", Effect.other),
)
_BY_WORDS = tuple((re.compile(words), effect) for words, effect in _ROWS)
_SILENT = re.compile(
    r"(SET|BEGIN|COMMIT|START|END|USE|GO|SELECT|SHOW|PRAGMA|ANALYZE|VACUUM|LOCK|UNLOCK|ROLLBACK|SAVEPOINT|\\\w+)\b"
)
_RUNNING = re.compile(r"(DO|CALL|EXEC|EXECUTE|BEGIN ATOMIC|CREATE (OR REPLACE )?(FUNCTION|PROCEDURE))\b")
_FILLING = re.compile(r"(INSERT|UPDATE|COPY|CREATE|COMMENT|GRANT|MERGE)\b")
"""Statements that may be long: their later parts remove nothing."""
_COMMENT = re.compile(r"--[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_TEXT = re.compile(r"'[^']*+'")


def effect_by_words(text: str) -> Effect | None:
    """Return the effect of one statement; None if it changes nothing permanent, `unclear` if no word is known."""
    plain = without_comments(text)
    words = " ".join(_TEXT.sub("''", plain[:LONGEST]).upper().split())
    if not words or _SILENT.match(words):
        return None
    if _RUNNING.match(words):
        # A block or function may contain statements in texts: EXECUTE 'DROP TABLE orders'.
        body = " ".join(plain[:LONGEST].upper().split())
        if any(pattern.search(body) for pattern, effect in _BY_WORDS if effect is Effect.destructive):
            return Effect.destructive
    if len(plain) > LONGEST and not _FILLING.match(words):
        return Effect.unread
    return next((effect for pattern, effect in _BY_WORDS if pattern.search(words)), Effect.unclear)


def without_comments(text: str) -> str:
    """Return the statement without `--` and `/* */`."""
    return _COMMENT.sub(" ", text).strip()
