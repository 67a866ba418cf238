# Everything a developer runs. The tools live in .venv, installed from the locks in deploy/requirements;
# only `make` itself and a Python (3.11 to 3.13) have to be on the machine, for `make contract` also npm.

.DEFAULT_GOAL := help
.PHONY: help run test lint format bench bench-leaks bench-peers fuzz soak contract lock clean
.DELETE_ON_ERROR:

RIGHT_PYTHON := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))
PYTHON = $(shell for name in python3 python3.13 python3.12 python3.11; do \
	"$$name" -c '$(RIGHT_PYTHON)' 2>/dev/null && { command -v "$$name"; break; }; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCKS := deploy/requirements
PACKAGES := domain projections service

help:
	@echo 'make run          start the service on an embedded PostgreSQL and Redis (data in .data)'
	@echo 'make test         linters, type checks and all tests, on real servers'
	@echo 'make lint         linters and type checks only;  make format  formats the code'
	@echo 'make contract     check openapi/openapi.json against the service, with Redocly, Spectral and a generated client'
	@echo 'make bench        measure the service;  make bench-peers  measures other programs beside it'
	@echo 'make bench-leaks  whether times tell what is hidden;  make bench-leaks LEAKS="--pairs 200 --only token"'
	@echo 'make fuzz         longer random tests'
	@echo 'make soak         an hour of matches while everything breaks;  make soak SOAK="--minutes 10 --seed 1"'
	@echo 'make lock         update the locks of all dependencies'
	@echo 'make clean        remove everything that was built and installed here (never .data)'

# --- what is installed -------------------------------------------------------------------------

.venv/.created:
	@test -n '$(PYTHON)' || { echo 'Blattwerk needs Python 3.11, 3.12 or 3.13 with its venv module' \
		'(on Debian: python3-venv); to name one: make PYTHON=/path/to/python $(MAKECMDGOALS)' >&2; exit 1; }
	'$(PYTHON)' -m venv --clear .venv
	@touch $@

.venv/.service: .venv/.created $(LOCKS)/service.txt pyproject.toml
	$(PIP) install --require-hashes --only-binary :all: -r $(LOCKS)/service.txt
	$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.%: .venv/.service $(LOCKS)/%.txt
	$(PIP) install --require-hashes --only-binary :all: -r $(LOCKS)/$*.txt
	@touch $@

# Debian's nginx for the tests of deploy/nginx.conf: unpacked here alone, so that nothing of the machine changes.
# Where that does not work, pytest leaves those tests out and says so.
.venv/.nginx: .venv/.created
	@if [ "$$(id -u)" = 0 ] && command -v apt-get dpkg >/dev/null && ! command -v nginx >/dev/null; then \
		cd .venv && { apt-get -qq download nginx || { apt-get -qq update && apt-get -qq download nginx; }; } \
		&& dpkg -x nginx_*.deb nginx && rm nginx_*.deb; fi >/dev/null 2>&1 || true
	@touch $@

# --- what is run -------------------------------------------------------------------------------

run: .venv/.service
	@exec $(BIN)/blattwerk serve

lint: .venv/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/mypy $(PACKAGES) tests
	$(BIN)/pyright --pythonpath $(BIN)/python

format: .venv/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

test: lint .venv/.nginx
	$(BIN)/pytest -n 2 --dist loadfile

bench: .venv/.bench
	$(BIN)/python -m tests.bench

bench-leaks: .venv/.test
	@$(BIN)/python -m tests.bench.leaks $(LEAKS)

bench-peers: .venv/.peers
	@command -v npm >/dev/null || { echo 'make bench-peers needs Node.js with npm (20 or later)' >&2; exit 1; }
	cd tests/bench/peers && npm ci --ignore-scripts --silent --no-audit --no-fund
	$(BIN)/python -m tests.bench --peers

fuzz: .venv/.fuzz
	$(BIN)/python -m tests.fuzz
	CONTRACT_EXAMPLES=100 CONTRACT_SEED=random $(BIN)/pytest -s --timeout 7200 tests/contract/test_schemathesis.py

soak: .venv/.test
	@$(BIN)/python -m tests.soak $(SOAK)

TYPESCRIPT := tests/contract/clients/typescript

contract: .venv/.test openapi/node_modules/.package-lock.json $(TYPESCRIPT)/node_modules/.package-lock.json
	$(BIN)/python -m service.contract --check openapi/openapi.json
	cd openapi && npm run --silent lint
	cd $(TYPESCRIPT) && npm run --silent build
	$(BIN)/pytest -s tests/contract/clients/playing.py

%/node_modules/.package-lock.json: %/package-lock.json
	@command -v npm >/dev/null || { echo 'make contract needs Node.js with npm (20.19 or later)' >&2; exit 1; }
	cd $* && npm ci --silent --no-audit --no-fund
	@touch $@

# --- locks -------------------------------------------------------------------------------------
# One resolution for every Python and platform; later locks are held to the versions of earlier ones.

COMPILE = $(BIN)/uv pip compile pyproject.toml --quiet --no-config --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header --no-annotate --upgrade

# what npm writes of funding are addresses of web pages, of no use for installing
WITHOUT_ADDRESSES := import json, pathlib; lock = pathlib.Path("package-lock.json"); whole = json.loads(lock.read_text()); \
	[package.pop("funding", None) for package in whole["packages"].values()]; \
	lock.write_text(json.dumps(whole, indent=2) + "\n")

lock: .venv/.lock
	$(COMPILE) --group lock -o $(LOCKS)/lock.txt
	$(COMPILE) --extra service --group build -o $(LOCKS)/service.txt
	$(COMPILE) --extra service --group build --group test -c $(LOCKS)/service.txt -o $(LOCKS)/test.txt
	$(COMPILE) --extra service --group build --group test --group fuzz -c $(LOCKS)/test.txt -o $(LOCKS)/fuzz.txt
	$(COMPILE) --extra service --group build --group test --group bench -c $(LOCKS)/test.txt -o $(LOCKS)/bench.txt
	$(COMPILE) --extra service --group build --group test --group bench --group peers -c $(LOCKS)/bench.txt -o $(LOCKS)/peers.txt
	cd tests/bench/peers && rm -f package-lock.json && npm install --package-lock-only --no-audit --no-fund --silent
	cd tests/bench/peers && ../../../$(BIN)/python -c '$(WITHOUT_ADDRESSES)'
	cd openapi && rm -f package-lock.json && npm install --package-lock-only --no-audit --no-fund --silent
	cd openapi && ../$(BIN)/python -c '$(WITHOUT_ADDRESSES)'
	cd $(TYPESCRIPT) && rm -f package-lock.json && npm install --package-lock-only --no-audit --no-fund --silent
	cd $(TYPESCRIPT) && $(CURDIR)/$(BIN)/python -c '$(WITHOUT_ADDRESSES)'

clean:
	rm -rf .venv build dist *.egg-info openapi/node_modules tests/bench/peers/node_modules $(TYPESCRIPT)/node_modules $(TYPESCRIPT)/build
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis .schemathesis
	find $(PACKAGES) tests -type d -name __pycache__ -prune -exec rm -rf {} +
