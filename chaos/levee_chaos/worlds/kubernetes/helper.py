"""What a helper pod does on its node, by its order.

Why: what no API server can do is done by a pod on the node concerned. This text and that of packets are all that it runs, in an image that
the node has anyway, so they need nothing but Python. It says what it has measured, and undoes what it does when it is told to end or its
time is over, whoever else is gone.
Called by: helpers, which makes such pods.
"""

import ctypes
import json
import os
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any, Protocol

from levee_chaos.packets import QUEUE, Queue, Shape

PROC = Path("/proc")
LOOK_S, CYCLE_S, CONNECT_S = 0.2, 0.2, 1.0
STOPPED, GONE = "Tt", "ZX"
UNUSED, TRIES, TOLERANCE_MS = 9, 3, 10.0  # a port that refuses, everywhere


class Hand(Protocol):
    """`go` is called again and again; `undo` at the end, and twice is once."""

    def go(self) -> None: ...

    def left(self) -> list[str]: ...

    def undo(self) -> None: ...


# ---- processes of pods


def processes(pods: Sequence[str]) -> Iterator[int]:
    """Of all containers, but for what holds the pod's namespaces."""
    names = [name for uid in pods for name in (uid, uid.replace("-", "_"))]
    for entry in PROC.iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                groups = (entry / "cgroup").read_text()
                if any(name in groups for name in names) and (entry / "comm").read_text().strip() != "pause":
                    yield int(entry.name)


def state(pid: int) -> str:
    try:
        return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def send(pids: Sequence[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def first_of(pods: Sequence[str], container: str) -> list[int]:
    """The processes that are 1 in their container: with them it ends."""
    found = []
    for pid in processes(pods):
        with suppress(OSError):
            status = (PROC / str(pid) / "status").read_text()
            own = next((line.split()[-1] for line in status.splitlines() if line.startswith("NSpid:")), "")
            if own == "1" and container in (PROC / str(pid) / "cgroup").read_text():
                found.append(pid)
    return found


class Stop:
    """They stand still until it ends."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self.pods = order["pods"]

    def go(self) -> None:
        send(list(processes(self.pods)), signal.SIGSTOP)

    def left(self) -> list[str]:
        found = {pid: state(pid) for pid in processes(self.pods)}
        return [f"process {pid}" for pid, one in found.items() if one not in STOPPED + GONE] or ([] if found else ["any process"])

    def undo(self) -> None:
        send(list(processes(self.pods)), signal.SIGCONT)


class Pace(Stop):
    """They stand still for a share of the time."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        super().__init__(order)
        self.share, self.seen = float(order["share"]), False

    def go(self) -> None:
        super().go()
        time.sleep(CYCLE_S * self.share)
        self.seen = self.seen or not super().left()
        super().undo()

    def left(self) -> list[str]:
        return [] if self.seen else ["any process"]


class Kill:
    """The container's first process, and so the container."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self.pids = first_of(order["pods"], order["container"])
        self.missing = [] if self.pids else ["a container's first process"]

    def go(self) -> None:
        send(self.pids, signal.SIGKILL)

    def left(self) -> list[str]:
        return self.missing or [f"process {pid}" for pid in self.pids if state(pid) not in GONE]

    def undo(self) -> None:
        """Whoever runs it starts it again."""


# ---- the network of a pod


class Cut:
    """Whatever a pod sends to some addresses goes nowhere: a route in its own network."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        pid = next(processes(order["pods"]), None)
        self.addresses: list[tuple[str, int]] = []
        if pid is None:
            return
        self.addresses = [server_of(pid)]
        enter_network(pid)

    def go(self) -> None:
        for address, _ in self.addresses:
            route(address, add=True)

    def left(self) -> list[str]:
        return [f"{address}:{port}" for address, port in self.addresses if answers(address, port)] if self.addresses else ["any process"]

    def undo(self) -> None:
        for address, _ in self.addresses:
            route(address, add=False)


def server_of(pid: int) -> tuple[str, int]:
    """The API server as that process knows it."""
    told = dict(one.partition("=")[::2] for one in (PROC / str(pid) / "environ").read_text().split("\0"))
    return told["KUBERNETES_SERVICE_HOST"], int(told["KUBERNETES_SERVICE_PORT"])


def enter_network(pid: int) -> None:
    with (PROC / str(pid) / "ns" / "net").open() as namespace:
        if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), 0):
            raise OSError(ctypes.get_errno(), "its network cannot be entered")


def answers(address: str, port: int) -> bool:
    try:
        socket.create_connection((address, port), timeout=CONNECT_S).close()
    except OSError:
        return False
    return True


REQUEST, ACK, CREATE = 0x1, 0x4, 0x400
NEW_ROUTE, DEL_ROUTE, MAIN, STATIC, BLACKHOLE, TO = 24, 25, 254, 4, 6, 1
THERE, NOT_THERE = -17, -3


def route(address: str, *, add: bool) -> None:
    """As `ip route add blackhole ADDRESS` does; images have no such program."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    packed = socket.inet_pton(family, address)
    body = struct.pack("=BBBBBBBBI", family, 8 * len(packed), 0, 0, MAIN, STATIC, 0, BLACKHOLE, 0)
    body += struct.pack("=HH", 4 + len(packed), TO) + packed
    kind, flags = (NEW_ROUTE, REQUEST | ACK | CREATE) if add else (DEL_ROUTE, REQUEST | ACK)
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0) as kernel:
        kernel.send(struct.pack("=IHHII", 16 + len(body), kind, flags, 1, 0) + body)
        (error,) = struct.unpack_from("=i", kernel.recv(4096), 16)
    if error not in {0, THERE if add else NOT_THERE}:
        raise OSError(-error, f"the route to {address} cannot be {'made' if add else 'removed'}")


class Packets:
    """What reaches a pod is held, lost or paced; what its own node says to it, as its kubelet does, is not."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        self.shape, self.queues = Shape(**order["shape"]), list[Queue]()
        self.took_ms: deque[float | None] = deque(maxlen=3 * TRIES)
        self.wrong = "any process"
        pid = next(processes(order["pods"]), None)
        if pid is not None:
            self.begin(pid, order)

    def begin(self, pid: int, order: Mapping[str, Any]) -> None:
        self.peer = (order["sources"][0], order.get("port", UNUSED)) if order["sources"] else server_of(pid)
        enter_network(pid)
        before_ms = [found for _ in range(TRIES) if (found := took_ms(self.peer, CONNECT_S)) is not None]
        if not before_ms:
            self.wrong = f"{self.peer[0]}: does not answer anyway"
            return
        self.before_ms = median(before_ms)
        spared = gateway(Path("/proc/thread-self/net/route").read_text())
        for index, source in enumerate(order["sources"] or [""]):
            self.queues.append(Queue(self.shape, QUEUE + index, source, spared))

    def go(self) -> None:
        self.took_ms.append(took_ms(self.peer, CONNECT_S + 3 * self.shape.delay_s) if self.queues else None)

    def left(self) -> list[str]:
        """By what a connection takes, in which each packet that comes back is one of these."""
        if not self.queues:
            return [self.wrong]
        if self.shape.loss == 1:
            return [f"{self.peer[0]}: answers"] if self.took_ms and self.took_ms[-1] is not None else []
        if self.shape.delay_s:
            return self.too_fast()
        lines = [one.line for one in self.queues]
        return [] if any(one.lost or any(one.held_ms) for one in lines) else ["any packet"]

    def too_fast(self) -> list[str]:
        took = [one for one in self.took_ms if one is not None]
        expected_ms = 1_000 * (self.shape.delay_s - self.shape.jitter_s)
        enough = len(took) >= TRIES and median(took) - self.before_ms >= expected_ms - TOLERANCE_MS
        return [] if enough else [f"{self.peer[0]}: answers after {took[-1]:.0f} ms" if took else f"{self.peer[0]}: has not answered"]

    def undo(self) -> None:
        for one in self.queues:
            one.end()
        self.queues = []


def took_ms(peer: tuple[str, int], patience_s: float) -> float | None:
    """To be accepted or refused; None: there was no answer."""
    began_s = time.monotonic()
    try:
        socket.create_connection(peer, timeout=patience_s).close()
    except ConnectionRefusedError:
        pass
    except OSError:
        return None
    return 1_000 * (time.monotonic() - began_s)


def gateway(routes: str) -> str:
    """By which the node speaks to the pod; empty: none."""
    rows = [one.split() for one in routes.splitlines()[1:]]
    return next((socket.inet_ntoa(struct.pack("=I", int(row[2], 16))) for row in rows if row[1] == "00000000"), "")


# ---- the node itself


class Reboot:
    """At once, without a word to anybody."""

    def __init__(self, order: Mapping[str, Any]) -> None:
        del order

    def go(self) -> None:
        (PROC / "sysrq-trigger").write_text("b")

    def left(self) -> list[str]:
        return ["the node"]

    def undo(self) -> None:
        """It comes back by itself."""


HANDS: Mapping[str, Callable[[Mapping[str, Any]], Hand]] = {
    "stop": Stop,
    "pace": Pace,
    "kill": Kill,
    "cut": Cut,
    "packets": Packets,
    "reboot": Reboot,
}


def main(order: Mapping[str, Any]) -> int:
    """Until its time is over or somebody ends it."""
    ended: list[int] = []
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda got, _frame: ended.append(got))
    until_s, hand, before = time.monotonic() + float(order["for_s"]), HANDS[order["do"]](order), None
    try:
        while not ended and time.monotonic() < until_s:
            hand.go()
            if (left := hand.left()) != before:
                print(json.dumps({"left": left}), flush=True)
            before = left
            time.sleep(LOOK_S)
    finally:
        hand.undo()
    print(json.dumps({"undone": True}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
