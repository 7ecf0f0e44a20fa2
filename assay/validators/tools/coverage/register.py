"""Register of `COVERAGE_READERS`; the order matters."""

from assay.validators.tools.coverage.clover import clover
from assay.validators.tools.coverage.cobertura import cobertura
from assay.validators.tools.coverage.coverage_py_data import coverage_py_data
from assay.validators.tools.coverage.coverage_py_json import coverage_py_json
from assay.validators.tools.coverage.coverage_reader import CoverageReader
from assay.validators.tools.coverage.go_profile import go_profile
from assay.validators.tools.coverage.istanbul import istanbul
from assay.validators.tools.coverage.jacoco import jacoco
from assay.validators.tools.coverage.lcov import lcov

COVERAGE_READERS: tuple[CoverageReader, ...] = (
    coverage_py_json,
    istanbul,
    clover,
    cobertura,
    jacoco,
    lcov,
    go_profile,
    coverage_py_data,
)
