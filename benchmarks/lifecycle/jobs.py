"""Start topologies on simulated nodes, kill the operator while all is well, and see how long each takes.

Why: it is the experiment of Figure 8 of Towards Autonomic Fault Recovery in System-S, with a real API server, a real store and the real
operator; only the nodes, and what would run in the pods, are simulated.
Called by: take.
"""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass, field
from pathlib import Path
from statistics import mean

from benchmarks.cluster import nodes, operators
from benchmarks.cluster.namespace import Namespace, opened
from benchmarks.cluster.operators import LEADS, SETTLED, Operator
from benchmarks.cluster.rows import Key, Row
from benchmarks.cluster.waiting import Unfinished, await_true, need_memory, say
from benchmarks.lifecycle import exports, resources, rws, standin
from benchmarks.lifecycle.settings import Mode, Size
from benchmarks.lifecycle.states import States, followed
from benchmarks.lifecycle.writes import all_writes
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes.api import Object
from levee.worlds.kubernetes.pods import PORT

LEADS_WITHIN_S, RECOVER_WITHIN_S, REPLACED_WITHIN_S = 120.0, 300.0, 60.0
START_S, START_S_PER_TASK = 300.0, 0.12  # 25 minutes for 10,000
QUIET_S, QUIET_WITHIN_S, LOOK_S, AT_ONCE = 10.0, 120.0, 0.25, 8
WATCHED_S = 20.0  # before the crashes and after each, for writes that should not be


def keys(mode: Mode) -> list[Key]:
    return [astuple(size) for size in mode.rows]


def take(work: Path, count: int, topologies: int, crashes: int, imports: bool) -> Row:
    nodes.simulate(count)
    with opened(kubernetes.connect(lambda *_: None)) as namespace, standin.answering(namespace.name, PORT, work / "standin.log"):
        bench = Bench(namespace, work, made(Size(count, topologies, crashes, imports), namespace))
        try:
            return {"nodes": count} | bench.measured(crashes)
        except Unfinished as why:
            raise Unfinished("; ".join([*bench.reached, str(why)])) from why


def made(size: Size, namespace: Namespace) -> list[Object]:
    if size.imports:
        return rws.rws(namespace.name, namespace.store)
    return resources.jobs(size.topologies, namespace.name, namespace.store)


@dataclass(slots=True)
class Bench:
    namespace: Namespace
    work: Path
    made: list[Object]
    reached: list[str] = field(default_factory=list)  # for the page, where it does not come to its end

    def measured(self, crashes: int) -> Row:
        operator = self.start()
        try:
            operator.await_value(LEADS, 1, LEADS_WITHIN_S)
            found: Row = {"topologies": len(self.made), "tasks": self.tasks, **self.started(operator)}
            await_quiet(operator)
            found |= {"memory_mib": operator.memory_mib(), "pods": len(self.namespace.pods()), **idle(operator)}
            recoveries: list[Row] = []
            for _ in range(crashes):
                operator, row = self.recovered(operator)
                recoveries.append(row)
            found |= {"event_s": self.replaced_s(), "memory_after_mib": operator.memory_mib(), "recoveries": recoveries}
        finally:
            operator.kill()
        return found | {"recover_s": mean(row["recover_s"] for row in recoveries)}

    @property
    def tasks(self) -> int:
        return resources.tasks_of(self.made)

    def start(self) -> Operator:
        return operators.start(self.namespace.name, self.work / "operator.log")

    # ---- to start

    def started(self, operator: Operator) -> Row:
        began_s, cpu_s = time.monotonic(), operator.cpu_s()
        with followed(self.namespace) as states:
            self.apply()
            self.await_running(states)
        start_s = time.monotonic() - began_s
        self.note(f"all {len(self.made)} topologies ran after {start_s:.1f} s")
        operator.await_value(SETTLED, len(self.made), self.patience_s)
        return {"start_s": start_s, "settled_s": time.monotonic() - began_s, "start_cpu_s": operator.cpu_s() - cpu_s}

    def apply(self) -> None:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(self.namespace.apply, self.made))

    def await_running(self, states: States) -> None:
        """Exporters are helped over their first epoch meanwhile."""
        helped = exports.of(self.made, self.namespace.name, self.namespace.store)

        def all_run() -> bool:
            need_memory()
            running = states.running()
            helped.begin(running)
            return len(running) == len(self.made)

        try:
            await_true(all_run, self.patience_s, "all topologies run", look_s=LOOK_S)
        except Unfinished as why:
            raise Unfinished(f"{why}; {len(states.running())} of {len(self.made)} topologies ran by then") from why

    @property
    def patience_s(self) -> float:
        return START_S + START_S_PER_TASK * self.tasks

    def note(self, what: str) -> None:
        say(what)
        self.reached.append(what)

    # ---- to recover

    def recovered(self, before: Operator) -> tuple[Operator, Row]:
        writes, pods = all_writes(self.namespace.api), self.namespace.pods()
        before.kill()
        operator = self.start()
        try:
            row: Row = {"leads_s": operator.await_value(LEADS, 1, LEADS_WITHIN_S)}
            row["recover_s"] = operator.await_value(SETTLED, len(self.made), RECOVER_WITHIN_S)
            row["cpu_s"] = operator.cpu_s()
            self.note(f"recovered after {row['recover_s']:.1f} s")
            time.sleep(WATCHED_S)
            row |= {"writes": all_writes(self.namespace.api) - writes, "own_writes": operator.writes()}
            return operator, row | {"pods_changed": len(pods ^ self.namespace.pods())}
        except BaseException:
            operator.kill()  # nobody else knows of it yet
            raise

    def replaced_s(self) -> float:
        """From the deletion of one pod until another has its place; only its topology's pods are looked at, which are few."""
        topology = str(self.made[0]["metadata"]["name"])
        before = self.namespace.pods(topology)
        name, uid = min(before)
        path = self.namespace.pods_path(name)
        found = self.namespace.api.get(path)
        assert found is not None
        began_s = time.monotonic()
        self.namespace.api.delete(path, uid=uid, version=found["metadata"]["resourceVersion"], grace_s=0)
        await_true(lambda: len(self.namespace.pods(topology) - before) == 1, REPLACED_WITHIN_S, "a lost pod is replaced", look_s=LOOK_S / 5)
        return time.monotonic() - began_s


def await_quiet(operator: Operator) -> None:
    """Until it has written nothing for a while, or does not stop."""
    until_s, before, since_s = time.monotonic() + QUIET_WITHIN_S, operator.writes(), time.monotonic()
    while time.monotonic() - since_s < QUIET_S and time.monotonic() < until_s:
        time.sleep(LOOK_S)
        if (now := operator.writes()) != before:
            before, since_s = now, time.monotonic()


def idle(operator: Operator) -> Row:
    """What it uses, and writes, while nothing happens."""
    cpu_s, writes, began_s = operator.cpu_s(), operator.writes(), time.monotonic()
    time.sleep(WATCHED_S)
    cores = (operator.cpu_s() - cpu_s) / (time.monotonic() - began_s)
    return {"idle_cores": cores, "idle_writes": operator.writes() - writes}
