"""Artifacts and uploads that pass results between jobs and to the App."""
