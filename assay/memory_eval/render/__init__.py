"""An examination as people and programs read it: terminal, Markdown, HTML, JUnit, JSON."""
