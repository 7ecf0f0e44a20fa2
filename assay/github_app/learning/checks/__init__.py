"""Proposals for how a rule can be checked: linter rules, patterns, paths, titles."""
