"""The languages whose imports Assay follows."""
