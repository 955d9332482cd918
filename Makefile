# Recipes for people; each is a small script in scripts/ that also works alone.
MAKEFLAGS += --no-print-directory
.PHONY: help setup run test check format mutations bench

help: ## this list
	@sed -n 's/^\([a-z]*\): .*## /  make \1  /p' Makefile

setup: ## virtual environment and packages, nothing else
	@scripts/setup

run: ## everything needed, then the server; prints one sign-in link (PORT, HOST change the address)
	@scripts/setup
	@exec .venv/bin/python manage.py quickstart

test: ## everything needed, then the whole suite under coverage
	@scripts/setup test
	@scripts/setup-services
	@scripts/test

check: ## format, lint, types, migrations, API schema; then make test
	@scripts/setup test
	@scripts/check
	@$(MAKE) test

format: ## bring code and templates into form
	@scripts/setup test
	@.venv/bin/python -m ruff check --fix --quiet .
	@.venv/bin/python -m ruff format .
	@.venv/bin/python -m djlint --quiet --reformat templates

mutations: ## small wrong changes to a copy of the code; the tests must notice each (about five minutes)
	@scripts/setup test
	@.venv/bin/python -m tests.mutations

bench: ## performance figures beside their goals, in one table (about ten minutes); fails where one is missed
	@scripts/setup test
	@.venv/bin/python -m benchmarks
