"""A topology of Levee under faults: with an active replica, or with a restart from a checkpoint.

Why: one life bears all faults of a way, as in earnest, so that what one of them has broken would show in the next.
Called by: take.
"""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks.chaos import golden, measures
from benchmarks.chaos.faults import BY_NAME, Fault
from benchmarks.chaos.golden import Golden
from benchmarks.chaos.settings import AFTER_EPOCHS, EVEN_EPOCHS, OPTIONS, PERIOD_MS, STRATEGY
from benchmarks.cluster import gaps, nodes, operators
from benchmarks.cluster.namespace import opened
from benchmarks.cluster.operators import LEADS, Operator
from benchmarks.cluster.rows import Key, Row
from benchmarks.cluster.trades import NAME, trades
from benchmarks.cluster.waiting import Unfinished, await_true, say
from benchmarks.cluster.watched import (
    LEADS_WITHIN_S,
    STARTS_WITHIN_S,
    WELL_WITHIN_S,
    Watched,
    bucket,
    labelled,
    operating,
    prepared,
    watched,
)
from benchmarks.streams import machine
from levee.worlds.kubernetes import api as kubernetes
from levee.worlds.kubernetes.api import Object
from levee_chaos import actions, limits, streams
from levee_chaos.refusals import NoEffect, Refused
from levee_chaos.worlds import finding
from levee_chaos.worlds.world import Where, World

BACK_WITHIN_S, OUT_WITHIN_S, AWAY_S, BUSY_S = 240.0, 60.0, 3.0, 1.0
REMEMBERED = 60  # epochs of each stream before a fault


def rows(work: Path, way: str, keys: list[Key], undisturbed: Golden) -> Iterator[tuple[Key, Row]]:
    api = kubernetes.connect(lambda *_: None)
    on = prepared(api)
    with opened(api, "chaos") as namespace, labelled(namespace, on), operating(namespace, work) as operator:
        namespace.apply(trades(STRATEGY[way], namespace.name, namespace.store, on, OPTIONS))
        life = Life(watched(namespace), work, operator, undisturbed)
        life.watched.await_well(STARTS_WITHIN_S, EVEN_EPOCHS)
        limits.limit([namespace.name])
        try:
            for name, number in keys:
                yield (name, number), life.trial(BY_NAME[name], Random(f"{way} {name} {number}"))
        finally:
            life.operator.kill()


@dataclass
class Life:
    watched: Watched
    work: Path
    operator: Operator
    undisturbed: Golden

    def trial(self, fault: Fault, draw: Random) -> Row:
        """A fault may come at any moment of an epoch, anywhere between two checkpoints."""
        life = self.watched
        life.await_well(WELL_WITHIN_S, EVEN_EPOCHS)
        if life.head() > self.undisturbed.epochs - BACK_WITHIN_S * 1000 / PERIOD_MS:
            raise Unfinished("it has lived for longer than the undisturbed run; the next one begins anew")
        mark = {task: one.sealed for task, one in streams.streams_of(self.world(), REMEMBERED).items()}
        busy = machine.cores_used(BUSY_S)
        time.sleep(draw.uniform(0, EVEN_EPOCHS * PERIOD_MS / 1000))
        victim, fault_ms, before = life.primary(), time.time_ns() / 1e6, life.head()
        with ExitStack() as undoing:
            met, struck_ms = self.strike(fault, victim, undoing), time.time_ns() / 1e6
            if fault.lasts_s:
                time.sleep(max(0.0, fault.lasts_s - (time.time_ns() / 1e6 - fault_ms) / 1000))
                self.await_more(time.time_ns() / 1e6 - 1000 * fault.lasts_s)
        undone_ms = time.time_ns() / 1e6
        whole_s = self.await_whole(fault, victim, undone_ms) - fault_ms / 1000
        life.resumed_at = life.head()
        return self.told(fault_ms, struck_ms, before, busy) | {"met": met, "whole_s": whole_s, "changed": self.changed(mark)}

    # ---- the fault

    def strike(self, fault: Fault, victim: Object, undoing: ExitStack) -> str:
        """Whom it has met; undone by the stack."""
        if fault.verbs is not None:
            node = str(victim["spec"]["nodeName"])
            does, undoes = fault.verbs
            undoing.callback(nodes.cluster, undoes, node)
            nodes.cluster(does, node)
            return node
        if not fault.action:
            self.restart_operator()
            return "the operator"
        told = {"topology": NAME, "namespace": self.watched.namespace.name}
        undoing.callback(actions.undo_faults, **told)
        try:
            found = fault.done_by()(**fault.whom, **fault.how, **told)
        except (Refused, NoEffect) as why:
            raise Unfinished(str(why)) from why
        return str(found["met"])

    def restart_operator(self) -> None:
        self.operator.kill()
        time.sleep(AWAY_S)
        self.operator = operators.start(self.watched.namespace.name, self.work / "operator.log")
        self.operator.await_value(LEADS, 1, LEADS_WITHIN_S)

    # ---- afterwards

    def await_more(self, since_ms: float) -> None:
        """Some epochs after that moment."""

        def goes_on() -> bool:
            return sum(at > since_ms for at in self.watched.stamps().values()) >= AFTER_EPOCHS

        await_true(goes_on, BACK_WITHIN_S, "the stream goes on", self.watched.how_it_is)

    def await_whole(self, fault: Fault, victim: Object, undone_ms: float) -> float:
        """Until the stream has gone on and all is as it was; returned is when that was so, in seconds."""
        self.await_more(undone_ms)
        whole_s = 0.0

        def is_whole() -> bool:
            nonlocal whole_s
            whole_s = time.time_ns() / 1e9
            pods = self.watched.pods()
            replaced = not fault.replaces or all(one["metadata"]["uid"] != victim["metadata"]["uid"] for one in pods)
            return replaced and len({one["spec"].get("nodeName") for one in pods}) == len(pods) and self.watched.works()

        await_true(is_whole, BACK_WITHIN_S, "all is as it was", self.watched.how_it_is)
        return whole_s

    def told(self, fault_ms: float, struck_ms: float, before: int, busy: float) -> Row:
        stamps = self.watched.stamps()
        gap, longest = gaps.at(stamps, fault_ms, struck_ms), gaps.longest(stamps, fault_ms)
        say(f"{gap.ms:.0f} ms without an epoch after {gap.after}, at most {longest.ms:.0f} ms until all is as it was")
        return {
            "gap_ms": gap.ms,
            "longest_ms": longest.ms,
            "undisturbed_ms": gaps.before(stamps, fault_ms, EVEN_EPOCHS),
            "late": measures.late(stamps, fault_ms, PERIOD_MS, EVEN_EPOCHS),
            "output": self.compared(before).document(),
            "cores_used": busy,
        }

    def compared(self, before: int) -> measures.Compared:
        """From a while before the fault on; sinks deliver after the stream's head."""
        until, folder = self.watched.head(), bucket() / self.watched.namespace.name / "out"
        await_true(lambda: max(golden.files(folder), default=0) >= until, OUT_WITHIN_S, f"epoch {until} is delivered")
        epochs = range(max(1, before - EVEN_EPOCHS), until + 1)
        found = {epoch: golden.rows(path) for epoch, path in golden.files(folder).items() if epoch in epochs}
        return measures.compared(found, {epoch: self.undisturbed.rows(epoch) for epoch in epochs}, epochs)

    # ---- all streams

    def world(self) -> World:
        return finding.find(Where(NAME, namespace=self.watched.namespace.name))

    def changed(self, mark: Any) -> list[str]:
        """What is wrong with epochs that were final before the fault, and with the line of those that came since."""
        since = {task: min(sealed) for task, sealed in mark.items() if sealed}
        return streams.verdict(mark, streams.streams_of(self.world(), since=since))
