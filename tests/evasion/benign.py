"""Changes that must pass: no wrapper may get them blocked or held."""

from __future__ import annotations

from tests.evasion.changes import Change
from tests.evasion.payloads import edit, new, python, script


def benign() -> dict[str, Change]:
    """Name to change."""
    main = '\tfmt.Println("shop")\n'
    return {
        "py-json": python("shop/stored.py", "import json", "json.loads", "request.data"),
        "py-length": python("shop/length.py", "", "len", "request.args"),
        "py-run": python("shop/version.py", "import subprocess", "subprocess.run", '["git", "--version"]'),
        "py-path": python("shop/places.py", "import os", "os.path.join", '"shop", "data"'),
        "py-rounded": edit("shop/orders.py", "sum(order.values())", "round(sum(order.values()), 2)"),
        "py-new-function": edit("shop/orders.py", "ORDERS = {}\n", "ORDERS = {}\nRATES = {1: 2}\n"),
        "py-longer-wait": edit("shop/client.py", "timeout=5", "timeout=10"),
        "py-greeting": edit("shop/views.py", "Hello", "Good day"),
        "py-model": new(
            "shop/evaluation.py", "python", "class Model:\n    def eval(self, x):\n        return self.go(x)\n"
        ),
        "py-pattern": new("shop/words.py", "python", 'import re\n\nWORD = re.compile("exec(ute)?")\n'),
        "py-test": edit(
            "tests/test_orders.py",
            "    assert total({}) == 0\n",
            "    assert total({}) == 0\n    assert total({1: 1}) == 1\n",
        ),
        "ts-json": script("web/src/stored.ts", "", "JSON.parse", "req.body"),
        "ts-pattern": new("web/src/words.ts", "typescript", "export const found = /a+/.exec('aaa');\n"),
        "ts-greeting": edit("web/src/server.ts", '"Hello"', '"Good day"'),
        "tsx-text": new(
            "web/src/text.tsx",
            "tsx",
            "export function Text(props: { text: string }) {\n  return <p>{props.text}</p>;\n}\n",
        ),
        "go-line": edit("cmd/shop/main.go", main, main + '\tfmt.Println("open")\n'),
        "sql-table": new("migrations/0002_orders.sql", "sql", "CREATE TABLE orders (id bigint PRIMARY KEY);\n"),
        "wf-named": edit(
            ".github/workflows/ci.yml", "      - run: pytest\n", "      - name: Tests\n        run: pytest\n"
        ),
        "npm-patch": edit("web/package.json", "^4.19.0", "^4.19.2"),
        "docs": edit("docs/index.md", "How to sell.\n", "How to sell, and to buy.\n"),
        "build-quiet": edit("scripts/build.sh", "python -m build", "python -m build --wheel"),
        "ignored": new(".dockerignore", "plain", "node_modules\n"),
    }
