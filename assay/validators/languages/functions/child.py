"""Child process that reads sources from its input and writes measured functions, one JSON line per file.

Run as `python -P -m assay.validators.languages.functions.child`. Each file has its own time limit. A file that breaks
a parser loses its own functions; one that breaks the process also loses those after it, which the parent reports.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
from dataclasses import asdict
from types import FrameType
from typing import Any

from assay.validators.io import process

SECONDS_PER_FILE = 8
MEMORY_BYTES = 3 * 1024**3


def main() -> None:
    """Measure files: read `[language, text]`, write a list of functions or the reason why there is none."""
    process.limit_resource(resource.RLIMIT_AS, MEMORY_BYTES)
    signal.signal(signal.SIGALRM, _too_slow)
    for line in sys.stdin.buffer:
        language, text = json.loads(line)
        sys.stdout.write(json.dumps(_measured(text, language)) + "\n")
        sys.stdout.flush()


def _measured(text: str, language: str) -> list[dict[str, Any]] | str:
    # Libraries are loaded on first use.
    from assay.validators.languages.engine.rows import ROWS

    signal.setitimer(signal.ITIMER_REAL, SECONDS_PER_FILE)
    try:
        if language == "python":
            from assay.validators.languages.functions import python

            found = python.functions_of(text)
        elif language in ROWS:
            from assay.validators.languages.functions import queried

            found = queried.functions_of(text, language)
        else:
            from assay.validators.languages.functions import other

            found = other.functions_of(text, language)
        return [asdict(each) for each in found]
    except SyntaxError as error:
        return f"it does not parse with this Python (line {error.lineno})"
    except TimeoutError:
        return f"measuring it took more than {SECONDS_PER_FILE} s"
    except (RecursionError, MemoryError):
        return "it is nested too deeply to be parsed"
    except Exception as error:  # noqa: BLE001  a parser may fail in any way on untrusted text
        return f"its parser failed ({type(error).__name__})"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_slow(_number: int, _frame: FrameType | None) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
