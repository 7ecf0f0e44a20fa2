"""Sentences of `tier2.customRules` that have an exact check: `no print statements`, `avoid the any type`.

A sentence is recognized as a whole or not at all: any further word may change what it asks for, and needs a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from assay.validators.changes.language_table import suffixes
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.inputs.learned_model import CheckKind, LearnedCheck, Where
from assay.validators.quality.plain_rules.handlers import HANDLER_LANGUAGES, unvalidated_handlers

_TYPESCRIPT = ("typescript", "tsx", "vue", "svelte")
_SCRIPTS = ("javascript", "jsx", *_TYPESCRIPT)

FindLines = Callable[[ReadFile], list[tuple[int, int, str]]]
"""Function from a changed file to (first line, last line, what is wrong) in its head."""


@dataclass(frozen=True, slots=True)
class PlainRule:
    """Sentence with a check: a pattern on added code, or a function of the whole file.

    `words` match the whole sentence in lower case, without backticks and its full stop.
    """

    name: str
    words: re.Pattern[str]
    languages: tuple[str, ...]
    check: LearnedCheck | None = None
    find: FindLines | None = None

    @property
    def suffixes(self) -> tuple[str, ...]:
        """Suffixes of the files it is about."""
        return suffixes(*self.languages)


_NO = (
    r"(?:no|never use|never|avoid(?: using)?|don't use|do not use|forbid|disallow|ban|must not use|without)"
    r"(?: the| any)? "
)


def _banned(thing: str) -> re.Pattern[str]:
    return re.compile(f"{_NO}(?:{thing})")


def _pattern(pattern: str, where: Where = Where.code) -> LearnedCheck:
    return LearnedCheck(CheckKind.regex, pattern, where)


_EVERY = r"(?:all|every|each) "
_VALIDATE = (
    r"(?:must|should|have to|has to|need to|needs to) validate (?:their |its |the |all |every )?(?:request )?inputs?"
)

PLAIN_RULES = (
    PlainRule(
        "any",
        re.compile(
            f"(?:{_NO}(?:typescript )?any(?:[ -]types?)?|use explicit types(?: instead of any)?)(?: in typescript)?"
        ),
        _TYPESCRIPT,
        _pattern(r"(?<![\w.$#'\"])any(?![\w$])(?!\s*[(:?])"),
    ),
    PlainRule(
        "print",
        re.compile(
            f"(?:{_NO}prints?(?:\\(\\))?(?: (?:statements?|calls?|functions?))?(?: in python)?"
            r"|use (?:logging|the logger|the log)(?:,)? (?:not|instead of) print(?:\(\))?)"
        ),
        ("python",),
        _pattern(r"(?<![\w.])print\s*\("),
    ),
    PlainRule(
        "console.log",
        _banned(r"console\.log(?:\(\))?(?: (?:statements?|calls?))?"),
        _SCRIPTS,
        _pattern(r"(?<![\w.$])console\s*\.\s*log\s*\("),
    ),
    PlainRule(
        "wildcard imports",
        _banned(r"(?:wildcard|star) imports?"),
        ("python",),
        _pattern(r"^[ \t]*from\s+[\w.]+\s+import\s+\*"),
    ),
    PlainRule(
        "bare except",
        _banned(r"bare excepts?(?: clauses?| statements?)?"),
        ("python",),
        _pattern(r"^[ \t]*except\s*:"),
    ),
    PlainRule(
        "default exports",
        _banned(r"default exports?"),
        _SCRIPTS,
        _pattern(r"^[ \t]*export\s+default\b"),
    ),
    PlainRule(
        "var",
        re.compile(f"(?:{_NO}var(?: declarations?)?|use (?:const or let|let or const)(?:,)? (?:not|instead of) var)"),
        _SCRIPTS,
        _pattern(r"(?<![\w.$])var\s+[\w${\[]"),
    ),
    PlainRule(
        "validated input",
        re.compile(f"{_EVERY}(?:api |http |request |route )?(?:handlers?|endpoints?|routes?) {_VALIDATE}"),
        HANDLER_LANGUAGES,
        find=unvalidated_handlers,
    ),
)
"""Recognized sentences, documented in docs/quality.md."""


def plain_rule(sentence: str) -> PlainRule | None:
    """Return the check of a sentence, or None if it has none."""
    words = " ".join(re.sub('[`"\u201c\u201d*]', "", sentence.lower().replace("\u2019", "'")).split()).rstrip(".!")
    return next((rule for rule in PLAIN_RULES if rule.words.fullmatch(words)), None)
