"""The handlers of a FIT document around those of the operator, as the sample on a cluster has them, on an API server in a dictionary."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from levee.fit.augment import augmented
from levee.fit.generate import generated
from levee.fit.injector import Injector
from levee.fit.library import LIBRARY
from levee.lifecycle.documents import machine
from levee.serve import life
from levee.serve.shop import Shop
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.simulated.living.deeds import DIVISIBLE
from tests.e2e.cluster import fit_operator
from tests.e2e.cluster.test_e2e_fit import LIFE
from tests.serve.plant import PATH, Killed, Plant, operator, topology

JOB = machine("job")
DOCUMENTS = {one.name.removesuffix(".crash_operator"): one for one in generated(JOB, DIVISIBLE, [LIBRARY["crash_operator"]])}
NOWHERE = {"sinks": [{"name": "out", "from": "nowhere", "spark": {"format": "console"}}]}
CHEAPER = {"faultTolerance": {"target": {"completeness": 0.1}}}
PODS, TURNS = 6, 80
PLACES: tuple[tuple[Any, str], ...] = (
    *((life, name) for name in ("document", "handlers")),
    *((KubernetesWorld, name) for name in ("carry_out", "start")),
    *((Shop, name) for name in ("remove_pods", "remove_pod")),
)

Dies = Callable[[str], str]


def test_the_sample_on_a_cluster_has_a_moment_of_every_state_that_can_be_left() -> None:
    assert {DOCUMENTS[name].moment.state for name, _ in LIFE} == {one.origin for one in JOB.transitions}


@pytest.fixture
def plant() -> Plant:
    return Plant()


@pytest.fixture
def dies(plant: Plant, monkeypatch: pytest.MonkeyPatch) -> Dies:
    """An operator that dies at the moment of that document; returned is the state that is stored then."""
    before = [(place, name, getattr(place, name)) for place, name in PLACES]

    def run(name: str) -> str:
        one, fit = operator(plant), DOCUMENTS[name]

        def die(*_: object) -> None:
            one.api.killed = True
            raise Killed

        for before_it in before:  # and afterwards
            monkeypatch.setattr(*before_it)
        fit_operator.arm(Injector(JOB, [fit], die, lambda: 0.0), augmented(JOB, [fit]))
        with pytest.raises(Killed):
            one.go_on(TURNS)
        return str((plant.things[PATH].get("status") or {}).get("state"))

    return run


def test_operators_die_at_the_moments_that_documents_name_and_what_is_stored_is_gone_on_with(
    plant: Plant, dies: Dies, tmp_path: Path
) -> None:
    plant.apply(topology(tmp_path, **NOWHERE))
    assert dies("job.submitted.admit.before-read_spec") == "submitted"
    assert dies("job.parsing.refused.before-settle_data") == "cleanup"
    assert dies("job.cleanup.cleaned") == "failed"
    plant.apply(topology(tmp_path))
    assert dies("job.failed.edit") == "submitted"
    assert dies("job.mapping.mapped.before-make_plan") == "mapping"
    assert dies("job.optimizing.planned.before-write_plan") == "mapping"
    assert dies("job.instantiating.written.during-start_replicas") == "dispatching"
    assert len(plant.born) == PODS // 2
    assert dies("job.dispatching.all_ready.before-set_the_clock") == "running"
    plant.apply(topology(tmp_path, **CHEAPER))
    assert dies("job.running.edit.before-replan") == "updating"
    assert dies("job.updating.planned.after-change_plan") == "updating"
    plant.apply(topology(tmp_path, **CHEAPER, **NOWHERE))
    assert dies("job.reverting.all_ready.before-set_the_clock") == "running"
    assert len(plant.born) == PODS, "each once"
    plant.apply(topology(tmp_path, **CHEAPER))
    plant.delete_topology()
    operator(plant).run("canceling")
    assert plant.ended == []
