"""Tests of a change as read from its code: extent, assertions, subject, and their counterparts in the base."""
