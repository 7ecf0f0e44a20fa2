"""The commands `assay rules …`."""
