"""The scanners, in the order they run: semgrep first, since bandit leaves out what semgrep has looked for."""

from assay.validators.tools.scanners.bandit import bandit
from assay.validators.tools.scanners.scanner import Scanner
from assay.validators.tools.scanners.scanning import scan
from assay.validators.tools.scanners.semgrep import semgrep
from assay.validators.tools.scanners.squawk import squawk
from assay.validators.tools.scanners.zizmor import zizmor

SCANNERS: tuple[Scanner, ...] = (semgrep, bandit, zizmor, squawk)

__all__ = ["SCANNERS", "scan"]
