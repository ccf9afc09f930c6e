"""What dashboards ask for and what alerts look at is there: asked of a real Prometheus that scrapes the workers of a real `levee run`.

The operator's half is its own registry and server, with values of the test's.
"""

import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import yaml

from levee.worlds.local import asking
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import read_table
from servers.prometheus import Prometheus, prometheus_server
from tests.e2e.conftest import or_skip
from tests.e2e.panels import RULES, queries, rules
from tests.e2e.told import IllWorker, Teller, served
from tests.faults.chain import Wish, resource
from tests.faults.streams import delivered

pytestmark = pytest.mark.e2e
PATIENCE_S = 600.0  # no test is about how long something takes
LIVE, ILL = "tests/chain", "shop/ill"


def at_once(folder: Path) -> Path:
    """The same rules, without waiting."""
    document = yaml.safe_load(RULES.read_text(encoding="utf-8"))
    for group in document["groups"]:
        for rule in group["rules"]:
            rule.pop("for", None)
    (folder / "rules.yaml").write_text(yaml.safe_dump(document), encoding="utf-8")
    return folder / "rules.yaml"


@contextmanager
def live_run(place: Path) -> Iterator[list[str]]:
    """The addresses of its workers, once something has come out."""
    file = place / "chain.yaml"
    file.write_text(resource(place, Wish(checkpoint_every=4)), encoding="utf-8")
    command = [str(Path(sys.executable).parent / "levee"), "run", "-f", str(file), "--directory", str(place / "run"), "--plain"]
    with (place / "run.log").open("wb") as log, subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log) as running:
        try:
            eventually(lambda: max(delivered(place / "out"), default=0) >= 4, (place / "run.log").read_text)
            table = read_table(Folder(place / "run"))
            assert table is not None
            yield [f"127.0.0.1:{asking.port_of(one.directory)}" for one in table.workers]
        finally:
            running.kill()


def eventually(holds: Callable[[], bool], complaint: Callable[[], str]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until_s, complaint()
        time.sleep(0.5)


def has_data(prometheus: Prometheus, asks: str) -> bool:
    """What is no number is no data: a quantile of nothing."""
    return any(not math.isnan(float(one["value"][1])) for one in prometheus.query(asks))


def test_every_panel_and_every_recording_rule_has_data_of_a_topology_that_runs(tmp_path: Path) -> None:
    operator = Teller(LIVE)
    asked = [*queries(LIVE), *((f"record {name}", name) for name in rules("record"))]
    with ExitStack() as stack:
        workers = stack.enter_context(live_run(tmp_path))
        told = stack.enter_context(served(operator.metrics.registry, operator.go_on))
        targets = {"workers": workers, "operator": [told]}
        prometheus, _ = stack.enter_context(or_skip(prometheus_server(targets, [RULES])))

        def silent() -> list[tuple[str, str]]:
            return [(where, asks) for where, asks in asked if not has_data(prometheus, asks)]

        eventually(lambda: not silent(), lambda: "\n".join(f"{where} has no data: {asks}" for where, asks in silent()))
    assert len(asked) > 80


def test_every_alert_fires_for_the_topology_that_is_ill_and_says_so_in_whole_sentences(tmp_path: Path) -> None:
    operator, worker = Teller(LIVE, ILL), IllWorker(ILL)
    with ExitStack() as stack:
        addresses = [stack.enter_context(served(operator.metrics.registry, operator.go_on))]
        addresses.append(stack.enter_context(served(worker.registry, worker.go_on)))
        prometheus, _ = stack.enter_context(or_skip(prometheus_server({"all": addresses}, [at_once(tmp_path)])))
        quiet = {"LeveeOperatorNotReconciling"}
        eventually(lambda: fired(prometheus).keys() >= rules("alert").keys() - quiet, lambda: f"only {fired(prometheus).keys()}")
        operator.leads = False
        eventually(lambda: fired(prometheus).keys() == rules("alert").keys(), lambda: f"only {fired(prometheus).keys()}")
        for alert, texts_of_it in fired(prometheus).items():
            assert not [text for text in texts_of_it if "<" in text or "  " in text], alert
        calm = {one["metric"]["alertname"] for one in prometheus.query(f'ALERTS{{topology="{LIVE}"}}')}
        assert not calm & {"LeveeGuaranteeNotMet", "LeveeInputAboveContract", "LeveeLagGrows", "LeveeDivergence"}


def fired(prometheus: Prometheus) -> dict[str, list[str]]:
    """By the alert's name, what people read."""
    found: dict[str, list[str]] = {}
    for one in prometheus.told("/api/v1/alerts")["alerts"]:
        if one["state"] == "firing":
            found.setdefault(one["labels"]["alertname"], []).extend(one["annotations"].values())
    return found
