PYTHON ?= python3
VENV ?= .venv

help:
	@echo "make lab    open the notebooks"
	@echo "make test   run all tests"
.PHONY: help
