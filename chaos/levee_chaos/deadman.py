"""The dead man's process: undoes by the journal when the experiment is gone, however it went, or when a fault's time is over.

Why: a rollback needs a living experiment, and SIGKILL leaves none. This one has a session of its own, so neither Ctrl-C nor the
end of the terminal reaches it; it lives as long as its experiment, or until nothing is left to undo.
Called by: inflicting, before anything that lasts is done: python -m levee_chaos.deadman FOLDER PID STARTED
"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from levee.worlds.local import processes
from levee.worlds.local.folder import taken
from levee.worlds.local.processes import Process
from levee_chaos.journal import Entry, Step, Undo, due
from levee_chaos.keeping import Keeping, now_ms
from levee_chaos.refusals import NotUndone
from levee_chaos.worlds import finding, local

LOOK_S = 0.1
SLOW_S = 0.2  # within that time, whoever is slowed both stands still and goes on
AGAIN_MS = 5_000  # until what could not be undone is tried again
START_S = 60.0  # a busy machine starts Python slowly


class NotThere(Exception):
    """It could not be started."""


# ---- for the experiment


def ensure(keeping: Keeping, experiment: Process) -> None:
    """One for each experiment and run; when this returns, it watches."""
    if is_there(keeping, experiment):
        return
    command = [sys.executable, "-m", "levee_chaos.deadman", str(keeping.folder), str(experiment.pid), experiment.started]
    try:
        ended = subprocess.run(  # noqa: S603
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=START_S, check=False, start_new_session=True
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotThere(f"it did not start: {error}") from None
    if ended.returncode or not is_there(keeping, experiment):
        raise NotThere(f"it ended with exit code {ended.returncode}: {ended.stderr.strip()[-500:]}")


def is_there(keeping: Keeping, experiment: Process) -> bool:
    """It holds a lock for as long as it lives."""
    lock = keeping.lock_of_deadman(experiment.pid)
    if not lock.exists():
        return False
    with lock.open("a") as file:
        return not taken(file.fileno())


# ---- the process


def main(words: list[str]) -> int:
    """It holds the lock before it leaves its parent, so whoever has started it knows."""
    folder, pid, started = words
    keeping, experiment = Keeping(Path(folder)), Process(int(pid), started)
    with keeping.lock_of_deadman(experiment.pid).open("a") as lock:
        if not taken(lock.fileno()) or os.fork():
            return 0
        detach(keeping)
        watch(keeping, experiment)
    return 0


def detach(keeping: Keeping) -> None:
    """Whoever waits for its parent's output waits no longer; what goes wrong here stands in a file."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, lambda *_: None)  # not SIG_IGN: a run that it starts again would ignore them, too
    with (keeping.place / "deadman.log").open("a") as log:
        sys.stdout.flush()
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)


def watch(keeping: Keeping, experiment: Process) -> None:
    again_ms: dict[str, int] = {}
    while True:
        if not keeping.place.exists():
            return  # with the whole run
        alive = processes.lives(experiment)  # looked at first: what it began before its end stands in the journal by now
        slowed = turn(keeping, experiment, again_ms)
        if not alive and not mine(keeping, experiment):
            keeping.lock_of_deadman(experiment.pid).unlink(missing_ok=True)
            return
        pace(keeping, slowed) if slowed else time.sleep(LOOK_S)


def mine(keeping: Keeping, experiment: Process) -> dict[str, Entry]:
    return {name: one for name, one in keeping.standing().items() if one.by == experiment}


def turn(keeping: Keeping, experiment: Process, again_ms: dict[str, int]) -> list[Entry]:
    """Undo what is due, and say what is to be slowed. What cannot be undone now is tried again, from the time in `again_ms` on."""
    with keeping.held():
        for entry, why in list(due(mine(keeping, experiment), now_ms(), processes.lives)):
            if again_ms.get(entry.name, 0) <= now_ms() and not is_undone(keeping, entry, why):
                again_ms[entry.name] = now_ms() + AGAIN_MS
        slowed = [one for one in mine(keeping, experiment).values() if one.share]
        for entry in slowed:  # under the lock, so that nobody is stopped after it was undone
            local.stop(undo_of(entry))
    return slowed


def is_undone(keeping: Keeping, entry: Entry, why: str) -> bool:
    try:
        finding.undo(undo_of(entry))
    except NotUndone as left:
        print(f"{entry.kind}: {entry.what}: {left}", flush=True)  # to deadman.log
        return False
    keeping.say(Step.UNDONE, entry, why)
    return True


def undo_of(entry: Entry) -> Undo:
    assert entry.undo is not None, "what stands can be undone"
    return entry.undo


def pace(keeping: Keeping, slowed: list[Entry]) -> None:
    """The rest of the time they go on; of several the smallest share holds, so that none is slowed more than was asked for."""
    share = min(entry.share for entry in slowed)
    time.sleep(SLOW_S * share)
    with keeping.held():
        for entry in slowed:
            finding.undo(undo_of(entry))
    time.sleep(SLOW_S * (1 - share))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
