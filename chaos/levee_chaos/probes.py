"""What can be asked of a running topology, for steady states and between faults.

Why: a probe that cannot answer fails with the reason; what cannot be seen is no sign of health.
Called by: `chaos run`, from an experiment's hypothesis and method.
"""

import time
from pathlib import Path

from levee.topology.complaint import Complaint
from levee.topology.wording import listed
from levee_chaos import golden, journal, streams
from levee_chaos.keeping import Keeping, utc_ms
from levee_chaos.refusals import Refused, number
from levee_chaos.worlds.local_run import Health, find

__all__ = [
    "goes_on",
    "guarantee_met",
    "lag_below",
    "no_epoch_lost_or_changed",
    "output_equals_golden",
    "ready",
    "recovered",
    "recovery_time",
    "state",
]

UNKNOWN = "levee-chaos: it cannot be told."
LOOK_S = 0.2


def ready(topology: str = "", directory: str = "") -> bool:
    """Whether every planned replica works and has done an epoch, as `levee status` says it."""
    return find(directory, topology).table.ready


def state(topology: str = "", directory: str = "") -> str:
    """What the controller says of the topology, in the word of `levee status`: Settled, NodeLost, TaskFailed, ..."""
    return find(directory, topology).table.reason


def lag_below(epochs: int, topology: str = "", directory: str = "") -> bool:
    """Whether the slowest task is fewer epochs than that behind the newest epoch of a source."""
    return find(directory, topology).health().lag_epochs < number("epochs", epochs)


def guarantee_met(epochs: int = 10, topology: str = "", directory: str = "") -> bool:
    """Whether the plan's promise holds now by the surest sign: every planned replica works, and none lags by so many epochs.

    A plan may promise to hold with some of them gone; here that does not count.
    """
    health = find(directory, topology).health()
    return health.is_whole and health.lag_epochs < number("epochs", epochs)


def goes_on(epochs: int = 3, timeout_s: float = 60.0, topology: str = "", directory: str = "") -> float:
    """Wait until so many more epochs have come out, whoever is missing; how many seconds that took. Fails after the timeout."""
    began_s, first = time.monotonic(), find(directory, topology).health().epoch
    while (epoch := find(directory, topology).health().epoch) < first + number("epochs", epochs):
        if time.monotonic() - began_s > timeout_s:
            complaint = Complaint("output", f"has come from epoch {first} to {epoch} only", "see levee status")
            raise Refused(f"levee-chaos: it has not gone on within {timeout_s:g} s.", [complaint])
        time.sleep(LOOK_S)
    return time.monotonic() - began_s


def recovered(timeout_s: float = 120.0, epochs: int = 10, topology: str = "", directory: str = "") -> float:
    """Wait until every planned replica works again, none lags by so many epochs, and more has come out; how many seconds that took.

    Fails after the timeout, and says what is missing.
    """
    began_s, first = time.monotonic(), find(directory, topology).health().epoch
    while True:
        run = find(directory, topology)
        health = run.health()
        if health.is_whole and health.lag_epochs < number("epochs", epochs) and health.epoch > first + 1:
            return time.monotonic() - began_s
        if time.monotonic() - began_s > timeout_s:
            raise Refused(f"levee-chaos: it has not recovered within {timeout_s:g} s.", [missing(health, run.table.reason, epochs, first)])
        time.sleep(LOOK_S)


def recovery_time(operator: str = "", topology: str = "", directory: str = "") -> float:
    """The longest time in seconds that a stream (of an operator, or any) got no epoch since the newest fault, by the store's stamps."""
    run = find(directory, topology)
    happened = journal.done(Keeping(run.folder.path).lines())
    if not happened:
        raise Refused(UNKNOWN, [Complaint("journal", f"no fault has happened to {run.table.topology} yet", "use it after an action")])
    at_ms, now_ms = happened[-1].at_utc_ms, utc_ms()
    stamps = streams.stamps(run, operator, at_ms)
    if not stamps:
        raise Refused(UNKNOWN, [Complaint("operator", f"'{operator}' has no stream here", "name a source or an operator of the topology")])
    return max(streams.longest_ms(one, at_ms, now_ms) for one in stamps.values()) / 1_000


def no_epoch_lost_or_changed(topology: str = "", directory: str = "") -> bool:
    """Whether all epochs since the experiment began are one line with those before, and those before are what they were.

    The control `levee_chaos.controls` remembers them when the experiment begins. Fails with what is wrong, stream by stream.
    """
    run = find(directory, topology)
    mark = streams.remembered(run, Keeping(run.folder.path).mark)
    if mark is None:
        fix = "add the control levee_chaos.controls to the experiment, with the same directory and topology"
        raise Refused(UNKNOWN, [Complaint("control", "nobody has remembered the streams before the experiment", fix)])
    since = {task: min(sealed, default=1) for task, sealed in mark.items()}
    if wrong := streams.verdict(mark, streams.streams_of(run, since=since)):
        raise Refused(f"levee-chaos: the streams of {run.table.topology} are not what they were.\n  " + "\n  ".join(wrong))
    return True


def output_equals_golden(output: str, golden_output: str) -> bool:
    """Whether the files of a sink have, epoch by epoch, the rows of those of an undisturbed run, as far as both have come.

    Fails with the first epochs that differ.
    """
    places = {"output": Path(output), "golden_output": Path(golden_output)}
    if wrong := [Complaint(name, f"{path} is no folder", "name the sink's folder") for name, path in places.items() if not path.is_dir()]:
        raise Refused(UNKNOWN, wrong)
    found = list(golden.differences(golden.files_of(places["golden_output"]), golden.files_of(places["output"])))
    if found:
        raise Refused(f"levee-chaos: {output} is not {golden_output}.\n  " + "\n  ".join(found[: golden.SHOWN]))
    return True


def missing(health: Health, reason: str, epochs: int, first: int) -> Complaint:
    wrong = f"nothing has come out since epoch {first}"
    if not health.is_whole:
        wrong = f"{listed(health.idle[:12], 'and') or 'some planned replica'} does not work ({reason})"
    elif health.lag_epochs >= number("epochs", epochs):
        wrong = f"it is {health.lag_epochs} epochs behind its sources"
    return Complaint("topology", wrong, "see levee status and the logs of its workers")
