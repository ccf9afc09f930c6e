"""A topology that is ended before it began has no last epoch to wait for."""

from pathlib import Path

from tests.serve.plant import PATH, Plant, operator, topology


def test_one_that_is_deleted_while_its_pods_start_is_gone_at_once(tmp_path: Path) -> None:
    plant = Plant(ready=False)
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.run("dispatching")
    one.go_on(2)
    assert plant.pods()
    plant.delete_topology()
    one.run("gone", 20)
    assert PATH not in plant.things
    assert not plant.pods()


def test_another_operator_ends_it_too(tmp_path: Path) -> None:
    plant = Plant(ready=False)
    plant.apply(topology(tmp_path / "store"))
    one = operator(plant)
    one.run("dispatching")
    plant.delete_topology()
    one.run("canceling")
    operator(plant).run("gone", 20)
    assert not plant.pods()
