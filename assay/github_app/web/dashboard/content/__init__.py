"""Content of pages: blocks, charts, number formats and periods."""
