from __future__ import annotations

import time

import pytest

from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import kind_in_name, kinds_run, known_tool_of

KNOWN = """
test   pytest       uv run pytest -x
test   pytest       python -m pytest
test   unittest     python -m unittest discover -s tests
test   runtests     python tests/runtests.py --parallel=1
test   jest         npx jest --ci
test   vitest       vitest
test   jest         node --experimental-vm-modules node_modules/jest/bin/jest.js --ci
test   mocha        cross-env NODE_OPTIONS=-x nyc --no-clean node bin/mocha.js --forbid-only
lint   eslint       node ./node_modules/.bin/eslint .
test   node:test    node --import tsx --test test/*.ts
test   node:test    borp --coverage
test   go           go test ./...
test   go           go run gotest.tools/gotestsum@latest -f testname -- ./... -race
lint   golangci-lint go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.12.2 run ./...
test   cargo        cargo test --workspace
test   maven        ./mvnw -B verify
test   gradle       ./gradlew --no-daemon :app:test
test   minitest     bundle exec rake test
test   phpunit      php -d memory_limit=-1 vendor/bin/phpunit --colors
test   artisan      php artisan test
test   every-test   pnpm -r test
test   every-test   yarn workspaces foreach -A run test
test   every-test   npm run test --workspaces
types  every-types  turbo run test:types
build  every-build  turbo run build test:types
lint   ruff         ruff check .
lint   ruff         ruff .
lint   eslint       eslint src --ext .ts
lint   clippy       cargo clippy -- -D warnings
lint   go-vet       go vet ./...
lint   every-lint   turbo run lint
format ruff-format  ruff format --check
format prettier     prettier --check .
format rustfmt      cargo fmt --all --check
types  mypy         poetry run mypy src
types  psalm        vendor/bin/psalm
types  pyright      pyright
types  tsc          tsc --noEmit -p .
types  tsc          vue-tsc -b
types  tstyche      npx tstyche
build  tsc-build    tsc -p tsconfig.build.json
build  vite         vite build
build  next         next build
build  go-build     go build ./...
sast   bandit       bandit -r src
"""


@pytest.mark.parametrize("row", KNOWN.strip().splitlines(), ids=lambda row: row.split(None, 2)[2])
def test_a_tool_is_known_by_its_command(row: str):
    kind, tool, line = row.split(None, 2)
    known = known_tool_of(line.split())
    assert known is not None
    assert (known.tool, known.kind) == (tool, ToolKind(kind))


@pytest.mark.parametrize(
    "line",
    ["vite", "ruff server", "npm test", "make test", "coverage report", "python3 -c x", "pytesting", "sphinx-build x"],
)
def test_other_commands_are_not(line: str):
    assert known_tool_of(line.split()) is None


RUN = """
test          - run: pytest -x || true
test          docker compose run web python -m pytest
test          "test": "jest --ci"
test          sh 'rake test'
test          \t@./gradlew --info $ARG check -x lint
test lint     make check VERBOSE=yes
test          command: /venv/bin/tox -e py312
lint          commands = flake8 src
lint          uses: golangci/golangci-lint-action@v9
lint format   make lint && npm run format:check
types         vendor/bin/psalm.phar --no-progress
types         run: cargo check --benches
sast          uses: github/codeql-action/analyze@v4
-             uses: github/codeql-action/init@v4
-             name: Run pytest
-             pip install pytest
-             echo "pytest is not available"
-             token: ${{ secrets.TOKEN }}  # zizmor: ignore[secrets-outside-env]
-             phpunit: '13.0.3'
-             make build
-             npm run build
"""


@pytest.mark.parametrize("row", RUN.strip().splitlines(), ids=lambda row: row[14:])
def test_a_line_of_a_pipeline_runs_these_kinds(row: str):
    kinds = {ToolKind(kind) for kind in row[:14].split() if kind != "-"}
    found = kinds_run(row[14:].replace("\\t", "\t"))
    assert found >= kinds if kinds else not found


@pytest.mark.parametrize(
    ("script", "kind"),
    [("./scripts/run_tests.sh", ToolKind.test), ("python ci/lint.py", ToolKind.lint), ("./audit.sh", ToolKind.sast)],
)
def test_in_a_workflow_the_words_of_any_command_count(script: str, kind: ToolKind):
    assert kinds_run(script, by_words=True) == {kind}
    assert not kinds_run(script)


def test_a_name_is_of_the_first_kind_it_names():
    assert kind_in_name("build, lint and test") is ToolKind.test
    assert kind_in_name("release notes") is None


@pytest.mark.parametrize("piece", ["npm -r lint- ", "A=b ", "sudo ", "uses: ", "x: ", "node --tes ", "make -C ", "('`"])
def test_no_script_takes_long(piece: str):
    began = time.process_time()
    for by_words in (False, True):
        kinds_run(piece * (20_000 // len(piece)), by_words=by_words)
        kinds_run((piece * (390 // len(piece)) + "\n") * 50, by_words=by_words)
    assert time.process_time() - began < 2
