"""The steps of a trial and of a campaign: whom a fault meets, how it is kept up, and what becomes of trials that cannot be taken."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from levee.control.names import ReplicaName, WorkerName
from levee.fit.verdicts import Verdict
from levee.serve.planning import planned
from levee.topology.graph import Node
from levee.topology.names import ConfigurationName, NodeName, ZoneName
from levee.worlds.local.rows import ReplicaRow
from levee_chaos import inflicting
from levee_chaos.aim import Seen, aim
from levee_chaos.fault import Fault
from levee_chaos.fault import Kind as Deed
from levee_chaos.refusals import Refused
from levee_chaos.verifying import campaign, page, striking, telling
from levee_chaos.verifying.campaign import Campaign
from levee_chaos.verifying.course import Window
from levee_chaos.verifying.driving import NotDrivable
from levee_chaos.verifying.judging import Outcome, Scale
from levee_chaos.verifying.promises import Promise
from levee_chaos.verifying.striking import Strike
from levee_chaos.verifying.subject import homes_of, promised_in, workers_in
from levee_chaos.verifying.taking import Terms
from levee_chaos.verifying.trials import Kind, Trial, trials
from levee_chaos.worlds.world import Where
from tests.chaos.seen import SEEN, row
from tests.chaos.test_verify_judging import course, measured

EXAMPLES = Path(__file__).parents[2] / "examples"
CALM, PEAK = ConfigurationName("calm"), ConfigurationName("peak")
PROMISE = Promise(0.7, 0.4)


def trial(kind: Kind, whom: str, at: ConfigurationName = CALM, dead: Sequence[str] = (), nodes: Sequence[str] = ()) -> Trial:
    return Trial(kind, whom, at, frozenset(map(ReplicaName, dead)), PROMISE, tuple(map(NodeName, nodes)))


@dataclass
class Stage:
    """A topology that is seen and hit, and does nothing of itself."""

    seen: Seen = SEEN
    done: list[Fault] = field(default_factory=list)
    shy: set[str] = field(default_factory=set)  # workers that cannot be hit now

    def inflict(self, fault: Fault, _where: Where) -> None:
        if fault.whom.worker in self.shy:
            raise Refused("levee-chaos: nothing was done.")
        self.done.append(fault)

    def aimed_at(self, fault: Fault, _where: Where) -> tuple[None, object]:
        return None, aim(fault, self.seen)

    def started_again(self, worker: str, status: str = "starting") -> None:
        rows = [replace(one, attempt=one.attempt + 1, status=status) if one.worker == worker else one for one in self.seen.replicas]
        self.seen = Seen(self.seen.topology, tuple(rows), self.seen.nodes)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(striking, "find", lambda _: SimpleNamespace(seen=lambda: made.seen))
    monkeypatch.setattr(inflicting, "inflict", made.inflict)
    monkeypatch.setattr(inflicting, "aimed_at", made.aimed_at)
    return made


def test_of_a_task_its_primary_is_hit_with_all_that_share_its_worker(stage: Stage) -> None:
    met = Strike(trial(Kind.PRIMARY, "vwap/0"), Where()).begin()
    assert [(one.kind, one.whom.worker) for one in stage.done] == [(Deed.CRASH_WORKER, "node-2-0")]
    assert met.dead == {"market/0/1", "vwap/0/1", "vwap/1/0"}


def test_of_a_zone_all_nodes_are_hit_and_none_before_all_are_aimed_at(stage: Stage) -> None:
    met = Strike(trial(Kind.ZONE, "east", nodes=["node-1", "node-3"]), Where()).begin()
    assert [(one.kind, one.whom.node) for one in stage.done] == [(Deed.CRASH_NODE, "node-1"), (Deed.CRASH_NODE, "node-3")]
    assert met.dead == {"market/0/0", "vwap/0/0", "vwap/1/1"}


def test_who_is_dead_for_good_is_killed_and_whoever_comes_in_its_place_is_stopped_once(stage: Stage) -> None:
    strike = Strike(trial(Kind.WORST, "", dead=["market/0/0", "vwap/0/0"]), Where())
    strike.begin()
    strike.hold(9.0)  # it is seen as it was
    assert [one.kind for one in stage.done] == [Deed.CRASH_WORKER]
    stage.started_again("node-1-0", "ended")
    strike.hold(8.0)
    assert len(stage.done) == 1
    stage.started_again("node-1-0")
    stage.shy = {"node-1-0"}
    strike.hold(7.0)  # it is only just being started
    stage.shy = set()
    strike.hold(6.0)
    strike.hold(5.0)
    assert [(one.kind, one.whom.worker, one.for_ms) for one in stage.done[1:]] == [(Deed.PAUSE_REPLICA, "node-1-0", 6_000)]


def test_who_shares_a_worker_with_a_survivor_cannot_die_alone(stage: Stage) -> None:
    with pytest.raises(Refused, match="node-1-0: has vwap/0/0, which is to survive"):
        Strike(trial(Kind.WORST, "", dead=["market/0/0"]), Where()).begin()
    assert stage.done == []


# ---- a campaign


@dataclass
class Configurations:
    entered: list[str] = field(default_factory=list)

    @contextmanager
    def at(self, configuration: ConfigurationName, trials: Sequence[Trial]) -> Iterator[Where]:
        if configuration == PEAK:
            raise NotDrivable("source market is of format kafka")
        self.entered.append(f"{configuration}: {len(trials)}")
        yield Where()


def taken(monkeypatch: pytest.MonkeyPatch, chosen: Sequence[Trial], until_s: float | None = None) -> tuple[list[Outcome], Configurations]:
    configurations = Configurations()
    monkeypatch.setattr(campaign, "find", lambda _: SimpleNamespace(seen=lambda: SEEN))
    monkeypatch.setattr(campaign, "take", lambda one, *_: Outcome(one, Verdict.PASSED))
    made = Campaign(None, configurations, Terms(), lambda _: None, until_s)  # type: ignore[arg-type]
    return list(made.outcomes(chosen)), configurations


def test_every_configuration_is_entered_once_and_one_that_is_not_to_be_had_leaves_its_faults_open(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [trial(Kind.NODE, "node-1"), trial(Kind.NODE, "node-2"), trial(Kind.NODE, "node-1", PEAK)]
    found, configurations = taken(monkeypatch, chosen)
    assert configurations.entered == ["calm: 2"]
    assert [one.verdict for one in found] == [Verdict.PASSED, Verdict.PASSED, Verdict.INCONCLUSIVE]
    assert found[2].why == "configuration peak was not to be had: source market is of format kafka"


def test_after_the_time_limit_no_fault_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    found, _ = taken(monkeypatch, [trial(Kind.NODE, "node-1")], until_s=0.0)
    assert (found[0].verdict, found[0].why) == (Verdict.INCONCLUSIVE, "the time limit was over before its turn")


def test_a_worker_that_has_ended_again_and_again_gets_a_rest_once(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    attempt = {"now": 1}

    def seen() -> Seen:
        return Seen("t", (replace(row("vwap/0/0", "node-1", "primary"), attempt=attempt["now"]),), {})

    monkeypatch.setattr(campaign, "find", lambda _: SimpleNamespace(seen=seen))
    monkeypatch.setattr(time, "sleep", slept.append)
    made = Campaign(None, None, Terms(), lambda _: None)  # type: ignore[arg-type]
    for now in (1, 2, 3, 4, 5, 7):
        attempt["now"] = now
        made.rest(Where())
    assert slept == [campaign.REST_S, campaign.REST_S]
    assert campaign.REST_S == 60


# ---- on a cluster


@pytest.mark.parametrize(("target", "replicated"), [({"completeness": 0.9}, False), ({"budget": 1}, True)])
def test_on_a_cluster_the_plan_in_force_is_what_is_verified(
    target: Mapping[str, float], replicated: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    resource = yaml.safe_load((EXAMPLES / "kubernetes" / "trades.yaml").read_text())
    resource["metadata"]["namespace"] = "shop"
    [source] = resource["spec"]["sources"]
    source["configurations"] = [{"rate": 50}]  # so that the guarantee is the promise of this one
    resource["spec"]["faultTolerance"] = {"target": target, **({"strategy": "fidelity"} if replicated else {})}
    nodes = [Node(NodeName(f"node{number}"), ZoneName(f"zone{number}"), 2.0) for number in (1, 2, 3)]
    written = planned(resource, nodes)
    rows = [pod(f"{task}/{number}", node) for task, on in written.planned.placement.items() for number, node in enumerate(on)]
    rows += [pod("market/0/0", "node1"), pod("market/0/1", "node2")]
    monkeypatch.setattr("levee_chaos.verifying.subject.find", lambda _: SimpleNamespace(seen=lambda: Seen("t", tuple(rows), {})))
    workers = workers_in(Where())
    found = promised_in(written, homes_of(workers))
    assert found.active == written.planned.active
    assert found.problem.placement == written.planned.placement
    assert (found.replicated is not None) == replicated
    every = trials(found, lambda _: workers)
    assert {one.kind for one in every} == {Kind.PRIMARY, Kind.NODE, Kind.WORST}
    [worst] = [one for one in every if one.kind is Kind.WORST]
    if not replicated:
        assert worst.promise.completeness == pytest.approx(written.worth.guarantee)


def pod(replica: str, node: str) -> ReplicaRow:
    return replace(row(replica, node, "secondary"), worker=WorkerName(f"{node}-{replica.replace('/', '-')}"))


# ---- the page


def test_the_page_has_the_table_a_plot_for_each_fault_that_came_and_the_reason_of_one_that_did_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(telling, "heading", lambda _: ["shop/<clicks>"])
    came = Outcome(
        trial(Kind.NODE, "node-1"),
        Verdict.FAILED,
        "60 % < 70 %",
        "node-1 with 2 workers",
        PROMISE,
        measured(0.6),
        course(),
        Window(300, 700),
    )
    never = Outcome(trial(Kind.NODE, "node-2"), Verdict.INCONCLUSIVE, "it was not whole")
    topology = SimpleNamespace(topology=SimpleNamespace(namespace="shop", name="clicks"))
    text = page.page(topology, [came, never], Scale())  # type: ignore[arg-type]
    assert text.count("<svg") == 2
    assert "shop/&lt;clicks&gt;" in text
    assert "60 % &lt; 70 %" in text
    assert "it was not whole" in text
    assert "<td class=bad>Failed</td>" in text
