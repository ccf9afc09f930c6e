"""What a helper pod does, on processes of this machine: it needs no cluster to be tried."""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from threading import Timer
from typing import Any, Self

import pytest

from levee_chaos import packets
from levee_chaos.worlds.kubernetes import helper, helpers
from tests.chaos.toys import until

UID = "3f1a-77"


@pytest.fixture
def sleeper(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """The one process of the pod."""
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"]) as process:
        monkeypatch.setattr(helper, "processes", lambda pods: iter([process.pid] if pods == [UID] and process.poll() is None else []))
        yield process.pid
        process.kill()


def order(do: str, **more: Any) -> dict[str, Any]:
    return {"do": do, "pods": [UID], "for_s": 600, **more}


def test_processes_are_those_of_the_pods_containers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def process(pid: int, groups: str, comm: str, own: str) -> None:
        (tmp_path / str(pid)).mkdir()
        for name, text in (("cgroup", groups), ("comm", comm), ("status", f"Name:\t{comm}\nNSpid:\t{own}\n")):
            (tmp_path / str(pid) / name).write_text(text)

    process(1, "0::/init", "systemd", "1")
    process(20, f"4:memory:/kubepods/burstable/pod{UID}/aaa", "pause", "20 1")
    process(21, f"4:memory:/kubepods/burstable/pod{UID}/bbb", "tini", "21 1")
    process(22, "0::/kubepods.slice/kubepods-pod3f1a_77.slice/cri-containerd-bbb.scope", "java", "22 8")
    process(23, "4:memory:/kubepods/burstable/podffff/ccc", "java", "23 1")
    (tmp_path / "self").mkdir()
    monkeypatch.setattr(helper, "PROC", tmp_path)
    assert sorted(helper.processes([UID])) == [21, 22]
    assert helper.first_of([UID], "bbb") == [21]
    assert helper.first_of([UID], "zzz") == []


def test_who_is_stopped_goes_on_when_it_is_undone(sleeper: int) -> None:
    hand = helper.Stop(order("stop"))
    assert hand.left() == [f"process {sleeper}"]
    hand.go()
    until("it stands still", lambda: hand.left() == [])
    hand.undo()
    hand.undo()
    until("it goes on", lambda: helper.state(sleeper) not in helper.STOPPED)


def test_a_pod_without_processes_is_not_stopped() -> None:
    assert helper.Stop({"pods": ["nobody"]}).left() == ["any process"]


def test_who_is_slowed_stands_still_and_goes_on(sleeper: int) -> None:
    hand = helper.Pace(order("pace", share=0.5))

    def seen() -> bool:
        hand.go()
        return hand.left() == []

    until("it was seen standing still", seen)
    assert helper.state(sleeper) not in helper.STOPPED


def test_a_container_ends_with_its_first_process(sleeper: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helper, "first_of", lambda *_: [sleeper])
    hand = helper.Kill(order("kill", container="c"))
    hand.go()
    until("it is gone", lambda: hand.left() == [])
    monkeypatch.setattr(helper, "first_of", lambda *_: [])
    assert helper.Kill(order("kill", container="c")).left() == ["a container's first process"]


@pytest.mark.parametrize("how", ["told to end", "its time is over"])
def test_a_helper_says_what_it_has_measured_and_undoes_it_at_its_end(
    how: str, sleeper: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    monkeypatch.setattr(helper, "LOOK_S", 0.01)
    if how == "told to end":
        Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
    try:
        assert helper.main(order("stop") | {"for_s": 600 if how == "told to end" else 0.5}) == 0
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert {"left": []} in told
    assert told[-1] == {"undone": True}
    assert helper.state(sleeper) not in helper.STOPPED


def test_its_texts_alone_are_a_program(tmp_path: Path) -> None:
    """As the pod runs them: an image has nothing of this extension."""
    words = [helpers.BEGIN, *helpers.texts(), json.dumps(order("stop") | {"pods": ["nobody"], "for_s": 0.3})]
    ended = subprocess.run([sys.executable, "-I", "-S", "-c", *words], capture_output=True, text=True, check=True, cwd=tmp_path)
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [{"left": ["any process"]}, {"undone": True}]


def test_a_message_to_the_kernel_names_the_address_and_where_it_leads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the kernel understands it is tried on a cluster."""
    sent: list[bytes] = []

    class Kernel:
        def __init__(self, *_: object) -> None: ...

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None: ...

        def send(self, data: bytes) -> None:
            sent.append(data)

        def recv(self, _size: int) -> bytes:
            return bytes(16) + (0 if len(sent) == 1 else -17 % 2**32).to_bytes(4, sys.byteorder)

    monkeypatch.setattr(socket, "socket", Kernel)
    helper.route("10.43.0.1", add=True)
    helper.route("10.43.0.1", add=True)  # it is there: twice is once
    with pytest.raises(OSError, match=r"the route to 10\.43\.0\.1 cannot be removed"):
        helper.route("10.43.0.1", add=False)
    assert bytes([10, 43, 0, 1]) in sent[0]
    assert len(sent[0]) == int.from_bytes(sent[0][:4], sys.byteorder) == 36


# ---- packets: live in tests/e2e/cluster/test_e2e_packets.py


class Line:
    """A queue that nothing passes."""

    def __init__(self, *_: object) -> None:
        self.line, self.ended = packets.Line(packets.Shape(), Random(1)), False

    def end(self) -> None:
        self.ended = True


@pytest.fixture
def connecting(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """How long connections take, one after another; the last again and again."""
    found: list[float | None] = [2.0, 2.0, 2.0]
    monkeypatch.setattr(helper, "took_ms", lambda *_: found.pop(0) if len(found) > 1 else found[0])
    monkeypatch.setattr(helper, "processes", lambda _: iter([1]))
    monkeypatch.setattr(helper, "server_of", lambda _: ("10.43.0.1", 443))
    monkeypatch.setattr(helper, "enter_network", lambda _: None)
    monkeypatch.setattr(helper, "Queue", Line)
    return found


def disturbed(shape: dict[str, float]) -> helper.Packets:
    return helper.Packets(order("packets", shape=shape, sources=[]))


def test_a_delay_has_its_effect_when_connections_take_so_much_longer(connecting: list[float | None]) -> None:
    connecting += [2.0, 202.0]
    hand = disturbed({"delay_s": 0.2})
    hand.go()
    assert hand.left() == ["10.43.0.1: answers after 2 ms"]
    for _ in range(9):
        hand.go()
    assert hand.left() == []
    hand.undo()
    hand.undo()


def test_who_is_cut_off_connects_to_nobody(connecting: list[float | None]) -> None:
    connecting += [2.0, None]
    hand = disturbed({"loss": 1.0})
    hand.go()
    assert hand.left() == ["10.43.0.1: answers"]
    hand.go()
    assert hand.left() == []


@pytest.mark.usefixtures("connecting")
def test_a_loss_has_its_effect_when_a_packet_was_lost() -> None:
    hand = disturbed({"loss": 0.5})
    assert hand.left() == ["any packet"]
    hand.queues[0].line.lost = 1
    assert hand.left() == []


def test_by_whom_does_not_answer_anyway_nothing_can_be_measured(connecting: list[float | None]) -> None:
    connecting[:] = [None]
    hand = disturbed({"loss": 1.0})
    hand.go()
    assert hand.left() == ["10.43.0.1: does not answer anyway"]


def test_the_gateway_is_who_leads_everywhere() -> None:
    routes = "Iface\tDestination\tGateway \tFlags\neth0\t00290A0A\t00000000\t0001\neth0\t00000000\t0102290A\t0003\n"
    assert helper.gateway(routes) == "10.41.2.1"
    assert helper.gateway("Iface\tDestination\tGateway\n") == ""
