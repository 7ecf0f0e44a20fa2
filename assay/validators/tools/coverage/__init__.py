"""The formats of coverage Assay reads; a file is the first one's that recognises how it begins."""
