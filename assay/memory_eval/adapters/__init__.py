"""Adapters of agents; each parses the text after its name and a colon (`python:module:Class`)."""
