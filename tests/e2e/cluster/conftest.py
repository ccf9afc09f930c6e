"""The cluster that KUBECONFIG names, with a namespace for each test, and who may have something on it at the same time.

Why: `make e2e` brings one up for all tests of this folder, or takes the one that its user has.
Called by: pytest.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from cluster import running
from cluster.faults import FAULTS, state_of
from images.contents import ROOT
from tests.e2e.cluster.kube import RESTRICTED, Kube, until
from tests.e2e.cluster.store import NO_STORE, is_named, store_of_tests
from tests.e2e.cluster.turns import Turn, begins, taken, turn_of

FOLDER = Path(__file__).parent
LEFT_OUT = pytest.StashKey[list[tuple[str, str]]]()
TURNS = pytest.StashKey[dict[Path, Turn]]()
SENT = "levee_left_out"


def is_ours() -> bool:
    return os.environ.get("KUBECONFIG") == str(running.KUBECONFIG)


def pytest_configure() -> None:
    """A store that is named wrongly is refused before anything has begun."""
    store_of_tests()


def needs_ours(item: pytest.Item) -> str | None:
    """Why it cannot run on another cluster; None: it can."""
    if item.get_closest_marker("breaks_nodes"):
        return "it breaks nodes, and those of somebody else's cluster are not for us to break"
    own = item.get_closest_marker("own_cluster")
    if own:
        return str(own.kwargs["because"])
    return NO_STORE if item.get_closest_marker("needs_store") and not is_named() else None


@pytest.hookimpl(tryfirst=True)  # before some of them are deselected
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    take_turns(config, items)
    if os.environ.get("KUBECONFIG") and not is_ours():
        leave_out(config, items)


def take_turns(config: pytest.Config, items: list[pytest.Item]) -> None:
    ours = {path: turn_of(group) for path, group in groupby(items, attrgetter("path")) if FOLDER in path.parents}
    config.stash[TURNS] = ours
    items.sort(key=lambda item: begins(item.path, ours[item.path]) if item.path in ours else (-1,))


@pytest.fixture(scope="module", autouse=True)
def turn(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """For as long as a file lasts, with all that its tests share."""
    own = tmp_path_factory.getbasetemp()
    with taken(request.config.stash[TURNS][request.path], own.parent if "PYTEST_XDIST_WORKER" in os.environ else own):
        yield


def leave_out(config: pytest.Config, items: list[pytest.Item]) -> None:
    """On somebody else's cluster what only ours has is not begun: under `make e2e` a test that skips itself has failed."""
    left_out = [(item, why) for item in items if FOLDER in item.path.parents and (why := needs_ours(item))]
    config.stash[LEFT_OUT] = [(item.nodeid, why) for item, why in left_out]
    dropped = [item for item, _ in left_out]
    config.hook.pytest_deselected(items=dropped)
    items[:] = [item for item in items if item not in dropped]


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Of several processes each knows what is left out, and only the one that has none of the tests prints it."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput[SENT] = session.config.stash.get(LEFT_OUT, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[LEFT_OUT] = [(test, why) for test, why in getattr(node, "workeroutput", {}).get(SENT, [])]


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


def cluster(*words: str) -> None:
    subprocess.run([sys.executable, "-m", "hack.cluster", *words], cwd=ROOT, check=True)


def mend(kube: Kube) -> None:
    found = running.present()
    for machine in found.machines:
        if (state := state_of(machine, found)) != "running":
            FAULTS[{"crashed": "reboot", "frozen": "thaw", "partitioned": "heal"}[state]](machine, found)
    until(lambda: all(map(kube.ready, kube.nodes())), "all nodes are ready again")
