"""Register of `SCANNERS`; the order matters."""

from assay.validators.tools.scanners.bandit import bandit
from assay.validators.tools.scanners.scanner import Scanner
from assay.validators.tools.scanners.semgrep import semgrep
from assay.validators.tools.scanners.squawk import squawk
from assay.validators.tools.scanners.zizmor import zizmor

SCANNERS: tuple[Scanner, ...] = (semgrep, bandit, zizmor, squawk)
