"""What the graph needs of a source file: its imports, and the names that it declares and mentions."""

from __future__ import annotations

from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.language import Scan
from assay.validators.languages.values import How

MOST_NAMES = 5_000
"""Maximum different names that are kept of one file for the graph."""


def scan_of(reading: SourceReading) -> Scan:
    """Return imports, namespace, declared and mentioned names."""
    row = reading.row
    kinds = ("class", "attribute") if row.nests else ("class",)
    kept = [piece for piece in reading.pieces if "." not in piece.name or piece.kind in kinds]
    held = {piece.name for piece in kept if row.nests and piece.kind == "class"}
    held -= {piece.name for piece in kept if "filled" in piece.marks}
    declared = dict.fromkeys(piece.name for piece in kept if piece.name not in {*row.unnamed, *held})
    owners = dict.fromkeys((*sorted(held), *(piece.owner for piece in reading.pieces if piece.kind == "method")))
    elsewhere = (f"{owner}." for owner in owners if owner not in declared)
    free = (reading.name_in(node) for node in reading.mentioned)
    paths = (reading.name_in(node) for node in reading.nodes("path") if not reading.is_imported(node.start_byte))
    # Where names are looked for in types, `A::B` is a name itself.
    reads = (read for read in reading.reads if read.receiver is not None and not row.nests)
    values = ((reading.receiver_value(read), read.name) for read in reads)
    members = (f"{value.name}.{name}" for value, name in values if value.how is How.name and "." not in value.name)
    return Scan(
        tuple(reading.imports()),
        namespace=reading.namespace,
        declares=(*declared, *elsewhere)[:MOST_NAMES],
        mentions=tuple(dict.fromkeys((*free, *paths, *members)))[:MOST_NAMES],
        parents=tuple((one.name, reading.name_in(base)) for one in kept for base in one.bases if row.nests),
    )
