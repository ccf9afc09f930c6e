"""The cluster that KUBECONFIG names, with a namespace for each test.

Why: `make e2e` brings one up for all tests of this folder, or takes the one that its user has.
Called by: pytest.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from cluster import running
from cluster.faults import FAULTS, state_of
from images.contents import ROOT
from tests.e2e.cluster.kube import RESTRICTED, Kube, until
from tests.e2e.cluster.trades import Undisturbed

FOLDER = Path(__file__).parent
LEFT_OUT = pytest.StashKey[list[tuple[str, str]]]()


def is_ours() -> bool:
    return os.environ.get("KUBECONFIG") == str(running.KUBECONFIG)


def needs_ours(item: pytest.Item) -> str | None:
    """Why it can run on no other cluster; None: it can."""
    if item.get_closest_marker("breaks_nodes"):
        return "it breaks nodes, and those of somebody else's cluster are not for us to break"
    own = item.get_closest_marker("own_cluster")
    return str(own.kwargs["because"]) if own else None


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On somebody else's cluster what only ours has is not begun: under `make e2e` a test that skips itself has failed."""
    if not os.environ.get("KUBECONFIG") or is_ours():
        return
    left_out = [(item, why) for item in items if FOLDER in item.path.parents and (why := needs_ours(item))]
    config.stash[LEFT_OUT] = [(item.nodeid, why) for item, why in left_out]
    dropped = [item for item, _ in left_out]
    config.hook.pytest_deselected(items=dropped)
    items[:] = [item for item in items if item not in dropped]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if left_out := config.stash.get(LEFT_OUT, []):
        terminalreporter.section(f"left out on the cluster of {os.environ['KUBECONFIG']}")
    for test, why in left_out:
        terminalreporter.write_line(f"{test}: {why}")


@contextmanager
def new_namespace(labels: Mapping[str, str] = RESTRICTED) -> Iterator[Kube]:
    told = os.environ.get("KUBECONFIG")
    if not told:
        pytest.skip("No cluster is named: run it by `make e2e-cluster`, or set KUBECONFIG.")
    name = f"levee-{os.getpid()}-{time.monotonic_ns() % 10**9}"
    kube = Kube(Path(told), name)
    kube.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": dict(labels)}})
    yield kube
    kube.run("delete", "namespace", name, "--wait=false", "--ignore-not-found")  # some are deleted by their test


@pytest.fixture
def kube() -> Iterator[Kube]:
    with new_namespace() as made:
        yield made


@pytest.fixture(scope="module")
def shared() -> Iterator[Kube]:
    """For tests that follow each other on what the ones before have made; they may break nodes."""
    with new_namespace() as made:
        yield made
        mend(made)


@pytest.fixture
def whole(kube: Kube) -> Iterator[Kube]:
    """For tests that break nodes: all nodes are ready again afterwards."""
    yield kube
    mend(kube)


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    return Undisturbed(tmp_path_factory.mktemp("undisturbed"))


def cluster(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "hack.cluster", *words], cwd=ROOT, check=True)


def mend(kube: Kube) -> None:
    found = running.present()
    for machine in found.machines:
        if (state := state_of(machine, found)) != "running":
            FAULTS[{"crashed": "reboot", "frozen": "thaw", "partitioned": "heal"}[state]](machine, found)
    until(lambda: all(map(kube.ready, kube.nodes())), "all nodes are ready again")
