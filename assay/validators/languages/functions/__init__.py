"""The functions of source files, measured: how many paths, how hard to follow, how deeply nested.

`measure` is the door; the parsers behind it run in one child process, since what they read is hostile.
"""
