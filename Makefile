# Every target sets itself up: python3 with venv and make are all that is needed.
VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.installed
LIGHT := $(VENV)/.light
DOCS := $(VENV)/.docs
OUT ?= out

.PHONY: demo docs test test-slow test-lowest wheel coverage mutants lint studio bench clean

demo: $(LIGHT)
	$(PY) -m gough reproduce all --out $(OUT)/reproduction

# make test ROOM=kinematics runs the tests of one room (a folder of tests/).
ROOM ?=
test: $(STAMP)
	$(PY) -m pytest -n 2 --dist worksteal -m "not slow" $(if $(ROOM),tests/$(ROOM))

test-slow: $(STAMP)
	$(PY) -m pytest -n 2 --dist worksteal -m slow $(if $(ROOM),tests/$(ROOM))

# The oldest versions that pyproject.toml allows (python 3.11 or 3.12), in a fresh environment: are its lower bounds true?
LOW ?= $(OUT)/lowest
LOWEST := house/test_public_names export/test_tables cli/test_console cli/test_cli_machine studio/test_studio_server \
	simulation/test_gym dynamics/test_jax design/test_sweep border/test_damaged_results trajectory/test_trajectory
# equal to the last bit only with newer NumPy
LAST_BITS := simulation/test_gym.py::test_an_environment_has_the_same_episodes_alone_and_beside_others \
	simulation/test_gym.py::test_a_machine_each_is_the_machine_alone
test-lowest:
	rm -rf $(LOW)
	python3 -m venv $(LOW)
	$(LOW)/bin/python -m pip install --quiet --upgrade pip
	python3 tests/lowest.py > $(LOW)/lowest.txt
	$(LOW)/bin/python -m pip install --quiet -c $(LOW)/lowest.txt --editable ".[all,jax]" \
		pytest hypothesis httpx mpmath
	$(LOW)/bin/python -m pytest -m "not slow and not browser" $(LOWEST:%=tests/%.py) $(LAST_BITS:%=--deselect tests/%)

# Before a release: wheel and sdist in an empty environment, the size of the core, and how soon it answers.
wheel:
	python3 tests/wheel.py

lint: $(STAMP)
	$(VENV)/bin/ruff format --check --quiet .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/pyright
	$(VENV)/bin/lint-imports
	sh src/gough/studio/web/lint.sh

# Branch coverage of the tests, subprocesses included, and the map that `make mutants` chooses tests by.
# Fails where less than BRANCHES percent of the branches are taken.
BRANCHES ?= 95
coverage: $(STAMP)
	$(PY) -m pip install --quiet --editable ".[coverage]"
	rm -rf out/coverage && mkdir -p out/coverage
	PYTHONPATH=src:tests $(PY) -m coverage run -m pytest -n 2 --dist worksteal -p mutants.contexts -m "not slow"
	-$(PY) -m coverage combine --quiet
	PYTHONPATH=tests $(PY) -m mutants.chosen
	$(PY) -m coverage report --skip-covered --sort=miss
	$(PY) -m coverage json --quiet -o out/coverage/coverage.json
	PYTHONPATH=tests $(PY) -m mutants.branches $(BRANCHES)

# Random wrong changes of one room's sources: how many do its tests notice?
mutants: $(STAMP)
	cd tests && ../$(PY) -m mutants --room $(or $(ROOM),dynamics) --count $(or $(COUNT),20) --seed $(or $(SEED),0)

# The site, made and checked without a network: warnings, loads from elsewhere and dead links are errors.
docs: $(DOCS)
	$(PY) -m handbook --out $(OUT)/site

studio: $(LIGHT)
	$(PY) -m gough studio

bench: $(STAMP)
	-$(PY) -m pip install --quiet --editable ".[bench]"
	$(PY) -m benchmarks --out $(OUT)/bench
	$(PY) -m benchmarks.growth --out $(OUT)/bench
	$(PY) -m benchmarks.stream
	$(PY) -m benchmarks.proved
	$(PY) -m benchmarks.before_after

# what the demo and the studio need, without tools for tests and lint
$(LIGHT): pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[data,report,studio]"
	touch $(LIGHT)

$(DOCS): pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[all,docs]"
	touch $(LIGHT) $(DOCS)

$(STAMP): pyproject.toml
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade pip
	$(PY) -m pip install --quiet --editable ".[test,lint]"
	touch $(LIGHT) $(STAMP)

clean:
	rm -rf $(VENV) $(OUT)
