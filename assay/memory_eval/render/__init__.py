"""An examination as people and programs read it: one file per format, `FORMATS` is the register."""
