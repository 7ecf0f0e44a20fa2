"""Lifecycle of a learned rule: quorum, decisions, import and export."""
