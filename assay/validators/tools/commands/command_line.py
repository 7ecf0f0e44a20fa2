"""Shell command lines, parsed without running a shell.

A line with operators, variables, patterns or a leading `VAR=x` goes through `bash -o pipefail -c`: splitting it
ourselves would change what it means, and a login shell's profile would throw the tree's environment off PATH.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

MOST_CHARACTERS = 20_000
"""Maximum length of a parsed command line; longer ones are not test commands."""

MOST_SUBSHELLS = 20
"""Maximum nested subshells that are distinguished."""

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")
# Quotes inside which the shell expands nothing. Text left over from other quotes needs a shell.
_QUOTED = re.compile(r"""\\[^\n]|'[^']*'|"(?:[^"\\$`]|\\[^\n])*\"""")
_SHELL = re.compile(r"""[|&;<>()$`*?\[{~#!\n'"\\]""")
_BUILTINS = frozenset(
    ". : alias cd command eval exec exit export readonly set shopt source trap type ulimit umask unset".split()
)
_KEYWORDS = frozenset("if then else elif fi for while until do done case esac in function { } ! time".split())


def needs_shell(line: str) -> bool:
    """Return whether a line needs a shell: it has unquoted special characters or starts with a shell builtin."""
    if _ASSIGNMENT.match(line.lstrip()) or _SHELL.search(_QUOTED.sub("", line)):
        return True
    return line.split(maxsplit=1)[:1] in ([name] for name in _BUILTINS)


def argv_of(line: str) -> list[str]:
    """Return the argv that starts a line: its words, or bash with the line."""
    return ["bash", "-o", "pipefail", "-c", line] if needs_shell(line) else shlex.split(line)


def words_of(line: str) -> list[str]:
    """Return the words of a plain command without leading assignments; [] for a line that is not one plain command."""
    commands = commands_of(line)
    return commands[0] if len(commands) == 1 else []


def joined(words: Sequence[str]) -> str:
    """Join words into a line that splits into them again."""
    return shlex.join(words)


def commands_of(script: str) -> list[list[str]]:
    """Return the plain commands of a line or a script, in order, as words.

    Split at `&&`, `||`, `;`, `|`, `&`, brackets and line ends. Leave out leading assignments, redirections, shell
    keywords and comments. Keep `$(…)` as one opaque word. Skip a piece that cannot be split.
    """
    return [words for words, _, _ in commands_by_subshell(script)]


def commands_by_subshell(script: str) -> list[tuple[list[str], tuple[int, ...], list[str]]]:
    """Return the same commands, each with its subshells `( … )` by number, the innermost last, and its assignments."""
    if len(script) > MOST_CHARACTERS:
        return []
    found = []
    for piece, within in _pieces(script):
        try:
            words = shlex.split(piece)
        except ValueError:
            continue
        words = _without_redirections(words)
        begin = next((i for i, word in enumerate(words) if word not in _KEYWORDS and not _ASSIGNMENT.match(word)), None)
        if begin is not None:
            found.append((words[begin:], within, [word for word in words[:begin] if word not in _KEYWORDS]))
    return found


def _pieces(script: str) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield the text between operators, respecting quotes, and its subshells; a placeholder stands for `$(…)`."""
    text = _without_substitutions(script.replace("\\\r\n", " ").replace("\\\n", " "))
    start, quote, index = 0, "", 0
    within: tuple[int, ...] = ()
    depth = 0
    while index < len(text):
        char = text[index]
        if char == "\\" and quote != "'":
            index += 2
            continue
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"`":
            quote = char
        elif char == "#" and (index == 0 or text[index - 1] in " \t\n;"):
            yield text[start:index], within
            end = text.find("\n", index)
            index = start = len(text) if end < 0 else end
            continue
        elif char in ";\n|&()" and not _is_redirection(text, index):
            yield text[start:index], within
            start = index + 1
            depth = depth + 1 if char == "(" else max(0, depth - (char == ")"))
            within = (*within, index) if char == "(" and depth <= MOST_SUBSHELLS else within[:depth]
        index += 1
    yield text[start:], within


def _without_substitutions(text: str) -> str:
    """Replace nested `$(…)`, `<(…)` and `$((…))` with `$_`."""
    kept: list[str] = []
    depth = begin = 0
    for match in re.finditer(r"[$<>]\(|[()]", text):
        if depth:
            depth += 1 if match[0].endswith("(") else -1
            begin = match.end() if depth == 0 else begin
        elif len(match[0]) == 2:
            kept += (text[begin : match.start()], "$_")
            depth = 1
    return "".join((*kept, "" if depth else text[begin:]))


def _is_redirection(text: str, index: int) -> bool:
    """Return whether the `&` or `|` here belongs to `2>&1`, `&>` or `>|`."""
    before = text[index - 1] if index else ""
    after = text[index + 1] if index + 1 < len(text) else ""
    return before == ">" or (text[index] == "&" and after == ">")


def _without_redirections(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"[0-9&]?(>>?|<)", word):
            skip = True
        elif not re.match(r"[0-9&]?(>>?|<)[^(]", word):
            kept.append(word)
    return kept
