"""The JSON reports of jest, vitest and mocha, requested through `NODE_OPTIONS`.

A script loaded into every Node process adds the reporter to the command line of a runner, because npm, pnpm, make and
shell scripts pass no options on. It removes itself from the environment, so that a runner started by a test is not
changed. mocha accepts only one reporter, which the project chooses: a module that mocha loads listens to its runner
instead, and writes the same JSON as jest.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.validators.tools.readers.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.readers.output import Output, together
from assay.validators.tools.tool import Reading

_FOLDER = Path(__file__).parent / "node_scripts"
_SCRIPT = "assay-report.cjs"
_LISTENER = "assay-mocha.cjs"
MOST_REPORTS = 50


def node_environment(scratch: Path) -> Mapping[str, str]:
    """Return `NODE_OPTIONS` that loads the script; what it needs is written into the scratch folder."""
    script = scratch / _SCRIPT
    option = f'--require="{script}"' if " " in str(script) else f"--require={script}"
    settings = f"const OWN_OPTION = {json.dumps(option)};\nconst LISTENER = {json.dumps(_LISTENER)};\n"
    script.write_text(settings + (_FOLDER / _SCRIPT).read_text("utf-8"), "utf-8")
    shutil.copyfile(_FOLDER / _LISTENER, scratch / _LISTENER)
    return {"NODE_OPTIONS": option}


def node_reading(output: Output, runner: str) -> Reading | None:
    """Return the combined reports of a runner; None where there is none."""
    values = [json_of(data) for data in output.scratch_reports(f"{runner}-", ".json", MOST_REPORTS)]
    readings = [jest_json_reading(value, runner, output.places) for value in values if is_jest_json(value)]
    if not readings:
        return None
    return replace(together(readings), is_reported=len(readings) == len(values))
