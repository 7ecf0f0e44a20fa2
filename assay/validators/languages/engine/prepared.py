"""Source without what its grammar cannot read: macros around items, which spaces replace, so that every place stays."""

from __future__ import annotations

import re

_OPENS = re.compile(
    rb"([ \t]*)(?:(?:\w+::)?(?:cfg_\w+|feature|pin_project|thread_local)!\s*\{|if #\[cfg\([^\n]*\)\] \{)\s*"
)
_GOES_ON = re.compile(rb"([ \t]*)\} else (?:if #\[cfg\([^\n]*\)\] )?\{\s*")


_FOR_CPP = re.compile(
    rb"^[ \t]*#[ \t]*if(?:def)?[^\n]{0,99}?__cplusplus[^\n]{0,99}\n((?:[^#\n][^\n]*\n|\n){1,4})[ \t]*#[ \t]*endif",
    re.MULTILINE,
)
_MARKED_TYPE = re.compile(rb"\b(?:class|struct|union|enum)[ \t]+([A-Z][A-Z0-9_]{2,80})[ \t]+(?=[A-Za-z_])")
_MARKED = re.compile(
    rb"^[ \t]*((?:[A-Z0-9_]{1,80}_)?(?:EXPORT|API|PUBLIC|EXTERN|DLL|INLINE|LOCAL|NODISCARD|DEPRECATED))[ \t]+"
    rb"(?=[A-Za-z_])",
    re.MULTILINE,
)
_LOCKS = re.compile(
    rb"[ \t]((?:[A-Z]{1,20}_){0,3}"
    rb"(?:GUARDED_BY|LOCKS_REQUIRED|LOCKS_EXCLUDED|LOCK_FUNCTION|ACQUIRED_AFTER|ACQUIRED_BEFORE)"
    rb"\([^()\n]{0,100}\)|NO_THREAD_SAFETY_ANALYSIS)"
)


def without_marks(content: bytes) -> bytes:
    """Return C or C++ without macros that only mark what they stand before or after, and `extern "C"` for C++ alone."""
    content = _FOR_CPP.sub(lambda found: _blanked(found, b'extern "C"', b"}"), content)
    for pattern in (_MARKED_TYPE, _MARKED, _LOCKS):
        content = pattern.sub(_blanked, content)
    return content


def _blanked(found: re.Match[bytes], *only: bytes) -> bytes:
    """Return a match with its group as spaces, if the group begins with one of `only` or these are none."""
    if only and not found[1].lstrip().startswith(only):
        return found[0]
    start, end = found.start(1) - found.start(), found.end(1) - found.start()
    return found[0][:start] + re.sub(rb"[^\n]", b" ", found[1]) + found[0][end:]


def without_item_macros(content: bytes) -> bytes:
    """Return Rust without macros that leave the items inside them as they are: `cfg_if!`, `pin_project!`."""
    lines, outer = content.split(b"\n"), list[bytes]()
    for at, line in enumerate(lines):
        opens = _OPENS.fullmatch(line) if line.rstrip().endswith(b"{") else None
        goes_on = _GOES_ON.fullmatch(line) if outer else None
        is_end = bool(outer) and line.rstrip() == outer[-1] + b"}"
        if opens is not None:
            outer.append(opens[1])
        elif is_end:
            outer.pop()
        if opens is not None or is_end or (goes_on is not None and goes_on[1] == outer[-1]):
            name, mark, rest = line.partition(b"!")
            is_named = bool(mark) and name[:1].strip() != b""  # the macro itself is still mentioned
            lines[at] = name + b";" + b" " * len(rest) if is_named else b" " * len(line)
    return b"\n".join(lines)
