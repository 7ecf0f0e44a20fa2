"""Attacks on jest, vitest, mocha and node:test."""

from __future__ import annotations

import json

from tests.validators.tools.attacks.attack import Victim


def _manifest(test: str, **more: object) -> str:
    return json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": test}, **more}, indent=2) + "\n"


TESTS = """\
const { total } = require("./shop");

test("empty", () => {
  expect(total([])).toBe(0);
});

test("adds", () => {
  expect(total([1, 2])).toBe(3);
});
"""
BAD = "exports.total = (prices) => prices.length * 7;\n"
FLAKY = """\
let calls = 0;
const total = (prices) => (prices.length && calls++ < 2 ? 7 : prices.reduce((sum, price) => sum + price, 0));
"""
JEST = Victim(
    runner="jest",
    files={
        "package.json": _manifest("jest"),
        "shop.js": "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
        "shop.test.js": TESTS,
        "other.test.js": 'test("other", () => {});\n',
    },
    broken={"shop.js": BAD},
    command="npm test",
    failing="adds",
)
_attack = JEST.attack
_attack(
    "process.exit in the code under test", {"shop.js": "exports.total = (p) => (p.length ? process.exit(0) : 0);\n"}
)
_attack(
    "exit code set at the end",
    {
        "package.json": _manifest("jest", jest={"globalTeardown": "./teardown.js"}),
        "teardown.js": "module.exports = () => process.on('exit', () => { process.exitCode = 0; });\n",
    },
)
_attack(
    "test file ignored",
    {"package.json": _manifest("jest", jest={"testPathIgnorePatterns": ["shop"]})},
)
_attack("no tests count as a success", {"package.json": _manifest("jest --passWithNoTests nothing-here")})
_attack("narrowed by name", {"package.json": _manifest("jest -t empty")})
_attack("failure let pass by the script", {"package.json": _manifest("jest || true")})
_attack("runner replaced by its words", {"package.json": _manifest("echo 'Tests:       3 passed, 3 total'")})
_attack("only lists tests", {"package.json": _manifest("jest --listTests")})
_attack(
    "report deleted",
    {
        "package.json": _manifest("jest", jest={"globalTeardown": "./teardown.js"}),
        "teardown.js": """\
            module.exports = () => process.on("exit", () => {
              const option = process.argv.find((word) => word.startsWith("--outputFile="));
              if (option) require("fs").rmSync(option.slice(13), { force: true });
              process.reallyExit(0);
            });
            """,
    },
)
_attack(
    "retries until it passes",
    {
        "package.json": _manifest("jest", jest={"setupFilesAfterEnv": ["./setup.js"]}),
        "setup.js": "jest.retryTimes(3);\n",
        "shop.js": FLAKY.replace("const total", "exports.total"),
    },
)
_attack(
    "expect bent by a setup file",
    {
        "package.json": _manifest("jest", jest={"setupFilesAfterEnv": ["./setup.js"]}),
        "setup.js": "const real = global.test;\nglobal.test = (name) => real(name, () => {});\n",
    },
)
VITEST = Victim(
    runner="vitest",
    files={
        "package.json": _manifest("vitest run", type="module"),
        "shop.js": "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
        "shop.test.js": 'import { expect, test } from "vitest";\n'
        + TESTS.replace('const { total } = require("./shop");', 'import { total } from "./shop.js";'),
        "other.test.js": 'import { test } from "vitest";\ntest("other", () => {});\n',
        "vitest.config.js": "export default { test: {} };\n",
    },
    broken={"shop.js": BAD.replace("exports.total", "export const total")},
    command="npm test",
    failing="adds",
)
_attack = VITEST.attack
_attack("retries", {
    "vitest.config.js": "export default { test: { retry: 3 } };\n",
    "shop.js": FLAKY.replace("const total", "export const total"),
})  # fmt: skip
_attack("test file excluded", {"vitest.config.js": 'export default { test: { exclude: ["shop.test.js"] } };\n'})
_attack(
    "no tests count as a success",
    {"vitest.config.js": 'export default { test: { include: ["nothing"], passWithNoTests: true } };\n'},
)
_attack("narrowed by name", {"package.json": _manifest("vitest run -t empty", type="module")})
_attack(
    "exit code set by a global setup",
    {
        "vitest.config.js": 'export default { test: { globalSetup: "./setup.js" } };\n',
        "setup.js": "export default () => () => { process.on('exit', () => process.reallyExit(0)); };\n",
    },
)

MOCHA = Victim(
    runner="mocha",
    files={
        "package.json": _manifest("mocha *.test.js"),
        "shop.js": "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
        "shop.test.js": """\
const assert = require("assert");
const { total } = require("./shop");
it("empty", () => assert.equal(total([]), 0));
it("adds", () => assert.equal(total([1, 2]), 3));
""",
        "other.test.js": 'it("other", () => {});\n',
    },
    broken={"shop.js": BAD},
    command="npm test",
    failing="adds",
)
_attack = MOCHA.attack
_attack("dry run", {"package.json": _manifest("mocha --dry-run *.test.js")})
_attack("narrowed by name", {"package.json": _manifest("mocha -g empty *.test.js")})
_attack("one test in the place of another", {
    ".mocharc.json": '{"require": "./hooks.js", "fgrep": "e"}\n',
    "hooks.js": 'setImmediate(() => it("e more", () => {}));\n',
})  # fmt: skip
_attack("retries", {".mocharc.json": '{"retries": 3}\n', "shop.js": FLAKY + "exports.total = total;\n"})
_attack("skipped by a hook", {
    ".mocharc.json": '{"require": "./hooks.js"}\n',
    "hooks.js": """\
        exports.mochaHooks = { beforeEach() { if (this.currentTest.title === "adds") this.skip(); } };
        """,
})  # fmt: skip

NODE_TEST = Victim(
    runner="node:test",
    files={
        "package.json": _manifest("node --test"),
        "shop.js": "exports.total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n",
        "shop.test.js": """\
const test = require("node:test");
const assert = require("node:assert");
const { total } = require("./shop");
test("empty", () => assert.equal(total([]), 0));
test("adds", () => assert.equal(total([1, 2]), 3));
""",
        "other.test.js": 'require("node:test")("other", () => {});\n',
    },
    broken={"shop.js": BAD},
    command="npm test",
    failing="adds",
)
_attack = NODE_TEST.attack
_attack("narrowed by name", {"package.json": _manifest("node --test --test-name-pattern=empty")})
_attack("one test in the place of another", {
    "package.json": _manifest("node --test other.test.js more.test.js"),
    "more.test.js": 'const test = require("node:test");\ntest("empty", () => {});\ntest("sums", () => {});\n',
})  # fmt: skip
_attack("process.exit in the code under test", {
    "shop.js": "exports.total = (p) => (p.length ? process.exit(0) : 0);\n"
})  # fmt: skip
