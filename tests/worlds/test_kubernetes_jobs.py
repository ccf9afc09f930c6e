"""What is seen of an experiment's Job: whether anything of it still works, and what it has said."""

import json
from typing import Any

import pytest

from levee.worlds.kubernetes.jobs import job_seen

VERDICT = {"phase": "Passed", "reason": "Survived", "undone": True}


def job(*conditions: tuple[str, str]) -> Any:
    told = [{"type": kind, "status": "True", "reason": reason, "message": "so it is"} for kind, reason in conditions]
    return {"metadata": {"uid": "u", "resourceVersion": "7"}, "status": {"conditions": told}}


def pod(phase: str = "Running", state: Any = None, *, created: str = "1", leaving: bool = False, node: str = "node-1") -> Any:
    metadata = {"name": f"pod-{created}", "creationTimestamp": created} | ({"deletionTimestamp": "2"} if leaving else {})
    told = [{"name": "experiment", "state": state if state is not None else {"running": {"startedAt": "1"}}}]
    return {"metadata": metadata, "spec": {"nodeName": node}, "status": {"phase": phase, "containerStatuses": told}}


def ended(message: str, code: int = 0) -> Any:
    return {"terminated": {"exitCode": code, "message": message}}


def lives(node: str | None) -> bool:
    return node != "node-3"


def test_where_neither_job_nor_pod_is_there_nothing_is() -> None:
    assert job_seen(None, [], lives) is None


def test_it_works_until_its_pod_has_ended_and_its_job_says_so() -> None:
    works = job_seen(job(), [pod()], lives)
    assert works is not None
    assert (works.over, works.began, works.verdict, works.uid) == (False, True, None, "u")
    told = job_seen(job(), [pod("Succeeded", ended(json.dumps(VERDICT)))], lives)
    assert told is not None
    assert not told.over, "its Job has yet to see it"
    over = job_seen(job(("Complete", "")), [pod("Succeeded", ended(json.dumps(VERDICT)))], lives)
    assert over is not None
    assert (over.over, over.verdict) == (True, VERDICT)


def test_a_pod_that_outlives_its_job_still_works() -> None:
    found = job_seen(None, [pod(leaving=True)], lives)
    assert found is not None
    assert (found.uid, found.over) == (None, False)


def test_of_a_pod_on_a_node_that_is_gone_nobody_will_say_that_it_has_ended() -> None:
    there = job_seen(job(("Failed", "BackoffLimitExceeded")), [pod(node="node-3")], lives)
    gone = job_seen(job(("Failed", "BackoffLimitExceeded")), [pod(node="node-3", leaving=True)], lives)
    assert there is not None and gone is not None
    assert (there.over, gone.over) == (False, True)


@pytest.mark.parametrize("message", ["", "no json", '["a list"]', '{"other": 1}', '{"phase": "Pas'])
def test_what_is_no_verdict_is_none(message: str) -> None:
    found = job_seen(job(("Complete", "")), [pod("Succeeded", ended(message))], lives)
    assert found is not None
    assert found.verdict is None


def test_why_it_has_not_begun_or_how_it_ended_is_told() -> None:
    waiting = {"waiting": {"reason": "ErrImageNeverPull", "message": "there is no image"}}
    starts = job_seen(job(), [pod("Pending", waiting)], lives)
    killed = job_seen(
        job(("Failed", "BackoffLimitExceeded")), [pod("Failed", {"terminated": {"reason": "OOMKilled", "exitCode": 137}})], lives
    )
    never = job_seen(job(("Failed", "DeadlineExceeded")), [], lives)
    assert starts is not None and killed is not None and never is not None
    assert (starts.began, starts.ending) == (False, "ErrImageNeverPull: there is no image")
    assert killed.ending == "OOMKilled with exit code 137"
    assert never.ending == "DeadlineExceeded: so it is"


def test_of_several_pods_the_newest_speaks() -> None:
    found = job_seen(job(), [pod("Failed", ended("", 1)), pod(created="2")], lives)
    assert found is not None
    assert (found.pod, found.over) == ("pod-2", False)
