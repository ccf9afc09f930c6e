"""Augmentation: a new lifecycle document with one more method, followed by any engine, and refused by whoever runs topologies."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from levee.fit import stage
from levee.fit.augment import augmented
from levee.fit.generate import generated
from levee.fit.injector import Injector, is_anybodys
from levee.fit.values import Fit
from levee.fit.writing import lifecycle_text
from levee.lifecycle.documents import machine
from levee.lifecycle.handlers import Context, missing_handlers
from levee.lifecycle.load import load
from levee.lifecycle.machine import Machine
from levee.lifecycle.names import EventName, MethodName, StateName
from levee.serve import app, deeds
from tests.fit.texts import fit
from tests.lifecycle.fake import Operator, World, run
from tests.lifecycle.fake import runner as operator_of

JOB = machine("job")


def methods(document: Machine, state: str, event: str) -> Sequence[str]:
    found = document.transition(StateName(state), EventName(event))
    assert found is not None
    return found.do


def test_a_fault_before_or_after_a_method_is_one_more_method_there() -> None:
    before, after = fit(), fit(before="", after="set_the_clock")
    assert methods(augmented(JOB, [before]), "dispatching", "all_ready") == ("inject_1_crash_operator", "set_the_clock")
    assert methods(augmented(JOB, [after]), "dispatching", "all_ready") == ("set_the_clock", "inject_1_crash_operator")


def test_nothing_is_called_after_a_method_that_speaks_so_its_fault_is_prepared_before_it() -> None:
    speaking = fit(state="submitted", transition="admit", before="", after="read_spec")
    document = augmented(JOB, [speaking])
    assert methods(document, "submitted", "admit") == ("inject_1_crash_operator", "read_spec")
    assert document.methods[MethodName("inject_1_crash_operator")].about.startswith("Prepares")


def test_several_faults_at_one_place_stand_in_their_order() -> None:
    first, second = fit(fault="crash_node"), fit(fit="second")
    done = methods(augmented(JOB, [first, second]), "dispatching", "all_ready")
    assert done == ("inject_1_crash_node", "inject_2_crash_operator", "set_the_clock")


def test_nothing_else_is_changed() -> None:
    document = augmented(JOB, [fit()])
    assert augmented(JOB, []) == JOB
    assert (document.states, document.events, document.budget) == (JOB.states, JOB.events, JOB.budget)
    changed = [one for one, other in zip(document.transitions, JOB.transitions, strict=True) if one != other]
    assert [(one.origin, one.when) for one in changed] == [("dispatching", "all_ready")]
    assert set(document.methods) - set(JOB.methods) == {"inject_1_crash_operator"}


@pytest.mark.parametrize("name", ["job", "bounded"])
def test_a_lifecycle_that_is_written_reads_as_the_same(name: str) -> None:
    """And it keeps all its promises."""
    assert load(lifecycle_text(machine(name))).machine == machine(name)
    known = list(generated(machine(name), stage.place().divisible))
    one = next(one for one in known if one.moment.state == "instantiating" and one.moment.method == "start_replicas")
    document = augmented(machine(name), [one])
    assert load(lifecycle_text(document)).machine == document


@pytest.mark.parametrize("name", ["job", "bounded"])
def test_whoever_runs_topologies_refuses_every_augmented_document(name: str) -> None:
    assert deeds.missing(machine(name)) == ()
    for one in generated(machine(name), stage.place().divisible):
        (complaint,) = deeds.missing(augmented(machine(name), [one]))
        assert (complaint.where, complaint.wrong) == (f"methods.inject_1_{one.fault}", "has no handler")


def test_an_operator_that_is_given_one_does_not_start() -> None:
    app.check([JOB])
    with pytest.raises(SystemExit, match=r"methods\.inject_1_crash_operator: has no handler"):
        app.check([JOB, augmented(JOB, [fit()])])


def struck(fits: Sequence[Fit], chance: float = 0.0) -> tuple[Injector, list[tuple[str, int]]]:
    told: list[tuple[str, int]] = []
    return Injector(JOB, fits, lambda one, in_ms: told.append((one.name, in_ms)), lambda: chance), told


def lived(world: World, injector: Injector) -> Operator:
    """The engine as it is, on a world of values that knows nothing of faults."""
    document = augmented(JOB, injector.fits)
    operator = Operator(document, world)
    operator.at_work = operator_of(document, world)
    operator.at_work.handlers = injector.handlers(world.handlers())
    operator.settle()
    return operator


def test_any_engine_comes_by_the_moment_and_lives_on_as_before() -> None:
    injector, told = struck([fit(), fit(fit="after-it", before="", after="set_the_clock")])
    world, calm = World(), World()
    operator = lived(world, injector)
    Operator(JOB, calm).settle()
    assert told == [("dies-before-the-clock-is-set", 0), ("after-it", 0)]
    assert operator.state == "running"
    assert world.left() == calm.left()
    assert missing_handlers(augmented(JOB, injector.fits), injector.handlers(world.handlers())) == ()


def test_only_the_occurrence_that_is_asked_for_counts() -> None:
    injector, told = struck([fit(state="running", transition="edit", before="replan", occurrence="2")])
    world = World()
    operator = lived(world, injector)
    for generation, many in ((2, 0), (3, 1), (4, 1)):
        world.generation = generation
        operator.settle()
        assert len(told) == many


def test_what_is_prepared_comes_when_the_method_has_spoken_and_not_where_it_failed() -> None:
    injector, told = struck([fit(state="submitted", transition="admit", before="", after="read_spec")])
    world = World(fails={"read_spec": RuntimeError("it fails")})
    operator = Operator(augmented(JOB, injector.fits), world)
    operator.at_work = operator_of(operator.machine, world)
    operator.at_work.handlers = injector.handlers(world.handlers())
    operator.turn()
    operator.turn()
    world.fails.clear()
    operator.settle()
    assert (told, operator.state) == ([], "running")  # it was tried again by another transition
    again, told = struck(injector.fits)
    assert lived(World(), again).state == "running"
    assert [name for name, _ in told] == ["dies-before-the-clock-is-set"]


def test_a_timer_is_drawn_from_its_range_and_includes_both_ends() -> None:
    timed = fit(timer="{min: 1s, max: 4s}").timer
    assert [timed.drawn(chance) for chance in (0.0, 0.5, 0.9999)] == [1_000, 2_500, 4_000]
    injector, told = struck([fit(timer="{min: 1s, max: 4s}")], chance=0.5)
    lived(World(), injector)
    assert told == [("dies-before-the-clock-is-set", 2_500)]


def test_half_done_is_when_half_of_it_is_done() -> None:
    injector, told = struck([fit(state="instantiating", transition="written", before="", during="start_replicas")])
    context = Context(MethodName("x"), EventName("written"), StateName("instantiating"), Operator(JOB, World()).world, None)  # type: ignore[arg-type]

    async def starting(context: Context) -> EventName | None:
        for done in range(1, 7):
            injector.acted(MethodName("start_replicas"), done, 6)
            reached.append(len(told))
        assert context is not None
        return None

    reached: list[int] = []
    handlers = injector.handlers({MethodName("start_replicas"): starting})
    run(handlers[MethodName("inject_1_crash_operator")](context))
    run(handlers[MethodName("start_replicas")](context))
    assert reached == [0, 0, 1, 1, 1, 1]


def test_a_document_about_another_topology_has_no_moment_here() -> None:
    one = fit()
    assert is_anybodys(one, "shop/clicks")
    for named, mine in (("shop/clicks", True), ("clicks", True), ("shop/orders", False)):
        assert is_anybodys(replace(one, target=replace(one.target, topology=named)), "shop/clicks") is mine
