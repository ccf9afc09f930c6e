"""Experiments as resources, from being applied to their verdicts: one at a time, nothing that is not allowed, and nothing left behind."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from levee.experiments.checks.around import Permits
from levee.experiments.orders import Order
from levee.serve.experiments import decide
from levee.serve.experiments.release import Release
from levee.worlds.kubernetes.api import Denied
from levee.worlds.kubernetes.experiments import Purpose
from tests.serve.plant import PATH, Killed, Plant
from tests.serve.trials import EXPERIMENTS, JOBS, PASSED, Trials


@pytest.fixture
def trials(tmp_path: Path) -> Trials:
    found = Trials()
    found.has_topology(tmp_path)
    return found


def running(trials: Trials, name: str = "crash", **spec: Any) -> None:
    trials.apply(name, **spec)
    trials.turn(3)
    trials.begin()
    trials.turn()
    assert trials.phase(name) == ("Running", "Running")


# ---- from the beginning to the verdict


def test_it_runs_as_a_job_and_gets_its_verdict_with_numbers(trials: Trials) -> None:
    running(trials)
    told = [{"event": "began"}, {"event": "journal", "journal": "{}"}, {"event": "verdict", "verdict": PASSED}]
    trials.end(PASSED, output="".join(json.dumps(one) + "\n" for one in told) + "for people\n")
    trials.turn()
    status = trials.status()
    assert trials.phase() == ("Passed", "Survived")
    assert status["figures"] == {"faults": 1, "gapSeconds": 0.5}
    assert status["undone"] is True
    assert [trials.condition(kind)[0] for kind in ("Accepted", "Complete", "Passed", "Undone")] == ["True"] * 4
    [report] = trials.reports()
    assert status["report"].startswith("crash-report-")
    assert json.loads(report["verdict.json"]) == PASSED
    assert report["events.jsonl"] == '{"event": "began"}\n'
    assert (report["journal.json"], report["output.txt"]) == ("{}", "for people")
    assert "actions" in report["experiment.yaml"]


@pytest.mark.parametrize(
    ("phase", "passed"),
    [("Passed", "True"), ("Failed", "False"), ("Inconclusive", "Unknown"), ("Refused", "Unknown"), ("Aborted", "Unknown")],
)
def test_each_verdict_is_a_phase_and_a_condition_that_can_be_waited_for(trials: Trials, phase: str, passed: str) -> None:
    running(trials)
    trials.end(PASSED | {"phase": phase, "reason": "Because"})
    trials.turn()
    assert trials.phase() == (phase, "Because")
    assert trials.condition("Passed") == (passed, "Because")
    assert trials.condition("Complete") == ("True", "Because")


def test_its_job_has_the_rights_that_its_steps_need_and_no_others(trials: Trials) -> None:
    def account_of(name: str, *steps: Any) -> tuple[str, Any]:
        trials.apply(name, steps=list(steps))
        trials.turn(2)
        [job] = [one for one in trials.jobs() if one["metadata"]["name"].startswith(f"{name}-run-")]
        spec = job["spec"]["template"]["spec"]
        order = Order.of(spec["containers"][0]["env"][0]["value"])
        trials.delete(name)
        trials.plant.things.pop(f"{JOBS}/{job['metadata']['name']}")
        trials.turn(2)
        trials.begin(Purpose.UNDO)
        trials.end(PASSED, purpose=Purpose.UNDO)
        trials.turn()
        trials.lose(Purpose.UNDO)
        for path in [path for path in trials.plant.things if path.startswith(JOBS)]:
            trials.plant.things.pop(path)
        assert not trials.is_there(name)
        return spec["serviceAccountName"], list(order.namespaces)

    crash: Any = {"action": "crash_replica", "arguments": {"operator": "count"}}
    assert account_of("looks", {"probe": "goes_on"}) == ("levee-chaos-looks", ["shop"])
    assert account_of("pods", {"probe": "goes_on"}, crash) == ("levee-chaos-pods", ["shop"])
    assert account_of("nodes", crash, {"action": "pause_replica", "arguments": {"operator": "count", "for_s": 5}}) == (
        "levee-chaos-nodes",
        ["shop", "levee-system"],
    )


def test_its_pod_is_as_strict_as_can_be_and_is_not_where_it_hits(trials: Trials) -> None:
    trials.apply(steps=[{"action": "crash_node", "arguments": {"node": "node-2"}}])
    trials.turn(2)
    [job] = trials.jobs()
    spec, container = job["spec"]["template"]["spec"], trials.container()
    assert (job["spec"]["backoffLimit"], spec["restartPolicy"]) == (0, "Never")
    assert container["securityContext"]["readOnlyRootFilesystem"] is True
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert spec["securityContext"]["runAsNonRoot"] is True
    terms = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert terms == [{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["node-2"]}]}]
    assert job["metadata"]["ownerReferences"][0]["kind"] == "FaultExperiment"
    assert "levee.dev/topology" not in job["spec"]["template"]["metadata"]["labels"], "it is no worker"


# ---- what does not begin


@pytest.mark.parametrize(
    ("spec", "wrong"),
    [
        ({"topology": "klicks"}, "there is no topology 'klicks' in namespace shop"),
        ({"steps": [{"action": "crash_replica", "arguments": {}}]}, "crash_replica names nobody to hit"),
        ({"steps": [{"action": "crash_replica", "arguments": {"operator": "cound"}}]}, "the topology has no operator 'cound'"),
        ({"steps": [{"action": "crash_node", "arguments": {"node": "node-9"}}]}, "there is no node 'node-9'"),
        ({"safety": {"lostFor": "2h"}}, "all of it may take 30m only"),
    ],
)
def test_what_is_wrong_is_refused_before_anything_happens(
    trials: Trials, spec: dict[str, Any], wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("levee.serve.experiments.ground.PATIENCE", decide.PATIENCE * 0)
    trials.apply(**spec)
    trials.turn(3)
    assert trials.phase() == ("Refused", "NotValid")
    assert wrong in trials.status()["message"]
    assert "Fix: " in trials.status()["message"]
    assert trials.condition("Accepted") == ("False", "NotValid")
    assert trials.jobs() == []
    [(reason, note)] = trials.plant.told()
    assert reason == "Refused"
    assert wrong in note
    trials.delete()
    assert not trials.is_there(), "nothing holds it"


@pytest.mark.parametrize(
    ("permits", "wrong"),
    [
        (Permits(False, (), False), "experiments are not allowed by this release"),
        (Permits(True, ("test",), True), "not allowed in namespace shop, only in test"),
        (Permits(True, (), False), "needs a privileged pod on a node, which this release does not allow"),
    ],
)
def test_what_the_release_does_not_allow_is_refused(tmp_path: Path, permits: Permits, wrong: str) -> None:
    trials = Trials(release=Release(permits, "levee/chaos:test", "levee-chaos"))
    trials.has_topology(tmp_path)
    trials.apply(steps=[{"action": "pause_replica", "arguments": {"operator": "count", "for_s": 5}}])
    trials.turn(2)
    assert trials.phase() == ("Refused", "NotValid")
    assert wrong in trials.status()["message"]
    assert trials.jobs() == []


def test_a_topology_that_is_applied_together_with_it_is_waited_for(tmp_path: Path) -> None:
    trials = Trials()
    trials.apply()
    trials.turn()
    assert trials.phase() == ("Pending", "WaitsForTopology")
    trials.has_topology(tmp_path, "optimizing")
    trials.turn()
    assert trials.phase() == ("Pending", "WaitsForTopology")
    assert "clicks is optimizing" in trials.status()["message"]
    trials.has_topology(tmp_path)
    trials.turn()
    assert trials.phase()[0] == "Running"


def test_the_second_waits_for_the_first_and_says_so(trials: Trials) -> None:
    running(trials, "first")
    trials.apply("second")
    trials.turn(2)
    assert trials.phase("second") == ("Pending", "WaitsForAnother")
    assert trials.status("second")["waitsFor"] == "first"
    assert len(trials.jobs()) == 1
    trials.end(PASSED)
    trials.turn(2)
    assert trials.phase("first")[0] == "Passed"
    assert trials.phase("second")[0] == "Running"
    assert "waitsFor" not in trials.status("second")


def test_an_experiment_on_another_topology_does_not_wait(trials: Trials, tmp_path: Path) -> None:
    running(trials, "first")
    trials.has_topology(tmp_path, name="orders")
    trials.apply("second", topology="orders")
    trials.turn(2)
    assert trials.phase("second")[0] == "Running"


def test_of_two_that_came_within_the_same_second_one_begins(trials: Trials) -> None:
    for name in ("first", "second"):
        trials.apply(name)
        thing = trials.plant.things[f"{EXPERIMENTS}/{name}"]
        trials.plant.put(f"{EXPERIMENTS}/{name}", thing | {"metadata": thing["metadata"] | {"creationTimestamp": "2026-01-01T00:00:00Z"}})
    trials.turn(2)
    assert [trials.phase(name)[0] for name in ("first", "second")] == ["Running", "Pending"]


def test_of_two_that_two_operators_have_begun_at_once_only_one_gets_a_job(trials: Trials) -> None:
    for name in ("first", "second"):
        trials.apply(name)
    for name in ("first", "second"):
        thing = trials.plant.things[f"{EXPERIMENTS}/{name}"]
        metadata = thing["metadata"] | {"finalizers": ["levee.dev/undo-faults"]}
        trials.plant.put(f"{EXPERIMENTS}/{name}", thing | {"metadata": metadata, "status": {"phase": "Running", "reason": "Starting"}})
    trials.turn(3)
    assert [trials.phase(name)[0] for name in ("first", "second")] == ["Running", "Pending"]
    assert len(trials.jobs()) == 1


# ---- what goes wrong


def test_what_runs_goes_on_to_its_verdict_although_its_topology_has_gone(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    running(trials)
    trials.plant.things.pop(PATH)
    monkeypatch.setattr("levee.serve.experiments.ground.PATIENCE", decide.PATIENCE * 0)
    trials.turn(2)
    assert trials.phase() == ("Running", "Running")
    assert trials.jobs(Purpose.UNDO) == []
    trials.end(PASSED | {"phase": "Failed", "reason": "NotSteadyAfter"})
    trials.turn()
    assert trials.phase() == ("Failed", "NotSteadyAfter")


def test_what_is_too_long_for_one_order_is_refused(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("levee.serve.experiments.turning.ORDER_MAX", 100)
    trials.apply()
    trials.turn()
    assert trials.phase() == ("Refused", "NotValid")
    assert "spec.steps: are too much for one experiment" in trials.status()["message"]


def test_a_pod_that_is_killed_is_followed_by_one_that_undoes(trials: Trials) -> None:
    running(trials)
    trials.end(None)
    trials.turn(2)
    assert trials.phase()[0] == "Running", "it is not known yet what stands"
    assert trials.container(Purpose.UNDO)["command"][-1] == "undo"
    trials.begin(Purpose.UNDO)
    trials.end({"phase": "Aborted", "reason": "Undone", "undone": True}, purpose=Purpose.UNDO)
    trials.turn()
    assert trials.phase() == ("Inconclusive", "JobLost")
    assert "OOMKilled" in trials.status()["message"]
    assert trials.condition("Undone") == ("True", "Undone")


def test_a_job_that_somebody_has_deleted_is_not_made_again(trials: Trials) -> None:
    running(trials)
    [job] = trials.jobs()
    trials.plant.remove(f"{JOBS}/{job['metadata']['name']}")
    trials.lose()
    trials.turn()
    assert trials.jobs() == []
    trials.begin(Purpose.UNDO)
    trials.end(None, purpose=Purpose.UNDO)
    trials.turn()
    assert trials.phase() == ("Inconclusive", "JobLost")
    assert trials.condition("Undone") == ("False", "NotUndone")


def test_a_pod_that_never_starts_gives_way_in_the_end(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    trials.apply()
    trials.turn(3)
    pod = trials.plant.things[f"/api/v1/namespaces/shop/pods/{trials.begin()}"]
    waiting = {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}
    pod["status"] = {"phase": "Pending", "containerStatuses": [{"name": "experiment", "state": waiting}]}
    trials.turn()
    assert trials.phase() == ("Running", "Starting")
    assert trials.status()["message"] == "ImagePullBackOff: no such image"
    monkeypatch.setattr(decide, "NOT_BEGUN_MAX", decide.NOT_BEGUN_MAX * 0)
    trials.turn()
    assert trials.phase() == ("Inconclusive", "NeverStarted")
    assert trials.jobs() == []


# ---- its end


def test_deleted_while_it_runs_it_stays_until_it_is_undone(trials: Trials) -> None:
    running(trials)
    trials.delete()
    trials.turn()
    assert trials.jobs() == [], "its Job was told to end, and its pod undoes"
    trials.turn()
    assert trials.jobs(Purpose.UNDO) == [], "its pod is still there"
    trials.lose()
    trials.turn()
    trials.begin(Purpose.UNDO)
    trials.turn()
    assert trials.is_there()
    trials.end({"phase": "Aborted", "reason": "Undone", "undone": True}, purpose=Purpose.UNDO)
    trials.turn()
    assert not trials.is_there()
    assert ("Undone", "nothing that it has done still stands") in trials.plant.told()


def test_deleted_after_its_verdict_it_goes_at_once(trials: Trials) -> None:
    running(trials)
    trials.end(PASSED)
    trials.turn()
    trials.delete()
    trials.turn()
    assert not trials.is_there()
    assert trials.jobs(Purpose.UNDO) == []


def test_a_namespace_that_is_deleted_does_not_hang(trials: Trials) -> None:
    running(trials)
    trials.plant.namespace_goes = True
    trials.delete()
    trials.turn()
    assert not trials.is_there()


def test_what_cannot_be_undone_holds_nobody_for_ever(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    running(trials)
    trials.delete()
    trials.turn()
    trials.lose()
    trials.turn(2)
    assert trials.is_there()
    monkeypatch.setattr(decide, "LEAVES_MAX", decide.LEAVES_MAX * 0)
    trials.turn()
    assert not trials.is_there()
    assert [reason for reason, _ in trials.plant.told()][-1] == "NotUndone"


def test_who_may_not_see_jobs_any_more_lets_go_in_the_end(trials: Trials, monkeypatch: pytest.MonkeyPatch) -> None:
    running(trials)
    trials.delete()

    def forbidden(*_: Any) -> Any:
        raise Denied(403, "Forbidden", "jobs")

    monkeypatch.setattr("levee.serve.experiments.ground.Ground.jobs", forbidden)
    trials.turn()
    assert trials.is_there()
    monkeypatch.setattr(decide, "LEAVES_MAX", decide.LEAVES_MAX * 0)
    trials.turn()
    assert not trials.is_there()


def test_when_its_time_to_live_is_over_it_deletes_itself(trials: Trials) -> None:
    running(trials, ttl="1ms")
    trials.end(PASSED)
    trials.turn()
    assert trials.phase()[0] == "Passed"
    status = trials.status() | {"endedAt": "2026-01-01T00:00:00+00:00"}
    trials.plant.put(f"{EXPERIMENTS}/crash", trials.plant.things[f"{EXPERIMENTS}/crash"] | {"status": status})
    trials.turn(2)
    assert not trials.is_there()


# ---- operators that come and go


def test_wherever_an_operator_dies_the_next_one_goes_on_and_nothing_is_done_twice(tmp_path: Path) -> None:
    for number in range(1, 30):
        died = False
        for carried_out in (False, True):
            trials = Trials(Plant())
            trials.has_topology(tmp_path)
            trials.apply()
            trials.restart((number, carried_out))
            try:
                lived(trials)
            except Killed:
                died = True
                trials.restart()
                lived(trials)
            assert trials.phase() == ("Passed", "Survived"), (number, carried_out)
            assert len(trials.jobs()) == 1
            assert len(trials.reports()) == 1
        if not died:
            return
    raise AssertionError("its life has no end")


def lived(trials: Trials) -> None:
    for _ in range(12):
        trials.turn()
        if trials.jobs() and not trials.plant.pods():
            trials.begin()
        elif trials.phase()[1] == "Running":
            trials.end(PASSED)


def test_nothing_is_written_where_nothing_has_changed(trials: Trials) -> None:
    running(trials)
    before = len(trials.plant.written)
    trials.turn(3)
    assert len(trials.plant.written) == before
    trials.end(PASSED)
    trials.turn()
    before = len(trials.plant.written)
    trials.turn(3)
    assert len(trials.plant.written) == before


# ---- what people read


def test_every_reason_is_explained_on_the_page_of_experiments() -> None:
    root = Path(__file__).parents[2]
    page = (root / "docs" / "experiments.md").read_text(encoding="utf-8")
    files = [root / "chaos" / "levee_chaos" / "verdict.py", *(root / "operator" / "levee" / "serve" / "experiments").glob("*.py")]
    words = {word for file in files for word in re.findall(r'"((?:[A-Z][a-z]+){2,})"', file.read_text(encoding="utf-8"))}
    assert {"NotValid", "NeverFired", "JobLost"} <= words, "the words are found where they stand"
    assert [word for word in sorted(words - OF_PEOPLE) if f"`{word}`" not in page] == []


OF_PEOPLE = {"NothingDone", "Running"}  # they say it themselves
