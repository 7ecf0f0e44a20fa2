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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from types import FrameType
from typing import Any

from assay.validators.io import process

SECONDS_PER_PATTERN = 3
LEAST_SECONDS_PER_TEXT = 0.1
MEMORY_BYTES = 1024**3
MATCHES_PER_TEXT = 50


@dataclass(frozen=True, slots=True)
class PatternQuery:
    """Pattern and texts to search, each by itself; `^` and `$` match at line ends."""

    pattern: str
    texts: Sequence[str]


@dataclass(frozen=True, slots=True)
class PatternMatches:
    """Offsets (start, end) of at most 50 matches per text; None for a text whose search did not finish, and why."""

    matches: tuple[tuple[tuple[int, int], ...] | None, ...] = ()
    why_not: str | None = None


def _broken(query: PatternQuery) -> PatternMatches:
    return PatternMatches((None,) * len(query.texts), "matching took too long or too much memory")


def search(wanted: Sequence[PatternQuery], timeout_s: float) -> list[PatternMatches]:
    """Search for every pattern, in order, within `timeout_s`. Never raises for what a pattern does.

    A child that dies costs only its current pattern: a new child continues with the next.
    """
    until = time.monotonic() + timeout_s
    found: list[PatternMatches] = []
    while len(found) < len(wanted) and (left := until - time.monotonic()) > 0:
        found += _in_child(wanted[len(found) :], left)
        if len(found) < len(wanted):
            found.append(_broken(wanted[len(found)]))
    return found + [_broken(each) for each in wanted[len(found) :]]


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
        matches = (None if text is None else tuple((start, end) for start, end in text) for text in answer["matches"])
        yield PatternMatches(tuple(matches), answer["why_not"])


def main() -> None:
    """Run the child: one line of JSON in for each pattern, one out."""
    process.limit_resource(resource.RLIMIT_AS, MEMORY_BYTES)
    signal.signal(signal.SIGPROF, _too_slow)
    for line in sys.stdin.buffer:
        sys.stdout.write(json.dumps(_searched(**json.loads(line.decode("utf-8", "surrogatepass")))) + "\n")
        sys.stdout.flush()


def _searched(pattern: str, texts: list[str]) -> dict[str, Any]:
    """Search each text within its share of the time that is left, or a little longer."""
    until_s = time.process_time() + SECONDS_PER_PATTERN
    found: list[list[tuple[int, int]] | None] = [None] * len(texts)
    compiled, why = _limited(SECONDS_PER_PATTERN, lambda: re.compile(pattern, re.MULTILINE))
    for number, text in enumerate(texts if compiled else ()):
        left_s = until_s - time.process_time()
        limit_s = min(left_s, max(LEAST_SECONDS_PER_TEXT, left_s / (len(texts) - number)))
        found[number], why_not = _limited(limit_s, partial(_in_text, pattern, text))
        why = why or why_not
    return {"matches": found, "why_not": why}


def _limited(limit_s: float, work: Callable[[], Any]) -> tuple[Any, str | None]:
    """Return the result of the work, or the reason why it did not finish."""
    try:
        # Processor time: a busy machine does not change what is found. Zero would be no limit, less is an error.
        signal.setitimer(signal.ITIMER_PROF, limit_s or -1)
        done = work()
        signal.setitimer(signal.ITIMER_PROF, 0)
        return done, None
    except (re.error, OverflowError) as error:
        return None, f"it is not a regular expression ({error})"
    except (TimeoutError, signal.ItimerError):
        return None, f"matching took too long (limit: {SECONDS_PER_PATTERN} s for all texts): it may backtrack"
    except (MemoryError, RecursionError):
        return None, "it needs too much memory"


def _in_text(pattern: str, text: str) -> list[tuple[int, int]]:
    found = []
    for match in re.finditer(pattern, text, re.MULTILINE):  # compiled before: `re` caches it
        found.append(match.span())
        if len(found) == MATCHES_PER_TEXT:
            break
    return found


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
