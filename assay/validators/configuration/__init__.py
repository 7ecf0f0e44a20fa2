"""Configuration file: found in the base of a change, read with line numbers, checked as a whole."""

from assay.validators.configuration.checking import KnownNames
from assay.validators.configuration.loading import FILES, NAMES, LoadedConfiguration, load_configuration, load_file

__all__ = ["FILES", "NAMES", "KnownNames", "LoadedConfiguration", "load_configuration", "load_file"]
