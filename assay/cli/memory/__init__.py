"""The commands `assay memory …`."""
