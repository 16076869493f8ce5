# make demo   set up .venv and run the demonstration
# make test   set up .venv and run every check: lint, types, layers, tests
# make test-all  the same with every case of every family (`exhaustive` tests), and all certificates by both solvers
# make lint   the same without the tests
# make bench  compare with other libraries (hours; BENCH_OPTIONS=--quick: minutes) and write benchmarks/RESULTS.md
# make clean  remove .venv, caches and outputs

PYTHON ?= python3
VENV   := .venv
# Tests wait for processes, too: with one more worker than cores no core does.
WORKERS ?= $(shell expr $$(nproc 2>/dev/null || echo 3) + 1)
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test test-all test-cases test-all-cases lint format bench clean
.DEFAULT_GOAL := test

demo: $(VENV)/.demo
	$(BIN)/python -m isamap_smt demo

# The type checker uses one core, and stands beside the tests: whichever fails, the other goes on to its end, and the run fails.
test test-all: $(VENV)/.test
	@$(MAKE) --no-print-directory --jobs=2 lint $@-cases

test-cases test-all-cases: test%-cases: $(VENV)/.test
	$(BIN)/python -m pytest -q --durations=10 -n $(WORKERS) --dist=worksteal $(if $*,-m "")

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

format: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Stopped and started again, it goes on where it was. Peers that cannot be installed are left out, and the results say so.
bench: $(VENV)/.bench
	-$(PIP) -e '.[peers]'
	$(BIN)/python -m isamap_smt bench all --resume $(BENCH_OPTIONS) -o benchmarks/deepbench.json --plots benchmarks/plots
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) build dist out isamap-demo
	rm -rf .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp per set of extras, so that a second run installs nothing. A changed pyproject.toml installs again.
$(VENV)/.demo: pyproject.toml | $(BIN)/pip
	@echo "installing isamap-smt into $(VENV) (the C compiler is a large download the first time)"
	$(PIP) -e '.[compiler,onnx]'
	@touch $@

$(VENV)/.test: pyproject.toml | $(BIN)/pip
	@echo "installing isamap-smt and its development tools into $(VENV)"
	$(PIP) -e '.[compiler,test,dev]'
	@touch $@ $(VENV)/.demo

$(VENV)/.bench: pyproject.toml | $(BIN)/pip
	$(PIP) -e '.[compiler,onnx,bench]'
	@touch $@ $(VENV)/.demo

# Debian and Ubuntu ship venv without ensurepip until python3-venv is installed; an installed pip can stand in.
$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "error: isamap-smt needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>&1)." >&2; \
	    echo "       Name another one: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@if $(PYTHON) -c 'import ensurepip, venv' 2>/dev/null; then \
	    $(PYTHON) -m venv $(VENV); \
	elif $(PYTHON) -c 'import pip, venv' 2>/dev/null; then \
	    $(PYTHON) -m venv --without-pip $(VENV) && \
	    $(PYTHON) -m pip --python $(BIN)/python install --quiet --disable-pip-version-check pip; \
	else \
	    echo "error: '$(PYTHON)' cannot make a virtual environment: the module ensurepip is missing." >&2; \
	    echo "       On Debian and Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; \
	fi || { rm -rf $(VENV); exit 1; }
