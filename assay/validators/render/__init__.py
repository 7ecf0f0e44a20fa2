"""Formats of a report: one file per format, listed in `register.py`, and the words they share in `phrases.py`."""
