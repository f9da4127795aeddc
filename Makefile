# make lab opens the notebooks, make test runs everything. Both build .venv themselves.

VENV ?= .venv
# by `python -m`, since the scripts beside it stop working when the clone is moved
RUN := $(VENV)/bin/python -m
SETUP := VENV='$(VENV)' PYTHON='$(PYTHON)' tools/setup.sh
NOTEBOOKS := $(wildcard notebooks/[0-9]*.py)
EXPORT := --quiet --format requirements-txt --frozen --no-emit-project --no-annotate --no-header

# packages are installed uncompiled, to save space; what is used is compiled once, whatever the shell says
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help lab test check jupyter lock clean

help:
	@echo "make lab            open the notebooks in marimo"
	@echo "make lab JUPYTER=1  open them in JupyterLab (PORT=8000 and NO_BROWSER=1 work with both)"
	@echo "make test           run every check and test, the notebooks included"
	@echo "make check          ask ragkit doctor what is missing"
	@echo "make jupyter        write notebooks/jupyter anew from the marimo notebooks"
	@echo "make lock           resolve the locks anew (UPGRADE=1 takes newer versions; needs uv)"
	@echo "make clean          remove the environment and caches"

lab:
	@$(SETUP) lab
	@$(RUN) ragkit lab $(if $(JUPYTER),--jupyter) $(if $(PORT),--port $(PORT)) $(if $(NO_BROWSER),--no-browser)

test:
	@$(SETUP) dev
	@test -n "$(NOTEBOOKS)" || { echo "no notebook found in notebooks/, nothing to test" >&2; exit 1; }
	$(RUN) ruff check .
	$(RUN) marimo check --strict $(NOTEBOOKS)
	LANGGRAPH_STRICT_MSGPACK=true $(RUN) pytest --nbmake --nbmake-timeout=300 tests $(NOTEBOOKS) notebooks/jupyter

check:
	@$(SETUP) lab
	@$(RUN) ragkit doctor

jupyter:
	@$(SETUP) lab
	@mkdir -p notebooks/jupyter && rm -f notebooks/jupyter/*.ipynb
	@for source in $(NOTEBOOKS); do \
		$(RUN) marimo export ipynb $$source --sort top-down -f \
			-o notebooks/jupyter/$$(basename $$source .py).ipynb || exit 1; \
	done

lock:
	uv lock $(if $(UPGRADE),--upgrade)
	uv export $(EXPORT) --no-default-groups --group build -o requirements/lab.txt
	uv export $(EXPORT) -o requirements/dev.txt
	uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-deps --no-header \
		--no-annotate $(if $(UPGRADE),--upgrade) requirements/local.in -o requirements/local.txt

clean:
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -o -name __marimo__ -o -name .ipynb_checkpoints | xargs rm -rf
