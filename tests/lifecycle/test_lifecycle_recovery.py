"""One test for each row of the table in docs/lifecycle.md: what a crash leaves behind there, and what recovery does."""

import pytest

from levee.lifecycle.documents import machine
from levee.lifecycle.names import OnFailure
from tests.lifecycle.fake import Operator, World
from tests.lifecycle.scripts import delete, edit, exhaust, redraw, resume, suspend

JOB, BOUNDED = machine("job"), machine("bounded")
PODS = ["index.1.0", "market.1.0", "vwap.1.0"]


def dies(operator: Operator, where: str) -> None:
    """Runs until he comes to the point of that name, and dies there."""
    operator.world.kill_where = where
    for _ in range(300):
        before = len(operator.deaths)
        operator.turn()
        if len(operator.deaths) > before:
            return
        operator.world.tick(60_000)
    raise AssertionError(f"it never came to {where}")


def test_submitted_is_parsed_again() -> None:
    operator = Operator(JOB, World())
    dies(operator, "before read_spec")
    assert operator.state == "submitted"
    operator.settle()
    assert (operator.state, operator.world.created) == ("running", PODS)


@pytest.mark.parametrize("point", ["registered", "before make_plan", "after make_plan", "after write_plan"])
def test_mapping_is_undone_and_mapped_again(point: str) -> None:
    operator = Operator(JOB, World())
    dies(operator, point)
    assert operator.state == "mapping"
    assert operator.world.registrations == [1]
    operator.world.generation = 2  # it was edited during the outage
    operator.settle()
    assert operator.state == "running"
    assert operator.world.registrations == [2]  # the first was taken back
    assert operator.world.plan == 2


def test_dispatching_starts_the_pods_that_are_missing_and_no_other() -> None:
    operator = Operator(JOB, World())
    dies(operator, "created market.1.0")  # two of three
    assert (operator.state, operator.world.created) == ("dispatching", ["index.1.0", "market.1.0"])
    operator.settle()
    assert (operator.state, operator.world.created) == ("running", PODS)


def test_dispatching_goes_on_to_running_where_all_pods_have_started_meanwhile() -> None:
    operator = Operator(JOB, World())
    dies(operator, "after start_replicas")
    operator.world.tick()
    operator.turn()  # recovers
    operator.turn()
    assert (operator.state, operator.world.created) == ("running", PODS)


def running(document: str = "job", **world: object) -> Operator:
    operator = Operator(machine(document), World(**world))  # type: ignore[arg-type]
    operator.settle()
    assert operator.state == "running"
    return operator


def test_running_goes_on_without_a_write_where_nothing_was_lost() -> None:
    operator = running()
    writes, created = list(operator.world.writes), list(operator.world.created)
    operator.at_work = None
    operator.settle()
    assert (operator.state, operator.world.writes, operator.world.created) == ("running", writes, created)


def test_a_pod_lost_during_the_outage_is_restarted_and_not_taken_for_completed() -> None:
    operator = running()
    operator.at_work = None
    operator.world.pods.clear()
    operator.settle()
    assert (operator.state, sorted(operator.world.pods)) == ("running", PODS)


def test_a_topology_that_ended_during_the_outage_is_completed_and_no_pod_is_restarted() -> None:
    operator = running()
    operator.at_work = None
    operator.world.ended_elsewhere = True
    operator.world.tick()
    operator.world.pods.clear()
    operator.settle()
    assert (operator.state, operator.world.pods, operator.world.created) == ("completed", {}, PODS)


def test_running_sets_the_clock_where_the_crash_came_before_it() -> None:
    operator = Operator(JOB, World())
    dies(operator, "before set_the_clock")
    assert (operator.state, operator.world.anchors) == ("running", [])
    operator.settle()
    assert len(operator.world.anchors) == 1


@pytest.mark.parametrize("point", ["after replan", "plan written", "after change_plan", "created market.2.0", "removed index.1.0"])
def test_updating_is_planned_again_and_put_in_force(point: str) -> None:
    operator = running()
    edit(operator.world)
    dies(operator, point)
    assert operator.state == "updating"
    operator.settle()
    assert (operator.state, sorted(operator.world.pods)) == ("running", ["index.2.0", "market.2.0", "vwap.2.0"])
    assert sorted(operator.world.created) == sorted([*PODS, "index.2.0", "market.2.0", "vwap.2.0"])


def test_updating_is_reverted_where_the_nodes_no_longer_suffice_after_the_crash() -> None:
    operator = running()
    edit(operator.world)
    dies(operator, "created market.2.0")
    operator.world.infeasible.add(2)
    operator.settle()
    assert (operator.state, sorted(operator.world.pods), operator.world.plan) == ("running", PODS, 1)


@pytest.mark.parametrize("point", ["before pause_at_epoch", "after pause_at_epoch"])
def test_reshaping_orders_the_pause_once_and_goes_on_with_the_other_graph(point: str) -> None:
    operator = running()
    redraw(operator.world)
    dies(operator, point)
    assert operator.state == "reshaping"
    operator.settle()
    renewed = ["index.2.0", "market.2.0", "vwap.2.0"]
    assert (operator.state, sorted(operator.world.pods), operator.world.log) == ("running", renewed, ("open", 2, 0))
    assert operator.world.created == [*PODS, *renewed]


def test_reshaping_goes_on_as_it_was_where_somebody_never_comes_to_the_last_epoch() -> None:
    operator = running(stop_hangs=True)
    redraw(operator.world)
    dies(operator, "after pause_at_epoch")
    operator.settle()
    assert (operator.state, sorted(operator.world.pods), operator.world.log) == ("running", PODS, ("open", 1, 0))


@pytest.mark.parametrize("point", ["refused", "plan reverted", "after revert_plan", "removed index.2.0"])
def test_reverting_ends_with_the_last_good_plan(point: str) -> None:
    operator = running(stuck={2})
    edit(operator.world)
    dies(operator, point)
    assert operator.state == "reverting"
    operator.settle()
    assert (operator.state, sorted(operator.world.pods), operator.world.plan, operator.world.refused) == ("running", PODS, 1, 2)


@pytest.mark.parametrize("point", ["before pause_at_epoch", "after pause_at_epoch"])
def test_suspending_orders_the_pause_once(point: str) -> None:
    operator = running()
    suspend(operator.world)
    dies(operator, point)
    assert operator.state == "suspending"
    operator.settle()
    assert (operator.state, operator.world.pods, operator.world.log) == ("suspended", {}, ("pause", 1, 0))


def test_suspended_removes_the_pods_that_are_left_and_resumes_with_all() -> None:
    operator = running()
    suspend(operator.world)
    dies(operator, "removed index.1.0")
    assert (operator.state, len(operator.world.pods)) == ("suspended", 2)
    operator.settle()
    assert (operator.state, operator.world.pods) == ("suspended", {})
    resume(operator.world)
    operator.settle()
    assert (operator.state, sorted(operator.world.pods)) == ("running", PODS)


def test_canceling_orders_the_stop_and_starts_no_lost_pod_again() -> None:
    operator = running()
    delete(operator.world)
    dies(operator, "before stop_at_epoch")
    assert operator.state == "canceling"
    operator.world.pods.clear()
    operator.settle()
    assert (operator.state, operator.world.created, operator.world.log) == ("canceled", PODS, ("stop", 1, 0))


@pytest.mark.parametrize("point", ["before remove_replicas", "removed index.1.0", "after forget_plan", "after settle_data"])
def test_cleanup_removes_the_rest(point: str) -> None:
    operator = running()
    delete(operator.world)
    dies(operator, point)
    assert operator.state == "cleanup"
    operator.settle()
    world = operator.world
    assert (operator.state, world.pods, world.plan, world.registrations, world.data) == ("canceled", {}, None, [], False)


def test_completing_starts_lost_pods_again_unless_it_has_ended() -> None:
    operator = running("bounded", stop_hangs=True)
    exhaust(operator.world)
    dies(operator, "after stop_at_epoch")
    assert operator.state == "completing"
    operator.world.pods.clear()
    operator.turn()
    assert sorted(operator.world.pods) == PODS
    operator.world.stop_hangs = False
    operator.settle()
    assert (operator.state, operator.world.pods) == ("completed", {})


@pytest.mark.parametrize("state", ["failed", "canceled", "completed"])
def test_a_final_state_stays_and_nothing_is_done(state: str) -> None:
    operator = running(stuck=set()) if state != "failed" else Operator(JOB, World(broken={1}))
    if state == "canceled":
        delete(operator.world)
    operator.world.ended_elsewhere = state == "completed"
    operator.settle()
    assert operator.state == state
    writes, passed = list(operator.world.writes), len(operator.world.passed)
    operator.at_work = None
    operator.settle()
    assert (operator.state, operator.world.writes) == (state, writes)
    assert set(operator.world.passed[passed:]) == {"before load"}


def test_every_stored_state_has_a_row() -> None:
    for document in (JOB, BOUNDED):
        for state in document.states.values():
            assert bool(state.leaves and state.recovery) is state.persist


# ---- several failures at once


def test_pods_lost_and_a_silent_store_while_the_operator_is_down_cost_no_attempt() -> None:
    operator = running()
    operator.at_work = None
    operator.world.pods.clear()
    operator.world.silent = True
    for _ in range(50):
        operator.turn()
        operator.world.tick(60_000)
    assert (operator.state, sorted(operator.world.pods)) == ("running", PODS)
    operator.world.silent = False
    operator.settle()
    assert operator.world.loaded is not None
    assert (operator.state, operator.world.loaded.record.attempts, len(operator.world.created)) == ("running", 0, 6)


def test_a_silent_api_server_at_restart_changes_nothing() -> None:
    operator = running()
    operator.at_work = None
    operator.world.api_silent = True
    operator.settle()
    writes = list(operator.world.writes)
    operator.world.api_silent = False
    operator.settle()
    assert (operator.state, operator.world.writes, operator.world.created) == ("running", writes, PODS)


def test_a_node_lost_while_recovering_and_a_second_crash() -> None:
    operator = Operator(JOB, World())
    dies(operator, "created market.1.0")
    operator.world.pods.clear()  # with the node
    dies(operator, "created index.1.0")
    operator.world.pods.clear()
    operator.settle()
    assert (operator.state, sorted(operator.world.pods)) == ("running", PODS)


def test_an_edit_a_deletion_and_a_crash_at_once_end_in_canceled() -> None:
    operator = running()
    edit(operator.world)
    dies(operator, "plan written")
    delete(operator.world)
    operator.settle()
    assert (operator.state, operator.world.pods, operator.world.plan) == ("canceled", {}, None)


def test_a_lost_task_cancels_where_its_resource_says_so() -> None:
    operator = Operator(JOB, World(), OnFailure.CANCEL)
    operator.settle()
    operator.world.lost = True
    operator.settle()
    assert (operator.state, operator.world.pods) == ("failed", {})
