"""One experiment, one turn: look, decide, act, and say how it is.

Why: whatever happens, to the experiment, to its Job, to its topology or to the operator, leads here; and nothing is remembered between two
turns but what stands in the resource.
Called by: following, one turn after another.
"""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, assert_never

from levee.experiments.orders import ORDER_MAX, Order
from levee.experiments.rendering import document
from levee.experiments.spec import KIND, Experiment
from levee.experiments.status import Phase
from levee.serve.experiments import reports, status
from levee.serve.experiments.actions import Action, Delete, Hold, LetGo, Report, Say, Start, Stop
from levee.serve.experiments.decide import decide
from levee.serve.experiments.ground import Ground, jobs_path, path_of
from levee.serve.experiments.scene import Scene, moment, told_in
from levee.serve.telling import Teller
from levee.topology.complaint import Complaint
from levee.worlds.kubernetes import names
from levee.worlds.kubernetes.api import Conflict, Denied, Object
from levee.worlds.kubernetes.experiments import Purpose, job, job_name, report_name
from levee.worlds.kubernetes.experiments import report as report_manifest
from levee.worlds.kubernetes.jobs import JobSeen
from levee.worlds.kubernetes.names import Owner

FINALIZER = f"{names.LEVEE}/undo-faults"
TOO_LONG = Complaint("spec.steps", "are too much for one experiment", "make several of them")


@dataclass(slots=True)
class Turning:
    ground: Ground
    owner: Owner
    resource: Object
    teller: Teller = field(init=False)
    experiment: Experiment | None = None
    jobs: dict[Purpose, JobSeen | None] = field(default_factory=dict)
    kept: str = ""  # the name of the report, once it is there

    def __post_init__(self) -> None:
        self.teller = Teller(self.ground.shop.api, self.ground.shop.identity, KIND)

    @property
    def status(self) -> dict[str, Any]:
        found: dict[str, Any] = self.resource.get("status") or {}
        return found

    def turn(self) -> None:
        """A Conflict is somebody else's change: the next turn has seen it."""
        found = self.ground.shop.api.get(path_of(self.owner.namespace, self.owner.name))
        if found is None or found["metadata"]["uid"] != self.owner.uid:
            return
        self.resource = found
        with suppress(Conflict):
            for action in decide(self.look(datetime.now(UTC))):
                self.act(action)

    # ---- look

    def look(self, now: datetime) -> Scene:
        metadata, told = self.resource["metadata"], told_in(self.status)
        scene = Scene(
            self.owner.namespace,
            self.owner.name,
            datetime.fromisoformat(metadata["creationTimestamp"]),
            now,
            told,
            held=FINALIZER in metadata.get("finalizers", ()),
            leaves_since=moment(metadata.get("deletionTimestamp")),
        )
        self.experiment, complaints, waits = self.ground.judged(self.resource, now)
        if scene.leaves_since is not None:
            return self.with_jobs(replace(scene, namespace_goes=self.ground.shop.namespace_goes(self.owner.namespace)))
        if self.experiment is None or (complaints and told.phase is not Phase.RUNNING) or (told.phase is not None and told.phase.is_final):
            ttl_s = None if self.experiment is None else self.experiment.spec.ttl
            return replace(scene, complaints=complaints, ttl_s=ttl_s)
        others = tuple(self.ground.others(self.owner, self.experiment.spec.topology))
        too_long = (TOO_LONG,) if len(self.order().text()) > ORDER_MAX else ()
        return self.with_jobs(replace(scene, complaints=too_long, waits=waits, others=others))

    def with_jobs(self, scene: Scene) -> Scene:
        """Who has never begun has none; and who may not see them any more does not know."""
        if scene.told.phase is None or not scene.held:
            return scene
        try:
            self.jobs = self.ground.jobs(self.owner)
        except Denied as denied:
            return replace(scene, blind=str(denied))
        return replace(scene, run=self.jobs[Purpose.RUN], undo=self.jobs[Purpose.UNDO])

    def order(self) -> Order:
        assert self.experiment is not None, "what is not valid is refused before"
        namespaces = self.ground.namespaces(self.experiment)
        return Order(self.experiment.spec.topology, namespaces, self.experiment.names, document(self.experiment, namespaces))

    # ---- act

    def act(self, action: Action) -> None:
        match action:
            case Hold():
                self.hold([*self.resource["metadata"].get("finalizers", ()), FINALIZER])
            case LetGo(why):
                self.let_go(why)
            case Say():
                self.say(action)
            case Start(purpose):
                self.start(purpose)
            case Stop(purpose):
                self.stop(purpose)
            case Report():
                self.report()
            case Delete():
                metadata = self.resource["metadata"]
                path = path_of(self.owner.namespace, self.owner.name)
                self.ground.shop.api.delete(path, uid=metadata["uid"], version=metadata["resourceVersion"])
            case _:
                assert_never(action)

    def hold(self, finalizers: list[str]) -> None:
        """With the version that was read: others have theirs in the same list."""
        metadata = self.resource["metadata"]
        body = {"metadata": {"finalizers": finalizers, "uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}}
        self.resource = self.ground.shop.api.patch(path_of(self.owner.namespace, self.owner.name), body)

    def let_go(self, why: str) -> None:
        if why:
            self.teller.tell(self.owner, "NotUndone", why, grave=True)
        elif self.status.get("jobUid"):
            self.teller.tell(self.owner, "Undone", "nothing that it has done still stands")
        self.hold([one for one in self.resource["metadata"].get("finalizers", ()) if one != FINALIZER])

    def say(self, said: Say) -> None:
        before, metadata = self.status, self.resource["metadata"]
        now = status.fields(said, before, int(metadata["generation"]), datetime.now(UTC).isoformat(timespec="seconds"))
        now |= {"job": job_name(self.owner, Purpose.RUN)} if now.get("jobUid") else {}
        now |= {"report": self.kept} if self.kept else {}
        if not (changed := status.changed(before, now)):
            return
        body = {"status": changed, "metadata": {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}}
        self.resource = self.ground.shop.api.patch(f"{path_of(self.owner.namespace, self.owner.name)}/status", body)
        if (event := status.event_of(before, now)) is not None:
            self.teller.tell(self.owner, event[0], event[1], grave=event[2])

    def start(self, purpose: Purpose) -> None:
        """What cannot be read any more has nothing that could be undone by it."""
        if self.experiment is None:
            return
        limit_s = self.experiment.spec.safety.time_limit + self.experiment.spec.steady_state.recovery
        made = job(self.owner, purpose, self.order(), self.ground.terms(self.experiment), limit_s)
        self.ground.shop.api.create(jobs_path(self.owner.namespace), made)

    def stop(self, purpose: Purpose) -> None:
        found = self.jobs.get(purpose)
        if found is not None and found.uid is not None and found.version is not None:
            path = jobs_path(self.owner.namespace, job_name(self.owner, purpose))
            self.ground.shop.api.delete(path, uid=found.uid, version=found.version)

    def report(self) -> None:
        """Once; before the verdict is said, so that whoever reads that finds it."""
        run = self.jobs.get(Purpose.RUN)
        if run is None or self.experiment is None:
            return
        output = self.ground.output(self.owner.namespace, run.pod) if run.pod is not None else ""
        data = reports.report(self.order().experiment, output, run.verdict)
        self.ground.shop.api.create(f"/api/v1/namespaces/{self.owner.namespace}/configmaps", report_manifest(self.owner, data))
        self.kept = report_name(self.owner)
