"""Delays, loses and slows down the packets that reach a network: a queue in user space (NFQUEUE), whether or not the kernel has netem.

Why: what comes passes PREROUTING. There, before connections are tracked, a rule sends it here: later, when the first packet of a connection
is held, the second would be lost. The rule is in a table of ours, which the kernel takes away with the socket that has made it, and says
that packets pass where nobody listens: whoever kills this program ends its fault. It needs no other program.
Called by: the helper on a node, in the network of a pod; by hand and by tests: python3 -m levee_chaos.packets --for-s 60 --delay-ms 200
"""

import argparse
import heapq
import json
import random
import select
import signal
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from statistics import median

from levee_chaos.netlink import ACCEPT, ACK, ask, attribute, attributes_in, kernel, message, messages_in, ruled

PACKET, VERDICT, CONFIG = 0x300, 0x301, 0x302  # of the queue's subsystem
HEADER, VERDICT_HEADER, PAYLOAD, FULL_LENGTH = 1, 2, 10, 13  # attributes of a packet
COMMAND, PARAMETERS, LENGTH_MAX = 1, 2, 3  # attributes of the configuration
BIND, COPY_PACKET, COPIED = 1, 2, 20  # an IP header of each packet is all that is asked for
DROP = 0
HELD_MAX, BUFFER = 65_535, 16 << 20
REMEMBERED = 1_001  # packets, of which the median is told
LOOK_S = 0.2
QUEUE = 31_000


# ---- messages


@dataclass(frozen=True)
class Packet:
    number: int
    size: int


def verdict(queue: int, number: int, word: int) -> bytes:
    return message(VERDICT, 0, 0, queue, attribute(VERDICT_HEADER, struct.pack(">II", word, number)))


def requests(queue: int) -> tuple[bytes, bytes]:
    """To begin: this queue is ours; of each packet its first bytes."""
    parameters = attribute(PARAMETERS, struct.pack(">IB", COPIED, COPY_PACKET))
    return (
        message(CONFIG, ACK, 0, queue, attribute(COMMAND, struct.pack(">BBH", BIND, 0, 0))),
        message(CONFIG, ACK, 0, queue, parameters, attribute(LENGTH_MAX, struct.pack(">I", HELD_MAX))),
    )


def packets_in(data: bytes) -> Iterator[Packet]:
    for kind, body in messages_in(data):
        told = attributes_in(body) if kind == PACKET else {}
        if HEADER in told:
            size = struct.unpack(">I", told[FULL_LENGTH])[0] if FULL_LENGTH in told else len(told.get(PAYLOAD, b""))
            yield Packet(struct.unpack_from(">I", told[HEADER])[0], size)


# ---- what becomes of a packet


@dataclass(frozen=True)
class Shape:
    delay_s: float = 0.0
    jitter_s: float = 0.0  # more or less, evenly
    loss: float = 0.0
    bytes_per_s: float = 0.0  # 0: as fast as it comes


@dataclass
class Line:
    """Packets that are under way, and what has become of the others."""

    shape: Shape
    random: random.Random
    held: list[tuple[float, float, int]] = field(default_factory=list)  # when it goes on, when it came, its number
    free_s: float = 0.0
    packets: int = 0
    lost: int = 0
    held_ms: "deque[float]" = field(default_factory=lambda: deque(maxlen=REMEMBERED))

    def take(self, packet: Packet, now_s: float) -> bool:
        """False: it is lost."""
        self.packets += 1
        if self.random.random() < self.shape.loss:
            self.lost += 1
            return False
        heapq.heappush(self.held, (self.due_s(packet, now_s), now_s, packet.number))
        return True

    def due_s(self, packet: Packet, now_s: float) -> float:
        delay_s = self.shape.delay_s + (2 * self.random.random() - 1) * self.shape.jitter_s
        if self.shape.bytes_per_s:
            self.free_s = max(self.free_s, now_s) + packet.size / self.shape.bytes_per_s
        return max(now_s, self.free_s) + max(0.0, delay_s)

    def due(self, now_s: float) -> Iterator[int]:
        while self.held and self.held[0][0] <= now_s:
            _, came_s, number = heapq.heappop(self.held)
            self.held_ms.append(1_000 * (now_s - came_s))
            yield number

    def wait_s(self, now_s: float) -> float:
        return min(LOOK_S, max(0.0, self.held[0][0] - now_s)) if self.held else LOOK_S

    def told(self) -> str:
        held_ms = round(median(self.held_ms), 1) if self.held_ms else None
        return json.dumps({"packets": self.packets, "lost": self.lost, "heldMs": held_ms})


# ---- the queue itself


class Queue:
    """Of the network that this process is in when it is made; the thread that serves it may be in another."""

    def __init__(self, shape: Shape, queue: int = QUEUE, source: str = "", spared: str = "") -> None:
        self.queue, self.line, self.ended = queue, Line(shape, random.Random()), threading.Event()
        self.packets = kernel()
        with suppress(OSError):
            self.packets.setsockopt(socket.SOL_SOCKET, getattr(socket, "SO_RCVBUFFORCE", 33), BUFFER)
        for request in requests(queue):
            ask(self.packets, request, 1, f"queue {queue}")
        self.table = ruled(queue, (source, spared))
        self.packets.setblocking(False)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self) -> None:
        while not self.ended.is_set():
            select.select([self.packets], [], [], self.line.wait_s(time.monotonic()))
            self.receive()
            self.let_go(time.monotonic())
        self.let_go(float("inf"))

    def receive(self) -> None:
        """All that has come. Where the kernel had no room for more, that is lost, as on a real line."""
        with suppress(OSError):
            while True:
                for packet in packets_in(self.packets.recv(1 << 16)):
                    if not self.line.take(packet, time.monotonic()):
                        self.packets.send(verdict(self.queue, packet.number, DROP))

    def let_go(self, now_s: float) -> None:
        for one in self.line.due(now_s):
            self.packets.send(verdict(self.queue, one, ACCEPT))

    def end(self) -> None:
        """First the rule, then the queue; twice is once."""
        self.table.close()
        self.ended.set()
        self.thread.join()
        self.packets.close()


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="packets", description="Hold, lose and pace what reaches this network.")
    parser.add_argument("--from", dest="source", default="", help="only what this address has sent")
    parser.add_argument("--spare", default="", help="not what this address has sent")
    parser.add_argument("--delay-ms", type=float, default=0.0)
    parser.add_argument("--jitter-ms", type=float, default=0.0)
    parser.add_argument("--loss", type=float, default=0.0)
    parser.add_argument("--bytes-per-s", type=float, default=0.0)
    parser.add_argument("--for-s", type=float, required=True, help="then it ends by itself")
    told = parser.parse_args(words)
    ended = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: ended.set())
    queue = Queue(Shape(told.delay_ms / 1_000, told.jitter_ms / 1_000, told.loss, told.bytes_per_s), source=told.source, spared=told.spare)
    print("ready", flush=True)
    ended.wait(told.for_s)
    queue.end()
    print(queue.line.told(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
