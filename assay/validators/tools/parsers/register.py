"""Register of `MEMBERS`; the order matters."""

from assay.validators.tools.parsers.black import black
from assay.validators.tools.parsers.bun import bun
from assay.validators.tools.parsers.cargo import cargo
from assay.validators.tools.parsers.command import Command
from assay.validators.tools.parsers.eslint import eslint
from assay.validators.tools.parsers.go import go
from assay.validators.tools.parsers.jest import jest
from assay.validators.tools.parsers.mocha import mocha
from assay.validators.tools.parsers.mypy import mypy
from assay.validators.tools.parsers.node_test import node_test
from assay.validators.tools.parsers.prettier import prettier
from assay.validators.tools.parsers.pyright import pyright
from assay.validators.tools.parsers.pytest import pytest
from assay.validators.tools.parsers.ruff import ruff
from assay.validators.tools.parsers.tsc import tsc
from assay.validators.tools.parsers.unittest import unittest
from assay.validators.tools.parsers.vitest import vitest
from assay.validators.tools.tool import Tool

_IN_DEPTH = (
    pytest,
    unittest,
    jest,
    vitest,
    mocha,
    node_test,
    bun,
    cargo,
    go,
    ruff,
    black,
    eslint,
    prettier,
    mypy,
    pyright,
    tsc,
)
MEMBERS: tuple[Tool, ...] = (
    *_IN_DEPTH,
    Command(_IN_DEPTH),
)
