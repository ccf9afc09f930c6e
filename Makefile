# What can be made; `make` alone prints it. Everything here runs without root, on Python 3.11 and a network alone.

VENV := .venv
PY := $(VENV)/bin/python
STAMP := $(VENV)/.locked
CACHES := .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache  # not build/bench: measurements take hours

# The lock is resolved with 3.11, so that comes first; a name counts only if it runs and is new enough.
PYTHON ?= $(shell for name in python3.11 python3 python3.12 python3.13 python3.14 python; do \
	$$name -c 'import sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 && echo $$name && break; done)

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo venv lint lint-style lint-types lint-layers lint-house test servers e2e e2e-build e2e-servers e2e-cluster cluster-up cluster-down cluster-status check format crds dashboards bench-planning bench-streams bench-lifecycle bench-laar bench-chaos sweep ratchet lock clean

help: ## print what can be made
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

venv: $(STAMP) ## install Levee and the locked dependencies into .venv

# --no-build-isolation: the build uses the setuptools of the lock, not whatever is newest today.
$(STAMP): requirements.lock pyproject.toml chaos/pyproject.toml
	@if [ -z "$(PYTHON)" ]; then echo "No Python 3.11 or newer (with venv) was found. Install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; fi
	@test -x $(PY) || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); \
		echo "$(PYTHON) cannot make a virtual environment. On Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	$(PY) -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements.lock
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . --editable ./chaos
	@touch $@

lint: $(STAMP) ## check style, types, layers, purity, sizes, links and the lock; all complaints at once
	@$(MAKE) --no-print-directory --keep-going lint-style lint-types lint-layers lint-house

lint-style: $(STAMP)
	@failed=0; $(VENV)/bin/ruff check . || failed=1; \
		$(VENV)/bin/ruff format --check . || { failed=1; echo "Not formatted: run 'make format'." >&2; }; exit $$failed

lint-types: $(STAMP)
	@$(VENV)/bin/mypy

lint-layers: $(STAMP)
	@$(VENV)/bin/lint-imports --no-cache --no-logo

lint-house: $(STAMP)
	@failed=0; for name in purity sizes links lock; do $(PY) hack/lint_$$name.py || failed=1; done; exit $$failed

# The first line halves what each of the JVMs needs that the tests start; without it they pass, too, only later. worksteal: a few tests take
# minutes, and by default whole blocks of tests go to one process.
test: $(STAMP) ## run all tests on all cores; one of them: make test ARGS="-k word tests/planning"
	-@$(PY) -m levee_spark.worker.prepare
	$(PY) -m pytest -n auto --dist worksteal $(ARGS)

servers: $(STAMP) ## install the real servers of `make e2e` into ~/.cache/levee (once; minutes); LEVEE_CACHE: elsewhere
	$(PY) hack/real_servers.py $(or $(ARGS),install)

e2e: $(STAMP) ## run the tests that need real servers (S3, Kafka, Prometheus, a browser), then those on a real cluster (as root, or KUBECONFIG=FILE)
	@$(MAKE) --no-print-directory e2e-servers
	$(if $(ARGS),,@$(MAKE) --no-print-directory e2e-cluster)

e2e-build: $(STAMP) ## build all that `make e2e` runs on (it would do so itself): the servers, and the cluster's programs and images
	$(PY) hack/real_servers.py install
	$(PY) -m hack.cluster build

e2e-servers: $(STAMP) ## the first half alone; S3=minio: against another S3 server
	LEVEE_E2E=required $(PY) hack/real_servers.py run --s3 $(or $(S3),versitygw) -- $(PY) -m pytest -n auto -m e2e --ignore tests/e2e/cluster $(ARGS)

e2e-cluster: $(STAMP) ## the second half alone, on a cluster for this run; on one that is up: faster
	LEVEE_E2E=required $(PY) -m hack.cluster run -- $(PY) -m pytest -n 2 --dist loadfile --no-loadscope-reorder -m e2e tests/e2e/cluster $(ARGS)

cluster-up: $(STAMP) ## start a real Kubernetes of three nodes on this machine, as root; ARGS="--nodes 5" (the first time it is built: 10 minutes)
	$(PY) -m hack.cluster up $(ARGS)

cluster-down: ## stop it and remove every trace
	$(PY) -m hack.cluster down

cluster-status: ## say how its nodes are; more verbs (crash, freeze, partition, ...): .venv/bin/python -m hack.cluster -h
	$(PY) -m hack.cluster status

check: lint test e2e ## what CI runs: lint, test, then the tests with real servers

format: $(STAMP) ## let ruff lay out the code and mend what it can
	$(VENV)/bin/ruff check --fix --quiet . || true
	$(VENV)/bin/ruff format .

crds: $(STAMP) ## write the CustomResourceDefinitions from the models into crds/ and into the chart, and what levee-chaos can do
	$(PY) -m levee_chaos.catalog operator/levee/experiments/catalog.json
	$(VENV)/bin/levee crds
	$(VENV)/bin/levee crds --output helm/levee/files/crds

dashboards: $(STAMP) ## write Grafana's dashboards from hack/dashboards into the chart
	$(PY) -m hack.dashboards

demo: $(STAMP) ## run Bargain Discovery on this machine, kill a primary and a node, show that nothing was lost (some minutes)
	$(VENV)/bin/levee demo --directory build/demo $(ARGS)

bench-planning: $(STAMP) ## measure the planners into docs/results/planning.md (hours); QUICK=1: a sample into build/planning-quick.md (minutes)
	$(PY) -m benchmarks.planning $(if $(QUICK),--quick) $(ARGS)

bench-streams: $(STAMP) ## measure the data plane into docs/results/streams.md (75 minutes); QUICK=1: a sample into build/ (some minutes); one part: ARGS="--only epochs"
	$(PY) -m benchmarks.streams $(if $(QUICK),--quick) $(ARGS)

bench-lifecycle: $(STAMP) ## measure the controller into docs/results/lifecycle.md (an hour), as root, on the test cluster (cluster-up); QUICK=1: minutes
	$(PY) -m benchmarks.lifecycle $(if $(QUICK),--quick) $(ARGS)

bench-laar: $(STAMP) ## measure load-adaptive replication into docs/results/laar.md (an hour, half of it on this machine); QUICK=1: minutes; ARGS="--only simulated"
	$(PY) -m benchmarks.laar $(if $(QUICK),--quick) $(ARGS)

bench-chaos: $(STAMP) ## measure faults on a real cluster into docs/results/chaos.md (an hour), as root, on the test cluster (cluster-up); QUICK=1: each once
	$(PY) -m benchmarks.chaos $(if $(QUICK),--quick) $(ARGS)

sweep: $(STAMP) ## kill operator and workers at every write of a whole life into docs/results/sweep.md (hours; goes on where it ended); SAMPLE=20: a sample into build/
	$(PY) -m benchmarks.sweep $(if $(SAMPLE),--sample $(SAMPLE)) $(ARGS)

ratchet: $(STAMP) ## record the sizes of modules and functions once they have become smaller
	$(PY) hack/lint_sizes.py --record

lock: $(STAMP) ## resolve the dependencies anew (with Python 3.11) into requirements.lock; UPGRADE=1: to the newest
	@$(PY) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { echo "The lock is resolved with Python 3.11: make clean, then make lock PYTHON=python3.11" >&2; exit 1; }
	CUSTOM_COMPILE_COMMAND="make lock" $(VENV)/bin/pip-compile --quiet --generate-hashes --allow-unsafe --strip-extras --all-build-deps \
		--extra chaos --extra dev --extra operator --extra spark --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options $(if $(UPGRADE),--upgrade) \
		--output-file requirements.lock pyproject.toml

clean: ## remove the virtual environment and all caches (measurements in build/bench stay)
	rm -rf $(VENV) $(CACHES)
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
