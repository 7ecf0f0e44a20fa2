"use strict";
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const name = path.basename(process.argv[1] || "").replace(/\.[cm]?js$/, "");
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
