"""A sample of the FIT documents that `levee fit generate` writes, on a real cluster: one for each state, and half of the pods.

Why: `levee fit run` tries all of them in virtual time; here the methods, the API server, the pods and the store are the real ones.
Pods are what takes time, so one topology is led through all of it, and its operators die one after the other, each at another moment.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from signal import SIGKILL

import pytest

from levee.fit.generate import generated
from levee.fit.library import LIBRARY
from levee.fit.writing import fit_text
from levee.lifecycle.documents import machine
from levee.worlds.simulated.living.deeds import DIVISIBLE
from tests.e2e.cluster.homes import on_nodes
from tests.e2e.cluster.kube import Kube
from tests.e2e.cluster.one_life import REPLICAS
from tests.e2e.cluster.pod_watch import replicas_of
from tests.e2e.cluster.trades import Trades, compare, living, resource, undisturbed

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.needs_store,
    pytest.mark.alone(because="it counts pods, and a state whose time runs out on a machine that others load begins them anew"),
]

JOB = machine("job")
DOCUMENTS = {one.name: one for one in generated(JOB, DIVISIBLE, [LIBRARY["crash_operator"]])}
PODS = 2
WITH_COPY = sorted([*REPLICAS, "copy/0/0", "copy/0/1"])
STARTS = (REPLICAS, WITH_COPY, WITH_COPY)  # at first, resumed with another graph, and after its end
POD = "fit"  # as the container of one pod: who comes back need not wait for its own lease


@pytest.fixture
def life(kube: Kube, tmp_path: Path) -> Iterator[Trades]:
    """Of few pods, of which one is half."""
    with on_nodes(kube, PODS) as placement, living(kube, tmp_path, make=partial(resource, placement=placement)) as life:
        yield life


# ---- what its user does, while nobody looks after it


def create_nonsense(life: Trades) -> None:
    sink = {"name": "out", "from": "nowhere", "spark": {"format": "parquet", "options": {"path": f"{life.prefix}/out"}}}
    life.create(sinks=[sink])


def read_from(stream: str) -> Callable[[Trades], None]:
    return lambda life: life.patch([{"op": "replace", "path": "/spec/sinks/0/from", "value": stream}], "json")


def want(completeness: float) -> Callable[[Trades], None]:
    return lambda life: life.patch({"spec": {"faultTolerance": {"target": {"completeness": completeness}}}})


def add_a_sink(life: Trades) -> None:
    sink = {"name": "copy", "from": "aggregator", "spark": {"format": "parquet", "options": {"path": f"{life.prefix}/copy"}}}
    life.patch([{"op": "add", "path": "/spec/sinks/-", "value": sink}], "json")


def suspend(life: Trades) -> None:
    """And what was nonsense is put right."""
    read_from("aggregator")(life)
    life.patch({"spec": {"suspend": True}})


def resume(life: Trades) -> None:
    life.patch({"spec": {"suspend": False}})


def complete(life: Trades) -> None:
    """Its sources end, when it has run again for a while; then it is asked to begin anew."""
    operator = life.operators.start(LEVEE_POD=POD)
    life.wait(lambda: life.state() == "running" and life.is_settled(WITH_COPY), "it runs again")
    life.goes_on()
    life.end_its_sources()
    life.wait(lambda: life.state() == "completed", "it has come to its end")
    operator.kill()
    life.patch({"spec": {"restartNonce": 1}})


def run_and_delete(life: Trades) -> None:
    operator = life.operators.start(LEVEE_POD=POD)
    life.wait(lambda: life.state() == "running" and life.is_settled(WITH_COPY), "it runs anew")
    life.goes_on()
    operator.kill()
    life.delete()


def nothing(_: Trades) -> None:
    pass


LIFE: tuple[tuple[str, Callable[[Trades], None]], ...] = (
    ("job.submitted.admit.before-read_spec", create_nonsense),
    ("job.parsing.refused.before-settle_data", nothing),
    ("job.cleanup.cleaned", nothing),
    ("job.failed.edit", read_from("aggregator")),
    ("job.mapping.mapped.before-make_plan", nothing),
    ("job.optimizing.planned.before-write_plan", nothing),
    ("job.instantiating.written.during-start_replicas", nothing),
    ("job.dispatching.all_ready.before-set_the_clock", nothing),
    ("job.running.edit.before-replan", want(0.1)),
    ("job.updating.planned.after-change_plan", nothing),
    ("job.reshaping.stopped.before-replan", add_a_sink),
    ("job.reverting.all_ready.before-set_the_clock", read_from("nowhere")),
    ("job.suspending.stopped.during-remove_replicas", suspend),
    ("job.suspended.resume.before-replan", resume),
    ("job.completed.restart", complete),
    ("job.canceling.stopped.before-release_imports", run_and_delete),
)


def test_whenever_operators_die_the_topology_ends_as_if_nobody_had_and_no_pod_is_created_twice(life: Trades) -> None:
    for name, does in LIFE:
        does(life)
        dies_at(life, name)
        if name.endswith(".during-start_replicas"):
            assert len(life.watch.born()) == PODS // 2, "half of them are there"
        if name.endswith(".during-remove_replicas"):
            assert sum(one.leaving for one in life.watch.born()) == PODS // 2, "half of them are gone"
    life.operators.start(LEVEE_POD=POD)
    life.wait(lambda: not life.is_there and life.watch.there() == [], "it is gone, and its pods")
    assert replicas_of(life.watch.born()) == sorted(one for replicas in STARTS for one in replicas), (
        "each is started once, whenever all are started"
    )
    assert len(life.watch.born()) == PODS * len(STARTS)
    assert life.watch.trials == {}, "no function was another one"
    (last,) = set(life.last_epochs().values())
    compare(life.rows(), undisturbed(last))


def dies_at(life: Trades, name: str) -> None:
    operator = life.operators.start(dies_at=fit_text(DOCUMENTS[f"{name}.crash_operator"]), LEVEE_POD=POD)
    life.wait(lambda: not operator.lives, f"its operator dies: {name}")
    assert operator.process.returncode == -SIGKILL, life.operators.said()
