"""The network of pods and the objects of a real topology, disturbed and measured from inside the pods."""

import json
from statistics import median
from typing import Any

import pytest

from levee_chaos import actions, inflicting
from tests.e2e.cluster.test_e2e_chaos import Tormented, chaos, tormented
from tests.e2e.cluster.trades import Trades

__all__ = ["chaos", "tormented"]  # fixtures

pytestmark = [pytest.mark.e2e, pytest.mark.breaks_nodes]

DELAY_MS, TOLERANCE_MS = 200, 60  # of medians, on a machine that is busy
CONNECT = """
import json, os, socket, time
found = []
for _ in range(9):
    began = time.monotonic()
    socket.create_connection((os.environ["KUBERNETES_SERVICE_HOST"], int(os.environ["KUBERNETES_SERVICE_PORT"])), timeout=5).close()
    found.append(1000 * (time.monotonic() - began))
print(json.dumps(found))
"""


def connects_ms(chaos: Tormented, pod: str) -> float:
    """From inside it, to the API server: what comes back passes its own network."""
    told: list[float] = json.loads(chaos.life.kube.run("exec", pod, "--", "python3", "-c", CONNECT))
    return median(told)


def test_the_delay_that_a_pod_measures_is_the_one_that_was_asked_for_and_it_ends(chaos: Tormented) -> None:
    pod = next(iter(chaos.life.watch.there())).name
    node = chaos.life.kube.get("pod", pod)["spec"]["nodeName"]
    before_ms = connects_ms(chaos, pod)
    found = actions.delay_network(120, DELAY_MS, node=node, **chaos.where)
    assert node in str(found["met"])
    assert connects_ms(chaos, pod) - before_ms == pytest.approx(DELAY_MS, abs=TOLERANCE_MS)
    chaos.life.goes_on()
    inflicting.undo_all(chaos.keeping)
    assert connects_ms(chaos, pod) - before_ms < TOLERANCE_MS


def test_it_survives_a_node_that_is_cut_off(chaos: Tormented) -> None:
    node = min({one.node for one in chaos.life.watch.there()})
    chaos.survives("partition-of-a-node", node=node, role="any", for_s="10")


def test_a_corrupt_epoch_is_noticed_and_goes_no_further(chaos: Tormented) -> None:
    """Who reads it says so at once; that it is rebuilt comes later, or is seen first."""
    wait_for_the_silent(chaos.life, "80s")
    found = chaos.survives("corrupt-epoch", operator="aggregator", task="trade-filter/0", for_s="35")
    wait_for_the_silent(chaos.life, None)
    assert output(found, "it-was-noticed").startswith(("re", "a re"))  # reported, rebuilt, a rebuild was asked for


def wait_for_the_silent(life: Trades, so_long: str | None) -> None:
    """On a busy machine the others take seconds for two epochs, and whoever sleeps for as long must not be replaced meanwhile."""
    life.edit({"faultTolerance": {"failureTimeout": so_long}})


def output(journal: dict[str, Any], name: str) -> str:
    return str(next(one["output"] for one in journal["run"] if one["activity"]["name"] == name))


def test_another_state_in_its_status_is_written_anew_and_not_gone_by(chaos: Tormented) -> None:
    born = sorted(one.name for one in chaos.life.watch.there())
    found = chaos.survives("corrupt-status", field="state")
    assert output(found, "it-was-noticed") == "written anew"
    assert (chaos.life.state(), sorted(one.name for one in chaos.life.watch.there())) == ("running", born)


def test_a_corrupt_control_record_is_refused_and_the_others_go_on(chaos: Tormented) -> None:
    found = chaos.survives("corrupt-control-record", operator="aggregator")
    assert output(found, "it-was-noticed").startswith("reported")
