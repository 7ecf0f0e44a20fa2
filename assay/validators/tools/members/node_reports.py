"""The JSON reports of jest and vitest, asked for from inside whatever starts them.

A script loaded into every Node process (`NODE_OPTIONS`) adds the reporter to the command line of a jest or vitest that
starts: npm, pnpm, make and shell scripts pass no options on. It takes itself out of the environment, so that a runner
started by a test is left alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.validators.tools.members.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.readers.output import Output, together
from assay.validators.tools.tool import Reading

_SCRIPT = "assay-report.cjs"
_JAVASCRIPT = """\
"use strict";
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const name = path.basename(process.argv[1] || "").replace(/\\.[cm]?js$/, "");
const given = process.argv.slice(2);
const NOT = /^--?(json|outputFile|watch|watchAll|listTests|showConfig|version|v|help|h|init|clearCache)(=|$)/;
const file = (runner) => path.join(__dirname, `${runner}-${process.pid}.json`);
const add = (words) => {
  const end = process.argv.indexOf("--", 2);
  process.argv.splice(end < 0 ? process.argv.length : end, 0, ...words);
};
if (isMainThread && (name === "jest" || name === "vitest")) {
  process.env.NODE_OPTIONS = (process.env.NODE_OPTIONS || "").replace(OWN_OPTION, "").trim();
  if (!given.some((word) => NOT.test(word))) {
    if (name === "jest") add(["--json", `--outputFile=${file("jest")}`]);
    else if (!["list", "init", "bench", "dev"].includes(given[0])) {
      const chosen = given.some((word) => /^--reporters?(=|$)/.test(word));
      add([...(chosen ? [] : ["--reporter=default"]), "--reporter=json", `--outputFile.json=${file("vitest")}`]);
    }
  }
}
"""
MOST_REPORTS = 50


def node_environment(scratch: Path) -> Mapping[str, str]:
    """`NODE_OPTIONS` that loads the script, which is written into the scratch folder."""
    script = scratch / _SCRIPT
    option = f'--require="{script}"' if " " in str(script) else f"--require={script}"
    script.write_text(f"const OWN_OPTION = {json.dumps(option)};\n{_JAVASCRIPT}", "utf-8")
    return {"NODE_OPTIONS": option}


def node_reading(output: Output, runner: str) -> Reading | None:
    """What the reports of a runner say, all together; None where there is none."""
    values = [json_of(data) for data in output.scratch_reports(f"{runner}-", ".json", MOST_REPORTS)]
    readings = [jest_json_reading(value, runner, output.places) for value in values if is_jest_json(value)]
    if not readings:
        return None
    return replace(together(readings), is_reported=len(readings) == len(values))
