"""Shell commands that fetch code and run it: `curl … | sh` and its variants."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

LONGEST_COMMAND = 4000
"""Maximum characters of a command, continued lines included."""
MOST_LINES = 20_000
MOST_NAMES = 200
"""Maximum fetched files and variables that are followed to where they run."""

_FETCH = (
    r"(?:(?<![\w.-])(?:curl|wget|aria2c|lynx|iwr|irm|Invoke-WebRequest|Invoke-RestMethod)(?![\w.-]*[:=])\b"
    r"|DownloadString|\bhttps?\s+(?:GET\s+)?\S+\.\S|(?<![\w.-])base(?:64|32)\s+-*[dD]|\bxxd\s+-\w*r|\bopenssl\s+\w+\s.*-d\b"
    r"|\bADD\s+(?:-\S+\s+)*https?:)"
)
_SHELL = r"(?<![\w.-])(?:/\S*/)?(?:(?:ba|z|da|k|a|c|tc|fi)?sh|pwsh|powershell)(?![\w.-])"
_OTHER = r"(?<![\w.-])(?:/\S*/)?(?:python[\d.]*|node|deno|bun|perl|ruby|php)(?![\w.-])"
_LEADS = r"(?:(?:sudo|env|exec|command|nohup|busybox|time|doas|xargs)\s+(?:-\S+\s+|\w+=\S*\s+)*)*"
_PIPED = re.compile(
    rf"{_FETCH}[^;\n]*?\|&?\s*{_LEADS}(?:{_SHELL}(?!\s+-\w*c\b)(?!\s+[\w./$])|iex\b|Invoke-Expression\b"
    rf"|{_OTHER}\s*(?:-\s*)?(?=$|[|>)&\]}},]))",
    re.IGNORECASE,
)
_SUBSTITUTED = re.compile(
    rf"(?:{_SHELL}|{_OTHER}|\beval|\bsource|(?:^|[\s;&|(])\.|\biex\b|Invoke-Expression)(?:\s+-\S+)*\s*[(&]*\s*(?:<\(|\$?\(|`)[\s(]*"
    rf"(?:new-object\s+\S+\)?\.)?{_FETCH}",
    re.IGNORECASE,
)
_INLINE = re.compile(
    rf"{_OTHER}\s+-\w*[ce]\b(?=.*https?:)(?=.*\b(?:exec\w*|eval|system|spawn\w*|popen|compile|Function|child_process)\b)"
    rf"|{_OTHER}\s+-\w*e\b(?=.*\bchild_process\b)"
)
_FETCHES = re.compile(rf"{_FETCH}|https?://", re.IGNORECASE)
_KEPT_AS = (
    re.compile(r"(?:\s-(?:\w*[oO]|-output|-output-document|OutFile)[\s=]+|>\s*)([\w./~$-]+)(?!\S*:)"),
    re.compile(r"https?://\S*/([\w.-]+)"),
)
_KEPT_IN = re.compile(r"(?:^|[\s;])(\w+)=(?:\$\(|`)")
_ADDED_TO = re.compile(r"^\s*ADD\s+(?:-\S+\s+)*\S+/([\w.-]+)\s+(\S+)")
_CONTINUED = re.compile(r"(?:\\|(?<!: )\||&&)\s*$")
_CONTINUES = re.compile(r"\s*(?:\||&&)\s*[^\s|&]")
_ENDS = re.compile(r"&&|\|\||;")


def fetched_code(text: str, lines: Mapping[int, str] | None = None) -> Iterator[tuple[int, str]]:
    """Yield (line, command) for commands that fetch code and run it.

    With `lines`, only commands on these lines; a file fetched by one command may be run by another.
    """
    commands = [(first, last, plain(command)) for first, last, command in _commands(text)]
    kept = _kept(command for _, _, command in commands)
    runs_kept = _running(kept) if kept else None
    fetching = [any(first <= line <= last for line in lines or ()) for first, last, c in commands if _FETCHES.search(c)]
    for first, last, command in commands:
        is_new = lines is None or any(line in lines for line in range(first, last + 1))
        is_run_later = runs_kept is not None and runs_kept.search(command) is not None
        if (is_new and fetches_and_runs(command)) or (is_run_later and (is_new or any(fetching))):
            yield first, command


def fetches_and_runs(command: str) -> bool:
    """Return whether one plain command fetches code and runs it."""
    return (
        any(_PIPED.search(part) is not None for part in _ENDS.split(command))
        or _SUBSTITUTED.search(command) is not None
        or _INLINE.search(command) is not None
    )


def fetches(command: str) -> bool:
    """Return whether a command fetches or decodes data."""
    return _FETCHES.search(plain(command)) is not None


def plain(command: str) -> str:
    """Return a command without the quotes and escapes a shell drops."""
    text = command[:LONGEST_COMMAND].replace("\\\\n", "\n").replace("\\n", " ; ")
    text = re.sub(r"\$\{?IFS\}?|\\t", " ", text)
    text = re.sub(r"\$@|\$\*|\\(?=\S)|[\"']", "", text)
    return re.sub(r"\{(\w+),(?=\S)", r"\1 ", text)


def _commands(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, text) of each command, continued lines joined, comments removed."""
    lines = text.split("\n")[:MOST_LINES]
    number = 0
    while number < len(lines):
        first, parts = number, [_uncommented(lines[number])]
        while number + 1 < len(lines) and (
            _CONTINUED.search(parts[-1]) or _CONTINUES.match(lines[number + 1]) or lines[number + 1].lstrip()[:1] == "#"
        ):
            if lines[number + 1].lstrip()[:1] == "#" and not _CONTINUED.search(parts[-1]):
                break
            number += 1
            parts[-1] = re.sub(r"\\\s*$", " ", parts[-1])
            nexts = _uncommented(lines[number])
            parts.append(nexts or "\\")
            if sum(map(len, parts)) > LONGEST_COMMAND:
                break
        number += 1
        yield first + 1, number, " ".join(part for part in parts if part != "\\")


def _uncommented(line: str) -> str:
    return "" if line.lstrip()[:1] == "#" else re.sub(r"\s#\s.*", "", line[:LONGEST_COMMAND])


def _kept(commands: Iterator[str]) -> set[str]:
    """Return the names of files and variables that hold fetched data."""
    kept: set[str] = set()
    for command in commands:
        for part in _ENDS.split(command):
            if len(kept) < MOST_NAMES and re.search(_FETCH, part):
                kept.update(match[1] for pattern in _KEPT_AS for match in pattern.finditer(part))
                kept.update(f"${match[1]}" for match in _KEPT_IN.finditer(part))
                kept.update(name for match in _ADDED_TO.finditer(part) for name in match.groups())
    return {name for name in kept if len(name) > 1 and name not in ("/dev/null", "/dev/stdout")}


def _running(kept: set[str]) -> re.Pattern[str]:
    """Return a pattern of commands that run one of these names."""
    files = "|".join(sorted((re.escape(name) for name in kept if name[0] != "$"), key=len, reverse=True)) or r"(?!)"
    names = "|".join(rf"\$\{{?{re.escape(name[1:])}\b" for name in kept if name[0] == "$") or r"(?!)"
    return re.compile(
        rf"(?:(?:{_SHELL}|{_OTHER}|\bsource|(?:^|[\s;&|(])\.)(?:\s+-[^\sc]\S*)*\s+(?:\S*/)?(?:{files})(?=$|[\s;&|)\]}},])"
        rf"|(?:{_SHELL}\s+-\w*c|\beval)\s+(?:{names})|(?:{names}).*\|\s*{_LEADS}{_SHELL})"
    )
