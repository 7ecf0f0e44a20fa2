"""Metrics of the functions of source files: number of paths, cognitive complexity, nesting.

`measure` is the entry point; the parsers run in one child process, since their input is untrusted.
"""
