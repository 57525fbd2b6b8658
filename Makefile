# Everything that people and CI do here; `make help` lists it.
# They set up .venv first.  To use an environment of your own: make check PYTHON=path/to/python

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

BASE ?= python3
VENV := .venv
ifdef PYTHON
READY :=
else
PYTHON := $(VENV)/bin/python
READY := $(VENV)/installed
endif
export OMP_NUM_THREADS ?= 1

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z][a-z-]*:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  make %-12s %s\n", $$1, $$2}'

# The stamp is newer than the lock only when the whole installation went well.
$(VENV)/installed: requirements.lock pyproject.toml
	$(BASE) -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --require-hashes -r requirements.lock
	$(VENV)/bin/python -m pip install --quiet --no-deps --no-build-isolation -e .
	touch $@

.PHONY: setup
setup: $(READY) ## make .venv with the pinned versions and this project in it

.PHONY: demo
demo: $(READY) ## set up, then compile the cube fixture to build/cube.xml
	mkdir -p build
	$(dir $(PYTHON))r2s-compile fixtures/cube/scan.ply --calipers fixtures/cube/measurements.yaml -o build/cube.xml

# Each folder of fixtures/ with a scan and a sheet is an asset.  Make decides whether to call the compiler, and the
# compiler's store what has to be done again; r2s's own source counts as an input of all.
FORMATS := ply obj stl xyz xyzn xyzrgb pts asc csv tsv txt
SCANS = $(foreach f,$(FORMATS),$(wildcard fixtures/$(1)/scan.$(f)))
ASSETS := $(patsubst fixtures/%/,build/assets/%.xml,$(dir $(wildcard $(addsuffix measurements.yaml,$(sort $(dir $(call SCANS,*)))))))
SOURCES := $(wildcard compiler/*.py compiler/*/*.py passes/*.py passes/*/*.py)

.PHONY: assets
assets: $(ASSETS) ## compile every fixture to build/assets/, only what changed; -j2 for two at once

# Written by -MD; it names what no rule here knows.  Before .SECONDEXPANSION, which would expand a $ in a name again.
-include $(ASSETS:.xml=.d)

.SECONDEXPANSION:
build/assets/%.xml: fixtures/%/measurements.yaml $$(wildcard fixtures/$$*/recipe.yaml) $$(call SCANS,$$*) $(SOURCES) $(READY)
	$(dir $(PYTHON))r2s-compile $(firstword $(call SCANS,$*)) --calipers $< $(addprefix --recipe ,$(wildcard fixtures/$*/recipe.yaml)) -o $@ -MD -q

.PHONY: diff
diff: $(READY) ## what differs between two builds: make diff A=old.report.json B=new.report.json
	$(if $(and $(A),$(B)),,$(error name two reports: make diff A=old.report.json B=new.report.json))
	$(dir $(PYTHON))r2s-compile diff $(A) $(B) || [ $$? -eq 1 ]  # 1: they differ, which is the answer

.PHONY: picture
picture: demo ## render build/cube.xml for the README (needs libegl1)
	MUJOCO_GL=egl $(PYTHON) docs/picture.py build/cube.scene.xml docs/cube.png

.PHONY: accuracy
accuracy: $(READY) ## compile the real scans below R2S_DATA and print what came out (some ten minutes)
	$(PYTHON) benchmarks/ycb.py

.PHONY: coverage
coverage: $(READY) ## scan cube and bracket under 20 seeds each and count how often U95 holds the truth (some twenty minutes)
	$(PYTHON) benchmarks/coverage.py

.PHONY: scanner
scanner: $(READY) ## check 20 virtual scanners on balls and count how often device-check's intervals hold the truth
	$(PYTHON) benchmarks/device_check.py

# The folders' names are not the modules' names.  Only type checkers need this: the installed package maps them itself.
.PHONY: links
links: ## lay the folders out as they are imported, for mypy
	mkdir -p build/links/r2s
	ln -sfn ../../../compiler build/links/r2s/compiler
	ln -sfn ../../../passes build/links/r2s/passes
	ln -sfn ../../../fixtures/virtual_scanner build/links/r2s/virtual_scanner

.PHONY: check
check: $(READY) links ## lint, formatting, types, import contracts
	$(PYTHON) -m ruff check .
	$(PYTHON) -m ruff format --check .
	$(PYTHON) -m mypy
	$(PYTHON) -c 'from importlinter.cli import lint_imports_command; lint_imports_command()' --no-cache

.PHONY: format
format: $(READY) ## put imports and layout in order
	$(PYTHON) -m ruff check --select I --fix .
	$(PYTHON) -m ruff format .

.PHONY: test
test: $(READY) ## the tests, without those marked slow or long
	$(PYTHON) -m pytest -q -n auto --dist worksteal -m 'not slow and not long'

.PHONY: test-slow
test-slow: $(READY) ## the tests marked slow, without those marked long
	$(PYTHON) -m pytest -q -n auto --dist worksteal -m 'slow and not long'

# More vessels and scans through tests of which CI runs one: before a release, and after a change to surface, decompose,
# closure or emit.
.PHONY: test-long
test-long: $(READY) ## the tests marked long, which CI leaves out
	$(PYTHON) -m pytest -q -n auto --dist worksteal -m long

.PHONY: docs
docs: $(READY) ## write the pages that grow out of the code: docs/troubleshooting.md
	$(PYTHON) -m r2s.compiler.cli explain --markdown > docs/troubleshooting.md

.PHONY: mutate
mutate: $(READY) ## break a sample of the source, one thing at a time, and count what the tests notice (an hour)
	PYTHONPATH=tests $(PYTHON) -m mutation

.PHONY: quotes
quotes: demo ## take the figures on docs/reading-the-report.md anew from build/cube.xml
	$(PYTHON) docs/quotes.py build/cube.report.json

.PHONY: known-bad
known-bad: $(READY) ## take the tables of docs/known-bad.md anew: damage on purpose to two fixtures, half an hour
	for name in cube bracket; do $(PYTHON) -m r2s.compiler.cli inject fixtures/$$name/scan.ply \
	  --calipers fixtures/$$name/measurements.yaml -o build/$$name.inject.json || exit 1; done
	$(PYTHON) docs/known_bad.py build/cube.inject.json build/bracket.inject.json

.PHONY: fixtures
fixtures: $(READY) ## make every fixture again; git shows whether a byte moved
	for name in $$($(PYTHON) -c 'from r2s.virtual_scanner.recipes import RECIPES; print(*sorted(RECIPES))'); do \
	  $(PYTHON) -m r2s.virtual_scanner $$name -o fixtures/$$name; \
	done

# Away from the repository, so that only the archive can answer.
.PHONY: dist
dist: $(READY) ## build wheel and sdist, install each in a clean environment, try it
	rm -rf dist build/dist
	$(PYTHON) -m build --no-isolation --outdir dist .
	tests/smoke_archive.sh "$(BASE)" dist/*.whl dist/*.tar.gz

.PHONY: lock
lock: $(READY) ## choose and pin versions again: requirements.lock
	CUSTOM_COMPILE_COMMAND='make lock' $(PYTHON) -m piptools compile --quiet --extra dev --allow-unsafe --generate-hashes --strip-extras \
	  --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --output-file requirements.lock pyproject.toml

.PHONY: clean
clean: ## remove what was built; the environment stays
	rm -rf build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -not -path './$(VENV)/*' -prune -exec rm -rf {} +
