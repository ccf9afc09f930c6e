"""What one event costs the controller, by the number of tasks of its topology: in one process, on a store in a folder.

Why: where a turn's time goes must be seen without the network; an event is a pod that is lost and one that comes in its place.
Called by: take.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.cluster.rows import Key, Row
from benchmarks.lifecycle import resources
from benchmarks.lifecycle.settings import Mode
from benchmarks.lifecycle.stub import PlannerHere, StubApi, WellAsker, node, stamp
from levee.serve.life import Life
from levee.serve.records import path
from levee.serve.shop import Shop
from levee.worlds.kubernetes.cluster import Cluster
from levee.worlds.kubernetes.names import Owner

TURNS_MAX, WHOLE_LOOKS = 60, 3


def keys(mode: Mode) -> list[Key]:
    return [(tasks, mode.turns) for tasks in mode.turn_tasks]


def take(work: Path, tasks: int, turns: int) -> Row:
    stage = Stage.make(work, tasks)
    began_s = time.monotonic()
    stage.until_running()
    started_s = time.monotonic() - began_s
    before = stage.api.writes
    quiet = [stage.turn() for _ in range(turns)]
    writes = stage.api.writes - before
    lost = [stage.lose_a_pod() for _ in range(turns)]
    return {
        "tasks": tasks,
        "pods": len(stage.pods()),
        "started_s": started_s,
        "quiet_ms": 1000 * median(quiet),
        "event_ms": 1000 * median(lost),
        "whole_ms": 1000 * median(stage.look_at_whole() for _ in range(WHOLE_LOOKS)),
        "writes": writes,
    }


@dataclass
class Stage:
    api: StubApi
    shop: Shop
    life: Life
    loop: asyncio.AbstractEventLoop
    lost: int = 0

    @staticmethod
    def make(work: Path, tasks: int) -> "Stage":
        api, cluster = StubApi(), Cluster()
        for number in range(max(2, tasks // 10)):
            cluster.keep_node(node(number))
        shop = Shop(api, cluster, PlannerHere(), "bench", asker=WellAsker)  # type: ignore[arg-type]  # a stub
        told = json.loads(json.dumps(resources.wide("wide", "bench", (work / "store").as_uri(), tasks)))
        told["metadata"] |= {"uid": "bench", "generation": 1, "creationTimestamp": stamp()}
        owner = Owner("bench", "wide", "bench")
        return Stage(api, shop, Life(shop, owner, api.put(path(owner), told)), asyncio.new_event_loop())

    def until_running(self) -> None:
        for _ in range(TURNS_MAX):
            self.turn()
            if self.settled():
                return
        raise AssertionError(self.life.resource)

    def settled(self) -> bool:
        position, decision = self.life.runner.position, self.life.decision
        return position is not None and position.state == "running" and decision is not None and not decision.actions

    def turn(self) -> float:
        began_s = time.perf_counter()
        self.loop.run_until_complete(self.life.turn())
        return time.perf_counter() - began_s

    def look_at_whole(self) -> float:
        self.life.look_at_whole()
        return self.turn()

    def lose_a_pod(self) -> float:
        """Until it is replaced and all is well again: two turns, since what was started is seen in the next."""
        self.lost += 1  # another one each time: who is lost again and again is started later and later
        pod = sorted((one for one in self.pods() if "-stage" in name_of(one)), key=name_of)[self.lost]
        ended = {**pod, "status": {"phase": "Failed", "containerStatuses": [terminated()]}}
        self.shop.cluster.keep_pod(self.api.put(f"/api/v1/namespaces/bench/pods/{pod['metadata']['name']}", ended))
        return self.turn() + self.turn()

    def close(self) -> None:
        self.life.ground.access.close()
        self.loop.close()
        self.shop.planner.close()

    def pods(self) -> list[dict[str, Any]]:
        return [dict(thing) for where, thing in self.api.things.items() if "/pods/" in where]


def name_of(pod: dict[str, Any]) -> str:
    name: str = pod["metadata"]["name"]
    return name


def terminated() -> dict[str, object]:
    return {"name": "worker", "state": {"terminated": {"reason": "Error", "exitCode": 1, "finishedAt": stamp(), "message": "it broke"}}}
