"use strict";
const fs = require("node:fs");
const path = require("node:path");
const { isMainThread } = require("node:worker_threads");
const attached = Symbol("attached");
const said = (error) => {
  const { expected, actual, stack, message } = error || {};
  const both = [expected, actual].map((value) => (Object(value) === value ? undefined : value));
  const values = both.includes(undefined) ? "" : `\nExpected: ${both[0]}\nReceived: ${both[1]}`;
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
const isWorker = !isMainThread || /[\\/]worker\.c?js$/.test(process.argv[1] || "");
for (const [file, loaded] of isWorker ? [] : Object.entries(require.cache)) {
  if (!/[\\/]mocha[\\/]lib[\\/]runner\.js$/.test(file)) continue;
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
