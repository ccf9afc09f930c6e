"""What is seen of an experiment's Job and its pod, and what that has said with its last words.

Called by: serve.experiments, at every turn.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from levee.worlds.kubernetes import seen
from levee.worlds.kubernetes.experiments import CONTAINER

Object: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JobSeen:
    """The Job and its pod, or what of the two is left."""

    uid: str | None  # None: the Job itself is gone
    version: str | None
    over: bool  # no pod of it does anything any more
    pod: str | None  # whose output can be read
    verdict: Object | None = None
    ending: str = ""  # how it ended, or why it has not begun
    began: bool = False


def job_seen(job: Object | None, pods: Sequence[Object], lives: Callable[[str | None], bool]) -> JobSeen | None:
    """None: there is nothing of it. `pods`: of its purpose; `lives`: whether a node does."""
    if job is None and not pods:
        return None
    pod = max(pods, key=lambda one: str(one["metadata"].get("creationTimestamp")), default=None)
    status, told = ({}, {}) if pod is None else (pod.get("status", {}), container_of(pod))
    ended = (told.get("state") or {}).get("terminated") or {}
    working = any(works(one, lives) for one in pods)
    return JobSeen(
        None if job is None else job["metadata"]["uid"],
        None if job is None else job["metadata"]["resourceVersion"],
        not working and (job is None or bool(failure_of(job)) or condition_of(job, "Complete") is not None),
        None if pod is None else pod["metadata"]["name"],
        words_in(str(ended.get("message") or "")),
        failure_of(job) if pod is None else how_it_is(pod, status, told, ended),
        bool({"running", "terminated"} & (told.get("state") or {}).keys()),
    )


def container_of(pod: Object) -> Object:
    told: Sequence[Object] = pod.get("status", {}).get("containerStatuses") or ()
    return next((one for one in told if one["name"] == CONTAINER), {})


def how_it_is(pod: Object, status: Object, told: Object, ended: Object) -> str:
    over = bool(ended) or status.get("phase") in {"Succeeded", "Failed"}
    return seen.how_it_ended(status, {**ended, "message": ""}) if over else seen.why_not_started(pod, told)


def works(pod: Object, lives: Callable[[str | None], bool]) -> bool:
    """Of a node that is gone nobody will ever say that its pods have ended."""
    abandoned = pod["metadata"].get("deletionTimestamp") is not None and not lives(pod["spec"].get("nodeName"))
    return pod.get("status", {}).get("phase") not in {"Succeeded", "Failed"} and not abandoned


def failure_of(job: Object | None) -> str:
    """Its deadline was over, or its pod has gone."""
    failed = None if job is None else condition_of(job, "Failed")
    return "" if failed is None else f"{failed.get('reason', '')}: {failed.get('message', '')}"


def condition_of(job: Object, kind: str) -> Object | None:
    conditions: Sequence[Object] = (job.get("status") or {}).get("conditions") or ()
    return next((one for one in conditions if one["type"] == kind and one["status"] == "True"), None)


def words_in(message: str) -> Object | None:
    try:
        found = json.loads(message)
    except ValueError:
        return None
    return found if isinstance(found, dict) and "phase" in found else None
