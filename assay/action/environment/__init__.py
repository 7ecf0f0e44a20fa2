"""Inputs, job and subject of a run of the Action."""
