"""Checks made of the code that a rule names and the commented line has.

"No `console.log` in production code" on a line with `console.log(user)` gives a search for calls of `console.log`. Of a
call with literal arguments these are kept, so that `res.send(500)` does not mean every `res.send`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.github_app.learning.checks.examples import Example
from assay.github_app.rule_matching.languages import AST_GREP, SCRIPTS, language_of
from assay.validators import CheckKind, LearnedCheck, Where, code_of, resolved_name

MOST_CHARACTERS = 1_500
MOST_TOKENS = 8
LEAST_NAME = 3
"""Shortest name that is searched for; shorter ones are ambiguous: `as`, `db`."""
_SPAN = re.compile(r"`([^`\n]{1,120})`")
_CODE_WORD = re.compile(
    r"(?<![\w`])(?:[@.#]?[A-Za-z_$][\w$]{0,60}(?:(?:\.|::|->)[A-Za-z_$][\w$]{0,60}){0,5}(?:\(\)|=[\w'\"]{1,30})?!?|[=!]={1,2})"
)
_SHAPED = re.compile(r"[._@=#$!]|::|->|\(\)|[a-z][A-Z]|[A-Za-z]\d|^[A-Z]{2,}$")
"""Look of a word that is code and not prose."""
_CUE = re.compile(
    r"\b(?:not|never|no|avoid|without|instead of|rather than|over|don'?t|do not|stop|remove|drop|forbid|ban|replace)\b",
    re.IGNORECASE,
)
_WANTED = re.compile(r"\b(?:use|prefer|with|to|want|via|through|pass|call)\b", re.IGNORECASE)
_ASKS_FOR_MORE = re.compile(
    r"(?:^|[.;!]\s)\W*(?:please\s+)?(?:always|every|each|add|pass|specify|provide|set|missing|require)\b"
    r"|\b(?:must|should|needs? to) (?:always )?have\b|\bneeds? an? ",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[.;!?](?:\s|$)|,\s|\n|\s-\s|\b(?:but|because|since|please|it|which)\b", re.IGNORECASE)
_CONDITION = re.compile(r"`?(?:\(\))?\s+(?:when|if|unless|while|except|only|just|where)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*){0,5}")
_KEYWORD = re.compile(r"([A-Za-z_]\w{0,40})\s{0,3}=\s{0,3}(-?[\w.]{1,30}|'[^'\\]{0,40}'|\"[^\"\\]{0,40}\")")
_ARGUMENT = re.compile(
    r"(?:[A-Za-z_]\w*\s*=\s*)?"
    r"(?:-?\d[\w.]*|'[^'\"\\$]*'|\"[^'\"\\$]*\"|(?:true|false|null|undefined|None|True|False)\b)"
)
_ARGUMENTS = re.compile(rf"\s*(?:{_ARGUMENT.pattern}\s*(?:,\s*|(?=\))))*\)\s*")
_DECLARING = r"\b(?:def|class|function|const|let|var|val|func|fn|type|interface|enum|struct|trait|module)\s+"
_STOP = frozenset(
    "the this that these those here there code file line lines test tests should would could please need use used "
    "using just like make more than then them they what when where which while with without into from your about also "
    "name names value values type types and not but for new all any".split()
) - {"any"}


@dataclass(frozen=True, slots=True)
class _Token:
    """Code that a text names; `is_against`: the text advises against it."""

    text: str
    is_against: bool
    is_wanted: bool


def shared_checks(text: str, example: Example) -> Iterator[tuple[str, LearnedCheck]]:
    """Yield the code that a text and the commented lines share, each with a check; what the text is against first."""
    tokens = list(_tokens(text[:MOST_CHARACTERS]))
    # "Always pass an encoding to `open`" is not against `open`.
    is_one_sided = any(one.is_against for one in tokens)
    if not is_one_sided and _ASKS_FOR_MORE.search(text):
        return
    wanted = [one.text for one in tokens if one.is_wanted]
    known = [
        one
        for one in tokens
        if not (is_one_sided and one.is_wanted)
        and not any(name.startswith(f"{one.text}.") for name in wanted)
        and not re.search(rf"\b(?:each|every|all)\s+`?{re.escape(one.text)}", text, re.IGNORECASE)
    ]
    known.sort(key=lambda one: not one.is_against)
    for token in known[:MOST_TOKENS]:
        for check in _checks_of(token.text, example):
            yield token.text, check


def named_checks(text: str) -> Iterator[tuple[str, LearnedCheck]]:
    """Yield the code that a text advises against, each with a check of its name: for a rule without commented code."""
    for token in _tokens(text[:MOST_CHARACTERS]):
        name = token.text.removesuffix("()").removesuffix("!")
        if not token.is_against or (not _SHAPED.search(token.text) and f"`{token.text}`" not in text):
            continue
        if _KEYWORD.fullmatch(token.text):
            yield from ((token.text, check) for check in _of_keyword(token.text))
        elif _NAME.fullmatch(name):
            yield token.text, LearnedCheck(CheckKind.named, name.replace("->", "."))


def is_conditional(text: str, token: str) -> bool:
    """Return whether a text is against a token in some cases only, which no pattern can tell."""
    found = re.search(rf"(?<!\w){re.escape(token)}(?!\w)", text)
    return found is not None and _CONDITION.match(text, found.end()) is not None


def _tokens(text: str) -> Iterator[_Token]:
    """Yield what may be code in a text: spans, words that look like code, and plain words it is against."""
    seen: set[str] = set()
    spans = [(match.start(1), match[1].strip(), True) for match in _SPAN.finditer(text)]
    plain = _SPAN.sub(lambda match: " " * len(match[0]), text)
    words = [(match.start(), match[0], bool(_SHAPED.search(match[0]))) for match in _CODE_WORD.finditer(plain)]
    for start, word, is_code in sorted(spans + words):
        against, wanted = _side(text, start)
        name = word if is_code else _singular(word)
        if name in seen or (not is_code and (not against or len(name) < 3 or name.lower() in _STOP)):
            continue
        seen.add(name)
        yield _Token(name, against, wanted)


def _side(text: str, start: int) -> tuple[bool, bool]:
    """Return whether the clause before a place advises against what follows, or asks for it."""
    before = text[max(0, start - 60) : start]
    clauses = list(_CLAUSE.finditer(before))
    clause = before[clauses[-1].end() :] if clauses else before
    cues = [*_CUE.finditer(clause)]
    if cues:
        # "Iterate over `rows`" forbids nothing; "prefer `x` over `y`" does.
        is_over = cues[-1][0].lower() == "over" and not re.search(r"\bprefer|\brather", text[:start], re.IGNORECASE)
        later = [one for one in _WANTED.finditer(clause, cues[-1].end()) if one[0].lower() in ("with", "to", "via")]
        return not is_over and not later, bool(later)
    return False, bool(_WANTED.search(clause))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word


def _checks_of(token: str, example: Example) -> Iterator[LearnedCheck]:
    """Yield checks for a token, those that need the most first; nothing if the commented code does not have it."""
    name, _, rest = token.partition("(")
    bare = token.removesuffix("()").removesuffix("!")
    if rest not in ("", ")"):
        if _ARGUMENTS.fullmatch(rest) and _NAME.fullmatch(name):
            yield from _call_with(name, _ARGUMENT.findall(rest), language_of(example.path))
    elif _KEYWORD.fullmatch(token):
        yield from _of_keyword(token)
    elif bare.lstrip("@.#") in example.code:
        yield from _of_bare(bare, token, example)


def _of_keyword(token: str) -> Iterator[LearnedCheck]:
    if keyword := _KEYWORD.fullmatch(token):
        has_quote = keyword[2][0] in "'\""
        value = rf"['\"]{re.escape(keyword[2][1:-1])}['\"]" if has_quote else rf"{re.escape(keyword[2])}(?![\w.])"
        yield _regex(rf"(?<![\w.]){keyword[1]}\s{{0,3}}[=:]\s{{0,3}}{value}", Where.text if has_quote else Where.code)


def _of_bare(bare: str, token: str, example: Example) -> Iterator[LearnedCheck]:
    if _NAME.fullmatch(bare):
        yield from _of_name(bare, token, example)
    elif _NAME.fullmatch(bare[1:]) and bare[0] in "@.#":
        mark = r"\.\s{0,3}" if bare[0] == "." else re.escape(bare[0])
        for where in (Where.code, Where.comments, Where.text):
            yield _regex(rf"(?<!\w){mark}{re.escape(bare[1:])}(?![\w$])", where)
    elif not re.search(r"\w", bare):
        yield _regex(rf"(?<![^\w\s()\[\]'\"]){re.escape(bare)}(?![^\w\s()\[\]'\"$;,])")
    elif len(bare) > 3:
        for where in (Where.code, Where.text):
            yield _regex(re.escape(bare).replace(r"\ ", r"\s{1,9}"), where)


def _of_name(name: str, token: str, example: Example) -> Iterator[LearnedCheck]:
    escaped = re.escape(name)
    if (
        len(name) < LEAST_NAME
        or re.search(_DECLARING + escaped + r"\b", example.code)
        or re.search(rf"(?m)^[ \t]*{escaped}\s{{0,3}}(?::[^=\n]{{1,60}})?=(?!=)", example.code)
    ):
        return  # what the change itself declares is not what it should not use
    code = code_of(example.path, example.text).split("\n")
    near = "\n".join(code[line - 1] for line in sorted(example.lines) if line <= len(code))
    if re.search(rf"(?<![\w$]){escaped}(?![\w$])", near):
        if re.search(rf"[\w)\]]\s{{0,3}}\??\.\s{{0,3}}{escaped}(?![\w$])", near) and "." not in name:
            called = (
                r"\s{0,3}\(" if token.endswith("()") or re.search(rf"\.\s{{0,3}}{escaped}\s{{0,3}}\(", near) else ""
            )
            yield _regex(rf"\.\s{{0,3}}{escaped}(?![\w$]){called}")
            return
        is_call = token.endswith("()") or bool(re.search(rf"(?<![\w$]){escaped}!?\s{{0,3}}\(", near))
        full = resolved_name(example.path, example.text, name).replace("->", ".")
        is_imported = full != name.replace("::", ".")
        if is_imported or is_call or "." in full:
            yield LearnedCheck(CheckKind.named, f"{full}()" if is_call and "." not in full else full)
        if not (is_call and "." not in full):
            yield _regex(rf"(?<![\w$@]){escaped}(?![\w$])")
        return
    for where in (Where.comments, Where.text):
        if where is Where.text:
            yield LearnedCheck(CheckKind.named, name)
        yield _regex(rf"(?<![\w$]){escaped}(?![\w$])", where)


def _call_with(name: str, arguments: Sequence[str], language: str | None) -> Iterator[LearnedCheck]:
    """Yield a check for calls with exactly these arguments, or with a single named one among others."""
    known = AST_GREP.get(language or "")
    if known is None or set(name) & set("$@>"):
        return
    shapes = [", ".join(arguments) or "$$$"]
    if len(arguments) == 1 and re.match(r"\w+\s*=", arguments[0]):
        shapes = [f"$$$, {arguments[0]}, $$$", f"$$$, {arguments[0]}"]
    if language in ("python", *SCRIPTS):
        shapes += [one.translate(str.maketrans("'\"", "\"'")) for one in shapes]
    patterns = [{"pattern": f"{name}({one})"} for one in dict.fromkeys(shapes)]
    yield LearnedCheck(
        CheckKind.ast_grep, language=known, rule=patterns[0] if len(patterns) == 1 else {"any": patterns}
    )


def _regex(pattern: str, where: Where = Where.code) -> LearnedCheck:
    return LearnedCheck(CheckKind.regex, pattern, where)
