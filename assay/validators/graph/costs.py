"""Costs of the ways on which a change is noticed; docs/graph.md lists them."""

USE = 1.0
OVERRIDE = 1.0
"""Added where a parent's method is named and a subclass defines it."""

IMPLICIT = 2.0
"""Cost from a class's users to methods that run without being named."""

UNCLEAR = 1.5
"""Added where the receiver is unknown, with half the binary logarithm of the number of candidates."""

RARE = 2.0
"""Added for special methods that run only when an object is printed, copied, pickled or freed."""

IMPORT = 1.0
"""Cost from a file to the importers of its top level."""

LATE = 2.0
"""Added for an import inside a function or condition, which may not run."""

UNNAMED = 2.0
"""Added to reach a symbol that no code names from its class or its importers."""

FARTHEST = 9.0
"""Cost at which the search ends."""
