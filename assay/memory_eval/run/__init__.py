"""One evaluation: ingest, ask, grade."""
