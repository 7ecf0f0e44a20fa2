"""The pieces of test integrity: each looks for one way in which a change can turn green without being right."""
