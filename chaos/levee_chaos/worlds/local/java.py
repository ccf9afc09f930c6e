"""A crash of a worker's Java alone: Python has to notice.

Called by: deeds.
"""

import signal

from levee.topology.complaint import Complaint
from levee.worlds.local import processes
from levee.worlds.local.processes import Process
from levee_chaos.aim import Aimed
from levee_chaos.fault import Fault
from levee_chaos.refusals import NOTHING, Refused
from levee_chaos.worlds.local import signals
from levee_chaos.worlds.local.run import Run


class JavaCrash(signals.Crash):
    @property
    def name(self) -> str:
        return " ".join([self.kind, *(f"{one.pid}@{one.started}" for one in self.processes)])

    def do(self) -> None:
        for one in self.processes:
            processes.send(one, signal.SIGKILL)


def crash_worker(run: Run, fault: Fault, aimed: Aimed) -> signals.Crash:
    """`by: jvm`: its Java only, if it has one; else all of it."""
    if fault.how.get("by") != "jvm":
        return signals.crash(run, fault, aimed)
    hits = signals.hits_of(run, fault, aimed)
    java = tuple(one for one in signals.families(hits) if is_java(one))
    if not java:
        wrong = f"there is no Java in {aimed.what}"
        raise Refused(NOTHING, [Complaint("by", wrong, "leave `by` out")])
    return JavaCrash(fault.kind, hits, java, None)


def is_java(process: Process) -> bool:
    try:
        return (processes.PROC / str(process.pid) / "comm").read_text().strip() == "java"
    except OSError:
        return False
