"""Matching of untrusted regular expressions in a child process with limits on time and memory.

The dialect is Python's `re` with look-around, so a pattern may backtrack without end; a child can be interrupted
and killed. (A library with a time limit still fills the memory on `((a{500}){500}){500}`, and a linear one has no
look-around.)
"""

from __future__ import annotations

import json
import re
import resource
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from types import FrameType
from typing import Any

from assay.validators.io import process

SECONDS_PER_PATTERN = 3
MEMORY_BYTES = 1024**3
MATCHES_PER_TEXT = 50


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """Pattern and texts to search, each by itself; `^` and `$` match at line ends."""

    pattern: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """Offsets (start, end) of at most 50 matches per text, or the reason why the search stopped."""

    matches: tuple[tuple[tuple[int, int], ...], ...] = ()
    why_not: str | None = None


_BROKEN = PatternMatches(why_not="matching it took too long or too much memory")


def search(wanted: Sequence[PatternQuery], timeout_s: float) -> list[PatternMatches]:
    """Search for every pattern, in order, within `timeout_s`. Never raises for what a pattern does.

    A child that dies costs only its current pattern: a new child continues with the next.
    """
    until = time.monotonic() + timeout_s
    found: list[PatternMatches] = []
    while len(found) < len(wanted) and (left := until - time.monotonic()) > 0:
        found += _in_child(wanted[len(found) :], left)
        if len(found) < len(wanted):
            found.append(_BROKEN)
    return found + [_BROKEN] * (len(wanted) - len(found))


def _in_child(wanted: Sequence[PatternQuery], timeout_s: float) -> list[PatternMatches]:
    """Return the answers of one child; fewer than `wanted` if it died or ran out of time."""
    lines = "".join(json.dumps(asdict(each)) + "\n" for each in wanted)
    done = process.run(
        process.own_python("assay.validators.io.regex_worker"),
        cwd="/",
        env=process.clean_environment({"PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": "1"}),
        timeout_s=timeout_s,
        stdin=lines.encode("utf-8", "surrogatepass"),
        output_limit=64 * 1024 * 1024,
    )
    return list(_answers(done.stdout))


def _answers(stdout: bytes) -> Iterator[PatternMatches]:
    for line in stdout.splitlines():
        try:
            answer = json.loads(line)
        except ValueError:  # cut off where the child was killed
            return
        if "why_not" in answer:
            yield PatternMatches(why_not=answer["why_not"])
        else:
            yield PatternMatches(tuple(tuple((start, end) for start, end in text) for text in answer["matches"]))


def main() -> None:
    """Run the child: one line of JSON in for each pattern, one out."""
    process.limit_resource(resource.RLIMIT_AS, MEMORY_BYTES)
    signal.signal(signal.SIGPROF, _too_slow)
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(_searched(**json.loads(line.decode("utf-8", "surrogatepass")))) + "\n")
        sys.stdout.flush()


def _searched(pattern: str, texts: list[str]) -> dict[str, Any]:
    # Processor time: a busy machine does not change what is found.
    signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_PATTERN)
    try:
        compiled = re.compile(pattern, re.MULTILINE)
        return {"matches": [_in_text(compiled, text) for text in texts]}
    except (re.error, OverflowError) as error:
        return {"why_not": f"it is not a regular expression ({error})"}
    except TimeoutError:
        return {"why_not": f"matching it took more than {SECONDS_PER_PATTERN} s; it may backtrack without end"}
    except (MemoryError, RecursionError):
        return {"why_not": "it needs too much memory"}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _in_text(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    found = []
    for match in pattern.finditer(text):
        found.append(match.span())
        if len(found) == MATCHES_PER_TEXT:
            break
    return found


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
