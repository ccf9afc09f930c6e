"""In which phase a worker's process is."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from levee.control.actions import StartWorker
from levee.control.names import Instant, WorkerName
from levee.control.seen import Phase
from levee.topology.names import NodeName
from levee.worlds.local import processes
from levee.worlds.local.worker import LocalWorker, phase_of


@pytest.mark.parametrize(
    ("is_paused", "was_ready", "answers", "phase"),
    [
        (True, False, False, Phase.PAUSED),
        (True, True, False, Phase.PAUSED),
        (False, False, False, Phase.STARTING),
        (False, False, True, Phase.STARTING),
        (False, True, True, Phase.READY),
        (False, True, False, Phase.SILENT),
    ],
)
def test_a_worker_is_silent_only_if_it_has_ever_been_ready(*, is_paused: bool, was_ready: bool, answers: bool, phase: Phase) -> None:
    assert phase_of(is_paused=is_paused, was_ready=was_ready, answers=answers) is phase


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[LocalWorker]:
    popen = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    order = StartWorker(WorkerName("node-1-0"), NodeName("node-1"), (), attempt=1)
    yield LocalWorker(order, "node-1-0.1.1", tmp_path, tmp_path / "log", popen, processes.identify(popen.pid), Instant(0), Instant(0))
    popen.kill()
    popen.wait()


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('{"event": "broke", "error": "Traceback:\\n  File x\\nNoJava: none was found\\n"}\n{"event": "ends"}', "NoJava: none was found"),
        ('{"event": "starts"}\nKilled by nobody knows whom', "Killed by nobody knows whom"),
        ("levee\n  store: the disk is full\n    Fix: make room", "store: the disk is full Fix: make room"),
        ("", ""),
    ],
)
def test_the_last_words_of_a_worker_are_what_it_has_died_of(lines: str, told: str, worker: LocalWorker) -> None:
    worker.log.write_text(lines)
    assert worker.last_words() == told


def paused(worker: LocalWorker) -> None:
    assert worker.popen is not None
    worker.popen.send_signal(signal.SIGSTOP)
    os.waitpid(worker.popen.pid, os.WUNTRACED)


def test_a_worker_that_was_paused_while_it_started_goes_on_starting_and_has_its_time_again(worker: LocalWorker) -> None:
    assert worker.observe(None, Instant(1_000)).phase is Phase.STARTING
    paused(worker)
    assert worker.observe(None, Instant(2_000)).phase is Phase.PAUSED
    assert worker.popen is not None
    worker.popen.send_signal(signal.SIGCONT)
    seen = worker.observe(None, Instant(10_000))
    assert (seen.phase, seen.since) == (Phase.STARTING, 10_000)
    assert worker.observe({"ready": False}, Instant(11_000)).phase is Phase.STARTING
    assert worker.observe({"ready": True}, Instant(12_000)).phase is Phase.READY
    assert worker.observe({"ready": False}, Instant(13_000)).phase is Phase.READY
    assert worker.observe(None, Instant(20_000)).phase is Phase.SILENT
