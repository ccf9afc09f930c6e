"""What the operator's page shows: all topologies as a list, or one of them as its picture.

Why: the one who leads has seen replicas and rates; of what another one leads only the status is known, and then the page says so.
Called by: app, for each question of a page, in the server's threads; it reads what turns have left, and changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from levee.control.seen import Observation
from levee.page.picture.graph import Graph, graph_of
from levee.page.picture.view import Brief, Promised, View
from levee.page.picture.whole import picture
from levee.serve import planning, status
from levee.serve.hub import Hub
from levee.serve.life import Life
from levee.serve.standing import state_now
from levee.worlds.kubernetes.world import KubernetesWorld
from levee.worlds.local.table import RunTable, TaskEntry

STANDS_BY = "this operator stands by: replicas, rates and events are known to the one that leads, whom the Lease levee-operator names"


@dataclass(frozen=True, slots=True)
class Paged:
    hub: Hub

    def picture(self, asked: str) -> Mapping[str, Any]:
        """Of the only topology, where none was asked for."""
        lives = {life.owner.key: life for life in self.hub.lives()}
        chosen = lives.get(asked) if asked or len(lives) != 1 else next(iter(lives.values()))
        at, note = datetime.now(UTC).isoformat(timespec="milliseconds"), "" if self.hub.shop.leads() else STANDS_BY
        if chosen is not None:
            return picture(at, view(chosen), count=len(lives), note=note)
        return picture(at, None, [brief(lives[key]) for key in sorted(lives)], asked=asked, count=len(lives), note=note)


def told_of(life: Life) -> Mapping[str, Any]:
    found: Mapping[str, Any] = life.resource.get("status") or {}
    return found


def brief(life: Life) -> Brief:
    """By its status alone: there may be thousands."""
    told, state = told_of(life), state_now(life.runner, told_of(life))[0]
    conditions = {one["type"]: one["status"] for one in told.get("conditions") or ()}
    replicas = told.get("replicas") or {}
    return Brief(
        life.owner.key,
        state,
        conditions.get("Ready") == "True",
        {"True": True, "False": False}.get(conditions.get("GuaranteeMet", "")),
        told.get("configuration"),
        replicas.get("active"),
        replicas.get("desired"),
        told.get("lagEpochs"),
    )


def view(life: Life) -> View:
    """What has ended has no replicas, though some were seen once."""
    told, state = told_of(life), state_now(life.runner, told_of(life))[0]
    living = state in status.LIVING and life.shop.leads() and not life.stands_by
    world = life.ground.world if living else None
    if world is None:
        return View(table(life, told), Observation(), graph(life), state, tuple(told.get("conditions") or ()))
    known = with_world(table(life, told), life, world)
    return View(known, life.seen, graph(life), state, tuple(told.get("conditions") or ()), world.wanted, promised(life))


def table(life: Life, told: Mapping[str, Any]) -> RunTable:
    """Without the address of its store, which is nobody's business here."""
    ready = any(one["type"] == "Ready" and one["status"] == "True" for one in told.get("conditions") or ())
    return RunTable(life.owner.key, life.owner.uid, "", None, told.get("configuration"), events=tuple(life.teller.told), ready=ready)


def with_world(table: RunTable, life: Life, world: KubernetesWorld) -> RunTable:
    decision, record = life.decision, life.seen.record
    return replace(
        table,
        record=record.number if record is not None else None,
        reason=decision.reason.value if decision is not None else "",
        text=decision.text if decision is not None else "",
        tasks=tuple(TaskEntry(task, wired.inputs, wired.sink) for task, wired in world.book.wiring.tasks.items()),
    )


def graph(life: Life) -> Graph:
    """Of what is in force, where something is."""
    plan = life.ground.plan
    return graph_of(planning.loaded(life.resource if plan is None else plan.resource))


def promised(life: Life) -> Promised | None:
    promise = life.figures.promise if life.figures is not None else None
    return None if promise is None else Promised(promise.wanted, promise.now, promise.holds)
