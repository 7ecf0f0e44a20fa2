"""Test integrity; each file detects one way to make a failing test pass without a fix."""
