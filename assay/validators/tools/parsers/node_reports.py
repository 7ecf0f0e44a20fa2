"""The JSON reports of jest, vitest and mocha, requested through `NODE_OPTIONS`.

A script loaded into every Node process adds the reporter to the command line of a runner, because npm, pnpm, make and
shell scripts pass no options on. It removes itself from the environment, so that a runner started by a test is not
changed. mocha accepts only one reporter, which the project chooses: a module that mocha loads listens to its runner
instead, and writes the same JSON as jest.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from assay.validators.tools.parsers.jest_json import is_jest_json, jest_json_reading
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.readers.output import Output, together
from assay.validators.tools.tool import Reading

_SCRIPT = "assay-report.cjs"
_LISTENER = "assay-mocha.cjs"
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
if (isMainThread && ["jest", "vitest", "mocha", "_mocha"].includes(name)) {
  process.env.NODE_OPTIONS = (process.env.NODE_OPTIONS || "").replace(OWN_OPTION, "").trim();
  if (!given.some((word) => NOT.test(word))) {
    if (name === "jest") add(["--json", `--outputFile=${file("jest")}`]);
    else if (name !== "vitest") add([`--require=${path.join(__dirname, LISTENER)}`]);
    else if (!["list", "init", "bench", "dev"].includes(given[0])) {
      const chosen = given.some((word) => /^--reporters?(=|$)/.test(word));
      add([...(chosen ? [] : ["--reporter=default"]), "--reporter=json", `--outputFile.json=${file("vitest")}`]);
    }
  }
}
"""
_MOCHA = """\
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const attached = Symbol("attached");
const said = (error) => {
  const { expected, actual, stack, message } = error || {};
  const both = [expected, actual].map((value) => (Object(value) === value ? undefined : value));
  const values = both.includes(undefined) ? "" : `\\nExpected: ${both[0]}\\nReceived: ${both[1]}`;
  return String(stack || message || error) + values;
};
const listen = (runner) => {
  if (runner[attached]) return;
  runner[attached] = true;
  const isDry = Boolean(runner._opts && runner._opts.dryRun);
  const files = new Map();
  let num = 0;
  const note = (status) => (test, error) => {
    const titles = test.titlePath ? test.titlePath() : [test.title];
    const file = test.file || (test.parent && test.parent.file) || "";
    if (!files.has(file)) files.set(file, []);
    num += 1;
    files.get(file).push({
      ancestorTitles: titles.slice(0, -1),
      title: test.title,
      fullName: titles.join(" "),
      status: isDry ? "pending" : status,
      failureMessages: status === "failed" ? [said(error || test.err)] : [],
      invocations: 1 + ((test.currentRetry && test.currentRetry()) || 0),
    });
  };
  runner.on("pass", note("passed"));
  runner.on("fail", note("failed"));
  runner.on("pending", note("pending"));
  runner.on("end", () => {
    const testResults = [...files].map(([name, assertionResults]) => ({ name, assertionResults }));
    const report = path.join(__dirname, `mocha-${process.pid}.json`);
    fs.writeFileSync(report, JSON.stringify({ numTotalTests: num, testResults }));
  });
};
const isWorker = !isMainThread || /[\\\\/]worker\\.c?js$/.test(process.argv[1] || "");
for (const [file, loaded] of isWorker ? [] : Object.entries(require.cache)) {
  if (!/[\\\\/]mocha[\\\\/]lib[\\\\/]runner\\.js$/.test(file)) continue;
  const { prototype } = loaded.exports.Runner || loaded.exports;
  for (const method of ["run", "runAsync"]) {
    const original = prototype && prototype[method];
    if (!original) continue;
    prototype[method] = function (...given) {
      listen(this);
      return original.apply(this, given);
    };
  }
}
"""
MOST_REPORTS = 50


def node_environment(scratch: Path) -> Mapping[str, str]:
    """Return `NODE_OPTIONS` that loads the script; what it needs is written into the scratch folder."""
    script = scratch / _SCRIPT
    option = f'--require="{script}"' if " " in str(script) else f"--require={script}"
    settings = f"const OWN_OPTION = {json.dumps(option)};\nconst LISTENER = {json.dumps(_LISTENER)};\n"
    script.write_text(settings + _JAVASCRIPT, "utf-8")
    (scratch / _LISTENER).write_text(_MOCHA, "utf-8")
    return {"NODE_OPTIONS": option}


def node_reading(output: Output, runner: str) -> Reading | None:
    """Return the combined reports of a runner; None where there is none."""
    values = [json_of(data) for data in output.scratch_reports(f"{runner}-", ".json", MOST_REPORTS)]
    readings = [jest_json_reading(value, runner, output.places) for value in values if is_jest_json(value)]
    if not readings:
        return None
    return replace(together(readings), is_reported=len(readings) == len(values))
