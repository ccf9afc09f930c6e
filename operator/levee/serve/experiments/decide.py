"""What one experiment needs next.

Why: every rule that starts, stops or ends one is listed in RULES, so that they are reviewed together; none of them asks anybody anything.
Called by: turning, at every turn; what it says is done in that order, and doing it again changes nothing.
"""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

from levee.experiments.status import Phase
from levee.serve.experiments.actions import Action, Delete, Hold, LetGo, Report, Say, Start, Stop
from levee.serve.experiments.scene import Other, Scene
from levee.topology.wording import describe
from levee.worlds.kubernetes.experiments import Purpose
from levee.worlds.kubernetes.jobs import JobSeen

PATIENCE = timedelta(seconds=30)  # for a topology that was applied together with its experiment
LEAVES_MAX = timedelta(minutes=10)  # whoever deletes an experiment is not kept waiting for ever
NOT_BEGUN_MAX = timedelta(minutes=10)  # for a pod that cannot start


Rule: TypeAlias = Callable[[Scene], tuple[Action, ...] | None]
NOTHING: tuple[Action, ...] = ()


def decide(scene: Scene) -> tuple[Action, ...]:
    for rule in RULES:  # the first that speaks wins
        if (found := rule(scene)) is not None:
            return found
    return NOTHING


# ---- the end


def leave(scene: Scene) -> tuple[Action, ...] | None:
    """It goes when nothing of what it has done stands any more."""
    if scene.leaves_since is None:
        return None
    if not scene.held:
        return NOTHING
    if scene.namespace_goes:
        return (LetGo(),)  # with all pods that anything was done to
    if scene.since(scene.leaves_since) > LEAVES_MAX:
        return (LetGo(f"it could not be undone within {LEAVES_MAX}: {scene.blind or ending_of(scene.undo) or ending_of(scene.run)}"),)
    if scene.told.phase in {None, Phase.PENDING, Phase.REFUSED} or scene.told.undone:
        return (LetGo(),)
    if scene.run is not None and not scene.run.over:
        return (Stop(Purpose.RUN),)
    if (first := undoing(scene)) is not None:
        return first
    return (LetGo("" if is_undone(scene.undo) else f"it may not be undone: {ending_of(scene.undo)}"),)


def undoing(scene: Scene) -> tuple[Action, ...] | None:
    """None: that is over."""
    if scene.blind:
        return NOTHING
    if scene.undo is None:
        return (Start(Purpose.UNDO),)
    return None if scene.undo.over else NOTHING


def live_no_longer(scene: Scene) -> tuple[Action, ...] | None:
    if scene.told.phase is None or not scene.told.phase.is_final:
        return None
    if scene.ttl_s is not None and scene.told.ended is not None and scene.since(scene.told.ended).total_seconds() > scene.ttl_s:
        return (Delete(),)
    return NOTHING


# ---- the beginning


def refuse(scene: Scene) -> tuple[Action, ...] | None:
    """What runs is not stopped by what has changed since."""
    if not scene.complaints or scene.told.phase is Phase.RUNNING:
        return None
    return (
        ended(scene, Phase.REFUSED, "NotValid", describe(f"FaultExperiment {scene.namespace}/{scene.name}", scene.complaints), undone=True),
    )


def wait(scene: Scene) -> tuple[Action, ...] | None:
    """For the topology, and for experiments on it that came before."""
    if scene.told.phase is Phase.RUNNING and (scene.told.job_uid or scene.run is not None):
        return None
    if before := before_of(scene):
        return (Say(Phase.PENDING, "WaitsForAnother", f"{before} is done to the same topology", {"waitsFor": before, "startedAt": None}),)
    if scene.waits:
        return (Say(Phase.PENDING, "WaitsForTopology", scene.waits, {"waitsFor": None, "startedAt": None}),)
    return None


def before_of(scene: Scene) -> str:
    """Who runs comes first, then who came first; the same for whoever looks."""
    mine = Other(scene.name, scene.created, runs=scene.told.phase is Phase.RUNNING)
    first = min((*scene.others, mine), key=lambda one: (not one.runs, one.created, one.name))
    return "" if first is mine else first.name


def begin(scene: Scene) -> tuple[Action, ...] | None:
    """It is held and written down before anything is done; the Job comes with the next turn, which looks whether another one began, too."""
    if scene.told.phase is Phase.RUNNING:
        return None
    started = {"startedAt": scene.now.isoformat(timespec="seconds"), "waitsFor": None}
    return *(() if scene.held else (Hold(),)), Say(Phase.RUNNING, "Starting", "its Job is being made", started)


def start(scene: Scene) -> tuple[Action, ...] | None:
    if scene.run is not None and scene.run.uid is not None and not scene.told.job_uid:
        return (Say(Phase.RUNNING, "Starting", "its Job is there", {"jobUid": scene.run.uid}),)
    return (Start(Purpose.RUN),) if scene.run is None and not scene.told.job_uid else None


# ---- while it runs


def conclude(scene: Scene) -> tuple[Action, ...] | None:
    """Where nobody knows whether it is undone, that comes first."""
    run = scene.run
    if run is not None and not run.over:
        return None
    verdict = run.verdict if run is not None else None
    if verdict is not None and verdict.get("undone"):
        return Report(), of_verdict(scene, verdict, undone=True)
    if run is not None and not run.began and verdict is None:
        return (ended(scene, Phase.INCONCLUSIVE, "NeverStarted", f"its pod never started: {ending_of(run)}", undone=True),)
    if (first := undoing(scene)) is not None:
        return first
    if verdict is not None:
        return Report(), of_verdict(scene, verdict, undone=is_undone(scene.undo))
    lost = f"its Job ended without a verdict: {ending_of(run) or 'somebody has deleted it'}"
    return Report(), ended(scene, Phase.INCONCLUSIVE, "JobLost", lost, undone=is_undone(scene.undo))


def of_verdict(scene: Scene, verdict: Mapping[str, Any], *, undone: bool) -> Say:
    more = {name: verdict[name] for name in ("figures", "steps") if verdict.get(name)}
    said = ended(scene, Phase(verdict["phase"]), str(verdict["reason"]), str(verdict.get("message") or ""), undone=undone)
    return Say(said.phase, said.reason, said.message, {**said.more, **more})


def give_up(scene: Scene) -> tuple[Action, ...] | None:
    """A pod that cannot start keeps its topology from all other experiments."""
    run = scene.run
    if run is None or run.began or scene.since(scene.told.started) < NOT_BEGUN_MAX:
        return None
    wrong = f"its pod did not start within {NOT_BEGUN_MAX}: {ending_of(run)}"
    return Stop(Purpose.RUN), ended(scene, Phase.INCONCLUSIVE, "NeverStarted", wrong, undone=True)


def go_on(scene: Scene) -> tuple[Action, ...] | None:
    run = scene.run
    if run is None:
        return NOTHING
    if run.began:
        return (Say(Phase.RUNNING, "Running", f"pod {run.pod} does it", {}),)
    return (Say(Phase.RUNNING, "Starting", ending_of(run) or "its pod is about to start; see kubectl describe job", {}),)


RULES: tuple[Rule, ...] = (leave, live_no_longer, refuse, wait, begin, start, conclude, give_up, go_on)


def ended(scene: Scene, phase: Phase, reason: str, message: str, *, undone: bool) -> Say:
    at = scene.now.isoformat(timespec="seconds")
    return Say(phase, reason, message, {"endedAt": at, "undone": undone, "waitsFor": None})


def ending_of(job: JobSeen | None) -> str:
    return "" if job is None else job.ending


def is_undone(job: JobSeen | None) -> bool:
    return job is not None and job.verdict is not None and bool(job.verdict.get("undone"))
