"""The tools whose words Assay understands. The first that recognises a command reads it; the last reads anything."""

from assay.validators.tools.members.black import black
from assay.validators.tools.members.cargo import cargo
from assay.validators.tools.members.command import Command
from assay.validators.tools.members.eslint import eslint
from assay.validators.tools.members.go import go
from assay.validators.tools.members.jest import jest
from assay.validators.tools.members.mocha import mocha
from assay.validators.tools.members.mypy import mypy
from assay.validators.tools.members.node_test import node_test
from assay.validators.tools.members.prettier import prettier
from assay.validators.tools.members.pyright import pyright
from assay.validators.tools.members.pytest import pytest
from assay.validators.tools.members.ruff import ruff
from assay.validators.tools.members.tsc import tsc
from assay.validators.tools.members.unittest import unittest
from assay.validators.tools.members.vitest import vitest
from assay.validators.tools.tool import Tool

_IN_DEPTH = (
    pytest,
    unittest,
    jest,
    vitest,
    mocha,
    node_test,
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
    Command(looks=tuple(tool.look for tool in _IN_DEPTH), tools=_IN_DEPTH),
)

__all__ = ["MEMBERS"]
