"""From a report to what stands on GitHub: `publication_of` decides and writes nothing, `publish` writes."""
