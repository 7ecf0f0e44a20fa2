"""Child process that reads sources from its input and writes measured functions, one JSON line per file.

Run as `python -P -m assay.validators.languages.functions.child`. Each file has its own time limit. A file that breaks
a parser loses its own functions; one that breaks the process also loses those after it, which the parent reports.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from types import FrameType
from typing import Any

from assay.validators.io import process
from assay.validators.languages.functions.function import Function

SECONDS_PER_FILE = 8
MEMORY_BYTES = 3 * 1024**3


def main() -> None:
    """Measure files: read `{"key", "language", "text"}`, write `{"key", "functions"}` or `{"key", "why"}`."""
    process.limit_resource(resource.RLIMIT_AS, MEMORY_BYTES)
    signal.signal(signal.SIGALRM, _too_slow)
    for line in sys.stdin.buffer:
        wanted = json.loads(line)
        sys.stdout.write(json.dumps({"key": wanted["key"], **_measured(wanted["text"], wanted["language"])}) + "\n")
        sys.stdout.flush()


def _measured(text: str, language: str) -> dict[str, Any]:
    signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_FILE)
    try:
        found = _reader(language)(text, language)
        return {"functions": [asdict(each) for each in found]}
    except SyntaxError as error:
        return {"why": f"it does not parse with this Python (line {error.lineno})"}
    except TimeoutError:
        return {"why": f"measuring it took more than {SECONDS_PER_FILE} s"}
    except (RecursionError, MemoryError):
        return {"why": "it is nested too deeply to be parsed"}
    except Exception as error:  # noqa: BLE001  a parser may fail in any way on untrusted text
        return {"why": f"its parser failed ({type(error).__name__})"}
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _reader(language: str) -> Callable[[str, str], list[Function]]:
    """Return the reader for a kind of file; its libraries are loaded on first use."""
    if language == "python":
        from assay.validators.languages.functions import python

        return python.functions_of
    from assay.validators.languages.functions import queried

    if language in queried.ROWS:
        return queried.functions_of
    from assay.validators.languages.functions import other

    return other.functions_of


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
