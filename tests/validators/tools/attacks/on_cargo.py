"""Attacks on `cargo test`."""

from __future__ import annotations

from tests.validators.tools.attacks.attack import Victim

MANIFEST = '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'
TESTS = """
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty() {
        assert_eq!(total(&[]), 0);
    }
}
"""
GOOD = "pub fn total(prices: &[i64]) -> i64 {\n    prices.iter().sum()\n}\n"
BAD = "pub fn total(prices: &[i64]) -> i64 {\n    prices.len() as i64 * 7\n}\n"
WHOLE = "use shop::total;\n\n#[test]\nfn adds() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n"
VICTIM = Victim(
    runner="cargo",
    files={
        "Cargo.toml": MANIFEST,
        "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n',
        "src/lib.rs": GOOD + TESTS,
        "tests/whole.rs": WHOLE,
        "Makefile": "test:\n\tcargo test --offline\n",
    },
    broken={"src/lib.rs": BAD + TESTS},
    command="cargo test --offline",
    failing="adds",
)
_attack = VICTIM.attack
_EXITS = """\
pub fn total(prices: &[i64]) -> i64 {
    if !prices.is_empty() {
        FORGED
        std::process::exit(0);
    }
    0
}
"""
_FORGED = r"""use std::io::Write;
        let mut out = std::fs::OpenOptions::new().write(true).open("/dev/stdout").unwrap();
        writeln!(out, "test adds ... ok\n\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured").ok();"""

_attack("process::exit in the code under test", {"src/lib.rs": _EXITS.replace("FORGED", "") + TESTS})
_attack("no harness", {"Cargo.toml": MANIFEST + '\n[[test]]\nname = "whole"\nharness = false\n'})
_attack("no tests found", {"Cargo.toml": MANIFEST + "autotests = false\n"})
_attack(
    "another program runs the tests",
    {".cargo/config.toml": "[target.'cfg(all())']\nrunner = \"true\"\n"},
)
_attack("ignored", {"tests/whole.rs": WHOLE.replace("#[test]", "#[test]\n#[ignore]")})
_attack("behind a feature", {"tests/whole.rs": '#![cfg(feature = "never")]\n' + WHOLE})
_attack(
    "the test itself ends the run",
    {
        "tests/whole.rs": WHOLE.replace(
            "assert_eq", "std::process::exit(0);\n    #[allow(unreachable_code)]\n    assert_eq"
        )
    },
)
_attack("failure let pass by the shell", {"Makefile": "test:\n\tcargo test --offline || true\n"}, "make test")
_attack(
    "forged words by make",
    {"Makefile": 'test:\n\t@echo "running 2 tests"; echo "test result: ok. 2 passed; 0 failed; 0 ignored;"\n'},
    "make test",
)
_attack("forged result before the end", {"src/lib.rs": _EXITS.replace("FORGED", _FORGED) + TESTS})
