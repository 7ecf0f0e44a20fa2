"""Published exams: catalog, archive and build."""
