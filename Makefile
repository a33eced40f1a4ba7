# The two commands most people need: `make app` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: install app test lint docs pictures bench clean

install: $(STAMP)

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $(STAMP)

app: install
	-$(BIN)/headtree index
	$(BIN)/python -m streamlit run app.py

test: install
	$(BIN)/python -m pytest

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: install
	$(BIN)/python -m docs.generate

pictures: install
	$(BIN)/python -m docs.photograph

bench: install
	$(BIN)/python -m benchmarks.run

clean:
	rm -rf $(VENV) data/index .pytest_cache .mypy_cache .ruff_cache
