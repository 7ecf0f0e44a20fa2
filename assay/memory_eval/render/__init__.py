"""Report formats: one file per format, `FORMATS` is the register."""
