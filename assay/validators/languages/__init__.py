"""Languages whose imports Assay follows."""
