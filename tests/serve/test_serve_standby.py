"""An operator that stood by while another one led knows what that one did."""

import asyncio
from pathlib import Path

import pytest

from levee.lifecycle.handlers import Overtaken
from tests.serve.plant import PATH, Operator, Plant, operator, topology


def standing_by(plant: Plant) -> Operator:
    """It has seen the resource when nothing was done yet."""
    one = operator(plant)
    one.shop.leads = lambda: False
    one.go_on(1)
    return one


def lead(one: Operator, former: Operator) -> None:
    former.shop.leads = lambda: False
    one.shop.leads = lambda: True
    one.go_on(4)


def test_a_restart_that_another_has_done_is_not_done_again(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store", restartNonce=3))
    second, first = standing_by(plant), operator(plant)
    plant.watchers = [first.shop.cluster, second.shop.cluster]
    first.run("running")
    first.go_on(3)
    born, before = list(plant.born), len(plant.written)
    lead(second, first)
    assert plant.born == born
    assert not plant.ended
    assert plant.written[before:] == []


def test_what_has_failed_under_another_is_not_begun_again(tmp_path: Path) -> None:
    plant = Plant()
    told = topology(tmp_path / "store")
    told["spec"]["operators"][0]["inputs"][0]["from"] = "nowhere"
    plant.apply(told)
    second, first = standing_by(plant), operator(plant)
    first.run("failed")
    first.go_on(2)
    before = len(plant.written)
    lead(second, first)
    assert second.state() == "failed"
    assert plant.written[before:] == []


def test_who_leads_again_goes_on_by_the_plan_that_another_has_put_in_force(tmp_path: Path) -> None:
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    first = operator(plant)
    first.run("running")
    first.go_on(2)
    second = standing_by(plant)
    plant.watchers = [first.shop.cluster, second.shop.cluster]
    lead(second, first)
    first.go_on(1)
    told = topology(tmp_path / "store")
    told["spec"]["faultTolerance"]["target"] = {"completeness": 0.5}
    plant.apply(told)
    second.go_on(2)
    second.run("running")
    second.go_on(3)
    before = len(plant.written)
    lead(first, second)
    assert plant.written[before:] == []
    assert first.life is not None
    assert first.life.ground.number == 2
    assert first.life.ground.world is not None
    assert first.life.ground.world.record is not None
    assert first.life.ground.world.record.plan == 2


def test_who_has_slept_brings_back_nothing_that_he_knew_before(tmp_path: Path) -> None:
    """He was about to tell of the start; another one has restarted all pods since."""
    plant = Plant()
    plant.apply(topology(tmp_path / "store"))
    first = operator(plant)
    first.run("running")
    assert first.life is not None
    assert first.life.runner.position is not None
    second = standing_by(plant)
    plant.watchers = [first.shop.cluster, second.shop.cluster]
    plant.apply(topology(tmp_path / "store", restartNonce=1))
    lead(second, first)
    second.go_on(4)
    assert (second.state(), len(plant.born)) == ("running", 12)
    first.life.written = {}
    with pytest.raises(Overtaken):
        asyncio.run(first.life.report(first.life.runner.position, first.shop.now()))
    assert plant.things[PATH]["status"]["lifecycle"]["restartNonce"] == 1
    lead(first, second)
    assert len(plant.born) == 12
