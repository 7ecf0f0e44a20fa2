"""What SQL statements do to a schema. Read by sqlglot; what it cannot read, by the words that matter."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel, SqlglotError
from sqlglot.tokens import Token, TokenType

from assay.validators.documents import Unreadable
from assay.validators.risk.migrations.migration import Effect, Operation

# It warns on standard error of every statement it does not know; those are read by words below.
logging.getLogger("sqlglot").setLevel(logging.CRITICAL)

LIMIT_CHARACTERS = 512 * 1024
LIMIT_TOKENS_PARSED = 5000
"""A longer statement is data being loaded; it is read by its first words."""
_DIALECTS = ("postgres", "mysql", "tsql")
_DESTROYING_KINDS = frozenset("TABLE COLUMN SCHEMA DATABASE TYPE SEQUENCE VIEW MATERIALIZED".split())
_BY_WORDS = (
    (
        re.compile(r"\bDROP\s+(TABLE|COLUMN|SCHEMA|DATABASE|TYPE|DOMAIN|SEQUENCE|(MATERIALIZED\s+)?VIEW)\b"),
        Effect.destructive,
    ),
    (
        re.compile(
            r"\bALTER\s+TABLE\b.*\bDROP\s+(?!CONSTRAINT|DEFAULT|NOT|INDEX|KEY|PRIMARY|FOREIGN|CHECK|IDENTITY|EXPRESSION|PARTITION)"
        ),
        Effect.destructive,
    ),
    (
        re.compile(r"\bALTER\s+(COLUMN\s+)?\S+\s+(SET\s+DATA\s+)?TYPE\b|\b(MODIFY|CHANGE)\s+(COLUMN\s+)?\S+\s+\w"),
        Effect.destructive,
    ),
    (re.compile(r"\bSET\s+NOT\s+NULL\b"), Effect.destructive),
    (
        re.compile(
            r"\bRENAME\s+(COLUMN|TO|TABLE|ATTRIBUTE|VALUE)\b|\bALTER\s+TABLE\b.*\bRENAME\b|^RENAME\s+TABLE\b|\bSP_RENAME\b"
        ),
        Effect.destructive,
    ),
    (re.compile(r"^TRUNCATE\b|^DELETE\s+FROM\s+\S+\s*$"), Effect.destructive),
    (
        re.compile(
            r"\bADD\s+(COLUMN\s+)?(IF\s+NOT\s+EXISTS\s+)?(?!CONSTRAINT|PRIMARY|FOREIGN|UNIQUE|CHECK|INDEX|KEY)\S+\s(?!.*\bDEFAULT\b).*\bNOT\s+NULL\b"
        ),
        Effect.destructive,
    ),
    (re.compile(r"^(DO|CALL|EXEC|EXECUTE|BEGIN\s+ATOMIC)\b"), Effect.unclear),
    (re.compile(r"^(CREATE|ALTER|COMMENT|GRANT|INSERT)\b"), Effect.additive),
    (re.compile(r"^(DROP|DELETE|UPDATE|MERGE|REVOKE)\b"), Effect.other),
)
_SILENT = re.compile(
    r"^(SET|BEGIN|COMMIT|START|END|USE|GO|SELECT|SHOW|PRAGMA|ANALYZE|VACUUM|LOCK|ROLLBACK|SAVEPOINT|\\\w+)\b"
)


def statement_operations(sql: str) -> list[Operation]:
    """What each statement does, tables made in the same text left out. Raises `Unreadable` for what is far too long."""
    if len(sql) > LIMIT_CHARACTERS:
        raise Unreadable("longer than a migration can be")
    made: set[str] = set()
    found: list[Operation] = []
    for line, text, tree in _statements(sql):
        if isinstance(tree, exp.Create) and tree.kind in {"TABLE", "VIEW"}:
            made.add(_table(tree))
        if tree is not None and not isinstance(tree, (exp.Create, exp.Insert)) and _table(tree) in made:
            continue
        operation = _from_tree(tree, text, line) or _from_words(text, line)
        if operation is not None:
            found.append(operation)
    return found


def _statements(sql: str) -> Iterator[tuple[int, str, exp.Expression | None]]:
    """(line, text without comments, tree) of each statement; the tree is None where no dialect reads it."""
    try:
        tokens = Dialect.get_or_raise(_DIALECTS[0]).tokenize(sql)
    except (SqlglotError, RecursionError, ValueError, IndexError):
        yield from _naive(sql)
        return
    chunk: list[Token] = []
    for token in [*tokens, None]:
        if token is not None and token.token_type is not TokenType.SEMICOLON:
            chunk.append(token)
        elif chunk:
            text = sql[chunk[0].start : chunk[-1].end + 1]
            yield chunk[0].line, _without_comments(text), _parsed(chunk, text)
            chunk = []


def _naive(sql: str) -> Iterator[tuple[int, str, None]]:
    at = 0
    for part in sql.split(";"):
        text = _without_comments(part)
        if text:
            yield sql.count("\n", 0, at + len(part) - len(part.lstrip())) + 1, text, None
        at += len(part) + 1


def _parsed(tokens: Sequence[Token], text: str) -> exp.Expression | None:
    if len(tokens) > LIMIT_TOKENS_PARSED:
        return None
    for dialect in _DIALECTS:
        try:
            trees = sqlglot.parse(text, read=dialect, error_level=ErrorLevel.RAISE)
        except (SqlglotError, RecursionError, ValueError, IndexError, AttributeError, TypeError):
            # The last three: sqlglot trips over some statements that are none.
            continue
        tree = trees[0] if trees else None
        if tree is not None and not isinstance(tree, exp.Command):
            return tree
    return None


def _from_tree(tree: exp.Expression | None, text: str, line: int) -> Operation | None:
    """The worst thing a parsed statement does; None where its words say it as well."""
    if isinstance(tree, exp.Drop):
        kind = (tree.args.get("kind") or "").upper()
        effect = Effect.destructive if kind in _DESTROYING_KINDS else Effect.other
        return Operation(effect, _short(text), line)
    if isinstance(tree, exp.Alter):
        effects = [_effect_of(action) for action in tree.args.get("actions") or ()]
        order = list(Effect)
        return Operation(max(effects, key=order.index), _short(text), line) if effects else None
    if isinstance(tree, exp.Delete):
        return Operation(Effect.other if tree.args.get("where") else Effect.destructive, _short(text), line)
    return None


def _effect_of(action: exp.Expression) -> Effect:
    """One action of an ALTER TABLE."""
    if isinstance(action, exp.Drop):
        kind = (action.args.get("kind") or "COLUMN").upper()
        return Effect.destructive if kind == "COLUMN" else Effect.other
    if isinstance(action, (exp.RenameColumn, exp.AlterRename)):
        return Effect.destructive
    if isinstance(action, exp.AlterColumn):
        strict = action.args.get("dtype") is not None or action.args.get("allow_null") is False
        return Effect.destructive if strict else Effect.other
    if isinstance(action, exp.ColumnDef):
        kinds = [constraint.kind for constraint in action.find_all(exp.ColumnConstraint)]
        is_required = any(
            isinstance(kind, exp.NotNullColumnConstraint) and not kind.args.get("allow_null") for kind in kinds
        )
        fills = (
            exp.DefaultColumnConstraint,
            exp.GeneratedAsIdentityColumnConstraint,
            exp.ComputedColumnConstraint,
            exp.AutoIncrementColumnConstraint,
        )
        return (
            Effect.destructive
            if is_required and not any(isinstance(kind, fills) for kind in kinds)
            else Effect.additive
        )
    return _from_words_only(action.sql(dialect="postgres"))


def _from_words_only(text: str) -> Effect:
    operation = _from_words(text, 1)
    return operation.effect if operation else Effect.other


def _from_words(text: str, line: int) -> Operation | None:
    upper = " ".join(text[:4000].upper().split())
    if _SILENT.match(upper):
        return None
    for pattern, effect in _BY_WORDS:
        if pattern.search(upper):
            return Operation(effect, _short(text), line)
    return Operation(Effect.unclear, _short(text), line) if upper else None


def _table(tree: exp.Expression) -> str:
    table = tree.find(exp.Table)
    return table.name.lower() if table is not None else ""


def _without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?(?:\*/|\Z)", " ", text, flags=re.DOTALL).strip()


def _short(text: str) -> str:
    words = " ".join(text[:400].split())
    return words if len(words) <= 100 else f"{words[:97]}..."
