"""A report, written down: one file per format, `FORMATS` is the register. Rendering never decides anything."""
