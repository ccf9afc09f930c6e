"""What can be asked of a running topology, for steady states and between faults.

Why: a probe that cannot answer fails with the reason; what cannot be seen is no sign of health.
Called by: `chaos run`, from an experiment's hypothesis and method.
"""

from levee.topology.complaint import Complaint
from levee_chaos import golden, journal, metrics, noticing, sinks, streams, waiting
from levee_chaos.keeping import Keeping, utc_ms
from levee_chaos.refusals import UNKNOWN, Refused, number
from levee_chaos.worlds.finding import find
from levee_chaos.worlds.world import Where, World

__all__ = [
    "corruption_noticed",
    "goes_on",
    "guarantee_met",
    "lag_below",
    "lifecycle_state",
    "no_epoch_lost_or_changed",
    "output_equals_golden",
    "prometheus",
    "ready",
    "recovered",
    "recovery_time",
    "state",
]


def ready(topology: str = "", directory: str = "", namespace: str = "") -> bool:
    """Whether every planned replica works and has done an epoch, as `levee status` says it."""
    return find(Where(topology, directory, namespace)).health().ready


def state(topology: str = "", directory: str = "", namespace: str = "") -> str:
    """What the controller says of the topology, in the word of `levee status`: Settled, NodeLost, TaskFailed, ..."""
    return find(Where(topology, directory, namespace)).reason


def lifecycle_state(topology: str = "", directory: str = "", namespace: str = "") -> str:
    """Where a topology of a cluster is in its life: running, updating, suspended, ... One of this machine is running or refused."""
    return find(Where(topology, directory, namespace)).state


def lag_below(epochs: int, topology: str = "", directory: str = "", namespace: str = "") -> bool:
    """Whether the slowest task is fewer epochs than that behind the newest epoch of a source."""
    return find(Where(topology, directory, namespace)).health().lag_epochs < number("epochs", epochs)


def guarantee_met(epochs: int = 10, topology: str = "", directory: str = "", namespace: str = "") -> bool:
    """Whether the plan's promise holds now, and no task lags by so many epochs: on a cluster by the condition GuaranteeMet.

    A run of this machine has no conditions: there by the surest sign, that every planned replica works. A plan may promise to hold with
    some of them gone.
    """
    run = find(Where(topology, directory, namespace))
    health, told = run.health(), run.guarantee
    if told is not None and told.holds is None:
        fix = "wait until it runs: see kubectl levee status"
        raise Refused(UNKNOWN, [Complaint("GuaranteeMet", f"is not known of {run.topology}: {told.why}", fix)])
    holds = health.is_whole if told is None else bool(told.holds)
    return holds and health.lag_epochs < number("epochs", epochs)


def goes_on(epochs: int = 3, timeout_s: float = 60.0, topology: str = "", directory: str = "", namespace: str = "") -> float:
    """Wait until so many more epochs have come out, whoever is missing; how many seconds that took. Fails after the timeout."""
    where, more = Where(topology, directory, namespace), number("epochs", epochs)
    first = find(where).health().epoch

    def missing_in(world: World) -> Complaint | None:
        epoch = world.health().epoch
        return None if epoch >= first + more else Complaint("output", f"has come from epoch {first} to {epoch} only", "see levee status")

    return waiting.waited(where, missing_in, number("timeout_s", timeout_s), "it has not gone on")


def recovered(timeout_s: float = 120.0, epochs: int = 10, topology: str = "", directory: str = "", namespace: str = "") -> float:
    """Wait until every planned replica works again, none lags by so many epochs, and more has come out; how many seconds that took.

    A fault that ends by itself, as after `for_s`, has ended by then. Fails after the timeout, and says what is missing. Whoever runs the
    topology may be away meanwhile.
    """
    where, most = Where(topology, directory, namespace), number("epochs", epochs)
    first: int | None = None

    def missing_in(world: World) -> Complaint | None:
        nonlocal first
        first = world.health().epoch if first is None else first
        return waiting.missing(world, most, first)

    return waiting.waited(where, missing_in, number("timeout_s", timeout_s), "it has not recovered")


def recovery_time(operator: str = "", topology: str = "", directory: str = "", namespace: str = "") -> float:
    """The longest time in seconds that a stream (of an operator, or any) got no epoch since the newest fault, by the store's stamps."""
    run = find(Where(topology, directory, namespace))
    happened = journal.done(Keeping(run.folder).lines())
    if not happened:
        raise Refused(UNKNOWN, [Complaint("journal", f"no fault has happened to {run.topology} yet", "use it after an action")])
    at_ms, now_ms = happened[-1].at_utc_ms, utc_ms()
    stamps = streams.stamps(run, operator, at_ms)
    if not stamps:
        raise Refused(UNKNOWN, [Complaint("operator", f"'{operator}' has no stream here", "name a source or an operator of the topology")])
    return max(streams.longest_ms(one, at_ms, now_ms) for one in stamps.values()) / 1_000


def no_epoch_lost_or_changed(topology: str = "", directory: str = "", namespace: str = "") -> bool:
    """Whether all epochs since the experiment began are one line with those before, and those before are what they were.

    The control `levee_chaos.controls` remembers them when the experiment begins. Fails with what is wrong, stream by stream.
    """
    run = find(Where(topology, directory, namespace))
    mark = streams.remembered(run, Keeping(run.folder).mark)
    if mark is None:
        fix = "add the control levee_chaos.controls to the experiment, with the same directory and topology"
        raise Refused(UNKNOWN, [Complaint("control", "nobody has remembered the streams before the experiment", fix)])
    if wrong := streams.verdict(mark, streams.streams_of(run, since=streams.since(mark))):
        raise Refused(f"levee-chaos: the streams of {run.topology} are not what they were.\n  " + "\n  ".join(wrong))
    return True


def corruption_noticed(timeout_s: float = 60.0, topology: str = "", directory: str = "", namespace: str = "") -> str:
    """Wait until the object that was corrupted last was noticed, and say how: rebuilt, asked for, or reported. Fails after the timeout."""
    return noticing.waited(Where(topology, directory, namespace), number("timeout_s", timeout_s))


def output_equals_golden(output: str, golden_output: str, topology: str = "", directory: str = "", namespace: str = "") -> bool:
    """Whether the files of a sink have, epoch by epoch, the rows of those of an undisturbed run, as far as both have come.

    Folders, or addresses in an object store (`s3://bucket/out`), for which the Secret of the topology that is named is used.
    Fails with the first epochs that differ.
    """
    where = Where(topology, directory, namespace)
    files = {name: sinks.files_at(name, place, where) for name, place in (("golden_output", golden_output), ("output", output))}
    found = list(golden.differences(golden.files_of(files["golden_output"]), golden.files_of(files["output"])))
    if found:
        raise Refused(f"levee-chaos: {output} is not {golden_output}.\n  " + "\n  ".join(found[: golden.SHOWN]))
    return True


def prometheus(address: str, query: str, holds: str = "> 0") -> bool:
    """Whether all that a PromQL query finds now at the Prometheus of that address compares as said: `< 0.5`, `>= 3`, `== 0`.

    Fails where nothing is found: what is not measured is no sign of health.
    """
    return metrics.holds(address, query, holds)
