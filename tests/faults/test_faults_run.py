"""`levee run` itself is killed, or told to stop, and run again."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from levee.cli.main import run as levee
from levee.plans.ending import Exit
from levee.worlds.local import processes
from levee.worlds.local.folder import Folder
from levee.worlds.local.table import read_table
from tests.faults.chain import Wish, resource
from tests.faults.plant import check_undisturbed, planted
from tests.faults.streams import delivered

PATIENCE_S = 600.0  # no test is about how long something takes
ALONE = Wish(nodes=1, replicas=1)


def eventually(holds: Callable[[], bool]) -> None:
    until_s = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until_s, "it never came about"
        time.sleep(0.1)


def started(place: Path) -> "subprocess.Popen[bytes]":
    """The command itself, as people run it."""
    file = place / "chain.yaml"
    file.write_text(resource(place, ALONE))
    command = [str(Path(sys.executable).parent / "levee"), "run", "-f", str(file), "--directory", str(place / "run")]
    with (place / "run.log").open("ab") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def epochs(place: Path) -> int:
    return max(delivered(place / "out"), default=0)


def test_a_run_that_was_killed_or_stopped_goes_on_where_its_streams_ended(tmp_path: Path) -> None:
    first = started(tmp_path)
    try:
        eventually(lambda: epochs(tmp_path) >= 10)
        table = read_table(Folder(tmp_path / "run"))
        assert table is not None
        workers = [one.process for one in table.workers if one.process]
    finally:
        first.kill()
        first.wait()
    assert workers
    eventually(lambda: not any(map(processes.lives, workers)))  # nothing outlives the run
    before = epochs(tmp_path)

    second = started(tmp_path)
    try:
        eventually(lambda: epochs(tmp_path) >= before + 8)
        assert levee(["stop", "--directory", str(tmp_path / "run"), "--timeout", "10m"]) == Exit.OK
        assert second.wait(PATIENCE_S) == Exit.OK
    finally:
        second.kill()
        second.wait()
    last = epochs(tmp_path)

    with planted(tmp_path, ALONE) as plant:
        streams = plant.streams()
        [stop] = {next(one.epoch for one in line if one.position > line[last - 1].position) for line in streams.values()}
        assert stop == last + 1  # all tasks had ended with the same epoch, and it was delivered
    check_undisturbed(tmp_path, plant.streams())
