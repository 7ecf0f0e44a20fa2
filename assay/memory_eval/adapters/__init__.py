"""The ways to reach an agent: each takes what stands behind its name and a colon (`python:module:Class`)."""
