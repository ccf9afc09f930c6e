"""The queue of packets on a real kernel: two network namespaces with a wire between them, made for this and gone afterwards."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from levee_chaos import packets
from levee_chaos.worlds.kubernetes import helpers

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.own_cluster(because="it makes network namespaces, as root"),
    pytest.mark.alone(because="it measures milliseconds"),
]

IP = shutil.which("ip") or "ip"
HERE, THERE, SERVER = "10.99.7.1", "10.99.7.2", "10.99.8.1"
TRIES = 9
DELAY_MS, TOLERANCE_MS = 200, 40  # of medians, on a machine that is busy
CONNECT = f"""
import json, socket, time
found = []
for _ in range({TRIES}):
    with socket.socket() as one:
        one.settimeout(0.4)
        began = time.monotonic()
        try:
            one.connect(("{THERE}", 9))
        except ConnectionRefusedError:
            found.append(1000 * (time.monotonic() - began))
        except TimeoutError:
            pass
print(json.dumps(found))
"""
THROUGH = f"""
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
    for _ in range(60):
        one.sendto(bytes(1000), ("{THERE}", 9))
"""


@dataclass(frozen=True)
class Wire:
    near: str  # the names of its two namespaces
    far: str

    def connects_ms(self) -> list[float]:
        """Of each try that came through."""
        told = subprocess.run([IP, "netns", "exec", self.near, sys.executable, "-c", CONNECT], capture_output=True, text=True, check=True)
        found: list[float] = json.loads(told.stdout)
        return found

    @contextmanager
    def queue(self, *words: str) -> Iterator["subprocess.Popen[str]"]:
        command = [IP, "netns", "exec", self.far, sys.executable, "-m", packets.__name__, "--for-s", "60", *words]
        running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            yield running
        finally:
            running.terminate()
            running.communicate()


@pytest.fixture
def wire() -> Iterator[Wire]:
    if os.geteuid():
        pytest.skip("Network namespaces need root.")
    near, far = f"levee-near-{os.getpid()}", f"levee-far-{os.getpid()}"
    for name in (near, far):
        subprocess.run([IP, "netns", "add", name], check=True)
    try:
        ends = {near: HERE, far: THERE}
        subprocess.run([IP, "-n", near, "link", "add", "wire", "type", "veth", "peer", "name", "wire", "netns", far], check=True)
        for name, address in ends.items():
            subprocess.run([IP, "-n", name, "address", "add", f"{address}/24", "dev", "wire"], check=True)
            subprocess.run([IP, "-n", name, "link", "set", "wire", "up"], check=True)
        yield Wire(near, far)
    finally:
        for name in (near, far):
            subprocess.run([IP, "netns", "delete", name], check=True)


def last(running: "subprocess.Popen[str]") -> dict[str, float]:
    running.send_signal(signal.SIGTERM)
    told, _ = running.communicate(timeout=30)
    found: dict[str, float] = json.loads(told.splitlines()[-1])
    return found


def test_the_delay_that_is_measured_is_the_one_that_was_asked_for_and_it_ends(wire: Wire) -> None:
    before_ms = median(wire.connects_ms())
    with wire.queue("--delay-ms", str(DELAY_MS)) as running:
        after_ms = median(wire.connects_ms())
        told = last(running)
    assert after_ms - before_ms == pytest.approx(DELAY_MS, abs=TOLERANCE_MS)
    assert told["heldMs"] == pytest.approx(DELAY_MS, abs=TOLERANCE_MS)
    assert median(wire.connects_ms()) < TOLERANCE_MS


def test_what_comes_from_somebody_else_is_left_alone(wire: Wire) -> None:
    with wire.queue("--from", "10.99.7.77", "--delay-ms", str(DELAY_MS)):
        assert median(wire.connects_ms()) < TOLERANCE_MS
    with wire.queue("--spare", HERE, "--delay-ms", str(DELAY_MS)):
        assert median(wire.connects_ms()) < TOLERANCE_MS
    with wire.queue("--from", HERE, "--delay-ms", str(DELAY_MS)):
        assert median(wire.connects_ms()) > DELAY_MS - TOLERANCE_MS


def test_jitter_spreads_and_a_share_is_lost(wire: Wire) -> None:
    with wire.queue("--delay-ms", "60", "--jitter-ms", "50", "--loss", "0.4") as running:
        found = [*wire.connects_ms(), *wire.connects_ms()]  # that all of them come through, or none, happens once in 10,000 times
        told = last(running)
    assert 0 < len(found) < 2 * TRIES
    assert max(found) - min(found) > 20
    assert 0 < told["lost"] < told["packets"]


def test_a_narrow_line_holds_what_is_too_much_for_it(wire: Wire) -> None:
    with wire.queue("--bytes-per-s", "20000") as running:
        subprocess.run([IP, "netns", "exec", wire.near, sys.executable, "-c", THROUGH], check=True)
        wire.connects_ms()
        told = last(running)
    assert told["packets"] >= 60
    assert told["heldMs"] > 100  # 60 kB take three seconds, so the one in the middle waits for half of that


def test_when_the_queue_is_killed_packets_pass(wire: Wire) -> None:
    with wire.queue("--loss", "1") as running:
        assert wire.connects_ms() == []
        running.kill()
        running.wait()
        assert len(wire.connects_ms()) == TRIES
    with wire.queue():
        assert len(wire.connects_ms()) == TRIES


def test_a_queue_that_somebody_else_has_is_refused(wire: Wire) -> None:
    with wire.queue():
        told = subprocess.run(
            [IP, "netns", "exec", wire.far, sys.executable, "-m", packets.__name__, "--for-s", "1"],
            capture_output=True,
            text=True,
            check=False,
        )
    assert told.returncode == 1
    assert "the kernel gives us no queue 31000" in told.stderr


# ---- as a helper pod does it


@pytest.fixture
def pod(wire: Wire) -> Iterator[str]:
    """A process in the far network and in a group of its own, as a container's; its node is the near one, behind which is an API server."""
    uid = f"uid-{os.getpid()}"
    group = Path("/sys/fs/cgroup/pids") / f"pod{uid}"
    subprocess.run([IP, "-n", wire.near, "address", "add", f"{SERVER}/32", "dev", "wire"], check=True)
    subprocess.run([IP, "-n", wire.far, "route", "add", "default", "via", HERE], check=True)
    told = os.environ | {"KUBERNETES_SERVICE_HOST": SERVER, "KUBERNETES_SERVICE_PORT": "9"}
    group.mkdir()
    with subprocess.Popen([IP, "netns", "exec", wire.far, "sleep", "600"], env=told) as process:
        (group / "cgroup.procs").write_text(str(process.pid))
        yield uid
        process.kill()
    group.rmdir()


def helped(pod: str, for_s: float, shape: dict[str, float], sources: list[str]) -> list[Any]:
    """What a helper with this order says, line by line."""
    order = {"do": "packets", "pods": [pod], "for_s": for_s, "shape": shape, "sources": sources}
    words = ["-I", "-S", "-c", helpers.BEGIN, *helpers.texts(), json.dumps(order)]
    ended = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in ended.stdout.splitlines()]


def test_a_helper_disturbs_the_network_of_a_pod_says_what_it_has_measured_and_undoes_it(wire: Wire, pod: str) -> None:
    slow = helped(pod, 8, {"delay_s": 0.2, "jitter_s": 0.0}, [])
    assert slow[0]["left"][0].startswith(f"{SERVER}: answers after 2")
    assert slow[-2:] == [{"left": []}, {"undone": True}]
    assert median(wire.connects_ms()) < TOLERANCE_MS
    assert helped(pod, 4, {"loss": 1.0}, [])[-2:] == [{"left": []}, {"undone": True}]
    assert len(wire.connects_ms()) == TRIES


def test_a_helper_leaves_alone_what_the_pods_own_node_says(wire: Wire, pod: str) -> None:
    order = {"do": "packets", "pods": [pod], "for_s": 30, "shape": {"loss": 1.0}, "sources": []}
    words = ["-I", "-S", "-c", helpers.BEGIN, *helpers.texts(), json.dumps(order)]
    with subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        assert json.loads(running.stdout.readline()) == {"left": []}
        assert len(wire.connects_ms()) == TRIES
        running.terminate()
