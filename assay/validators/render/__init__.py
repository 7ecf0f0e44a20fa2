"""Formats of a report: one file per format, listed in `format.py`, and the words they share in `words.py`."""
