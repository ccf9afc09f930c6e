"""`kubectl levee profile`: rows are counted by a worker, CPU time is asked for through the API server."""

import subprocess
import sys

import pytest
import yaml

from levee.cli.kube.main import run
from levee.topology.load import load
from levee.topology.names import TaskId
from levee.worlds.kubernetes import companions
from levee_spark.log import ask
from levee_spark.log.requests import PutIfAbsent
from levee_spark.log.values import EpochObject, Kind, Manifest
from levee_spark.store.address import open_store
from levee_spark.store.drive import drive
from levee_spark.store.driver import StoreDriver
from levee_spark.worker.wiring import layout_of
from tests.cli.served_cluster import OWNER, Served, topology
from tests.cli.stage import Ended
from tests.serve.plant import PODS

EPOCHS = 80  # 20 s


@pytest.fixture
def streamed(served: Served) -> Served:
    """Of ten rows of `market` an epoch `count` keeps five; a worker of each."""
    told = topology(served.folder / "store")
    served.add_topology(told, state="running")
    for number in (1, 2):
        served.add_worker(number, {f"count/0/{number - 1}": {}}, told)
    file = served.folder / "topology.yaml"
    file.write_text(companions.text(OWNER, told))
    served.order = {"resource": str(file), "uid": OWNER.uid}
    [loaded] = load(file.read_text(), origin=str(file))
    assert loaded.resource is not None
    layout, driver = layout_of(loaded.resource, OWNER.uid), StoreDriver(open_store((served.folder / "store").as_uri() + "?durable=false"))
    for epoch in range(1, EPOCHS + 1):
        for stream, rows in (("market", 10), ("count", 5)):
            made = EpochObject(Manifest(epoch, Kind.FINAL, rows, "digest", "lineage", 1, "writer"))
            drive(ask.persistently(PutIfAbsent(layout.epoch(TaskId(f"{stream}/0"), epoch), made)), driver)
    driver.close()
    return served


def levee(capfd: pytest.CaptureFixture[str], *args: str) -> Ended:
    code = run(args)
    told = capfd.readouterr()
    return Ended(int(code), told.out, told.err)


@pytest.mark.usefixtures("streamed")
def test_a_descriptor_of_what_runs_on_a_cluster(capfd: pytest.CaptureFixture[str]) -> None:
    ended = levee(capfd, "profile", "clicks", "--for", "100ms")
    assert ended.code == 0, ended.err
    found = yaml.safe_load(ended.out)
    assert found["sources"] == [{"name": "market", "configurations": [{"rate": 40}]}]
    assert found["operators"] == [{"name": "count", "inputs": [{"from": "market", "selectivity": 0.5, "cost": "20us"}]}]


def test_it_is_written_into_a_file_of_the_same_topology_and_no_other(streamed: Served, capfd: pytest.CaptureFixture[str]) -> None:
    mine, other = streamed.folder / "mine.yaml", streamed.folder / "other.yaml"
    text = yaml.safe_dump(topology(streamed.folder / "store"))
    mine.write_text("# mine\n" + text)
    other.write_text(text.replace("name: clicks", "name: other"))
    ended = levee(capfd, "profile", "clicks", "--for", "100ms", "--write", str(mine))
    assert ended.code == 0 and mine.read_text().startswith("# mine\n") and "cost: 20us" in mine.read_text()
    ended = levee(capfd, "profile", "clicks", "--write", str(other))
    assert ended.code == 1 and "describes shop/other" in ended.err


def test_whoever_may_not_ask_workers_has_no_cost(streamed: Served, capfd: pytest.CaptureFixture[str]) -> None:
    for pod in list(streamed.states):
        streamed.refuses[f"{PODS}/{pod}:8080/proxy"] = (403, "Forbidden", "no pods/proxy")
    ended = levee(capfd, "profile", "clicks", "--for", "100ms")
    assert ended.code == 0 and "no worker could be asked for its CPU time" in ended.err
    assert yaml.safe_load(ended.out)["operators"][0]["inputs"][0]["cost"] == "1ms"


def test_without_workers_and_a_store_that_is_elsewhere_it_is_said(served: Served, capfd: pytest.CaptureFixture[str]) -> None:
    served.add_topology(topology(served.folder), state="suspended")
    ended = levee(capfd, "profile", "clicks")
    assert ended.code == 1 and "no worker of shop/clicks runs, and its store is not here" in ended.err


@pytest.mark.usefixtures("streamed")
def test_a_laptop_needs_neither_spark_nor_a_store() -> None:
    without = (
        "import sys; sys.modules.update(dict.fromkeys(('obstore', 'pyarrow', 'pyspark'))); from levee.cli.kube.main import main; main()"
    )
    words = [sys.executable, "-c", without, "profile", "clicks", "--for", "100ms"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
