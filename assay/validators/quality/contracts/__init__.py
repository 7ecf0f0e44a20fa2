"""Contracts between the files of a tree, by language. `CONTRACTS` is the register."""
