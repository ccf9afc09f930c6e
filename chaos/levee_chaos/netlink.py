"""What is said to the kernel's packet filter, and what it answers: messages, and the rule that has packets wait for us.

Why: in the images of pods there is neither nft nor iptables, and the rule must go with whoever has made it: it is in a table that the
kernel takes away with its socket.
Called by: packets. Like it a helper's text, so it needs nothing but Python.
"""

import os
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress

NETLINK_NETFILTER, REQUEST, ACK, ERROR = 12, 1, 4, 2
ACCEPT, ANSWER_S = 1, 5.0

# ---- messages


def attribute(kind: int, data: bytes) -> bytes:
    return struct.pack("=HH", 4 + len(data), kind) + data + b"\0" * (-len(data) % 4)


def message(kind: int, flags: int, family: int, number: int, *attributes: bytes) -> bytes:
    """`number`: of the queue, or of the subsystem."""
    body = struct.pack(">BBH", family, 0, number) + b"".join(attributes)
    return struct.pack("=IHHII", 16 + len(body), kind, REQUEST | flags, 0, 0) + body


def messages_in(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each."""
    while len(data) >= 16:
        length, kind = struct.unpack_from("=IH", data)
        if not 16 <= length <= len(data):
            return
        yield kind, data[16:length]
        data = data[(length + 3) & ~3 :]


def attributes_in(body: bytes) -> dict[int, bytes]:
    found, rest = {}, body[4:]
    while len(rest) >= 4:
        length, kind = struct.unpack_from("=HH", rest)
        if not 4 <= length <= len(rest):
            break
        found[kind & 0x3FFF] = rest[4:length]
        rest = rest[(length + 3) & ~3 :]
    return found


def error_in(data: bytes) -> int:
    """0: it was done."""
    return next((-struct.unpack_from("=i", body)[0] for kind, body in messages_in(data) if kind == ERROR), 0)


# ---- the rule

NEW_TABLE, NEW_CHAIN, NEW_RULE, BEGIN, END, CREATE, APPEND = 0xA00, 0xA03, 0xA06, 0x10, 0x11, 0x400, 0x800
IPV4, IPV6, BOTH = 2, 10, 1  # what a table is of
TABLES = 10  # the subsystem
OWNED, BYPASS, LOOPBACK, REGISTER, IS, NOT = 2, 1, 1, 1, 0, 1
BEFORE_TRACKING = -300


def text(kind: int, word: str) -> bytes:
    return attribute(kind, word.encode() + b"\0")


def number(kind: int, value: int) -> bytes:
    return attribute(kind, struct.pack(">i", value))


def nested(kind: int, *attributes: bytes) -> bytes:
    return attribute(kind | 0x8000, b"".join(attributes))


def expression(name: str, *attributes: bytes) -> bytes:
    return nested(1, text(1, name), nested(2, *attributes))


def compared(how: int, value: bytes) -> bytes:
    return expression("cmp", number(1, REGISTER), number(2, how), nested(3, attribute(1, value)))


def from_there(source: str, spared: str = "") -> tuple[bytes, ...]:
    """What that address has sent; without one everything but what a machine says to itself, and what a spared address says."""
    if not source:
        spare = sender(spared, NOT) if spared else ()
        return expression("meta", number(2, 4), number(1, REGISTER)), compared(NOT, struct.pack("=I", LOOPBACK)), *spare
    return sender(source, IS)


def sender(told: str, how: int) -> tuple[bytes, ...]:
    packed = address(told)
    place = number(3, 12 if len(packed) == 4 else 8)
    return expression("payload", number(1, REGISTER), number(2, 1), place, number(4, len(packed))), compared(how, packed)


def address(told: str) -> bytes:
    return socket.inet_pton(socket.AF_INET6 if ":" in told else socket.AF_INET, told)


def sent_to(queue: int) -> tuple[bytes, bytes]:
    """As nftables says it and as iptables does: kernels know one of them, or both."""
    plain = expression("queue", *(attribute(kind, struct.pack(">H", value)) for kind, value in ((1, queue), (2, 1), (3, BYPASS))))
    return plain, expression("target", text(1, "NFQUEUE"), number(2, 3), attribute(3, struct.pack("=HHHxx", queue, 1, BYPASS)))


def rule(queue: int, there: tuple[str, str], sent: bytes) -> bytes:
    """All of it in one batch: it is there, or nothing of it."""
    source, _ = there
    family, name, chain = BOTH if not source else IPV6 if ":" in source else IPV4, f"levee-chaos-{queue}", "arriving"
    hook = nested(4, number(1, 0), number(2, BEFORE_TRACKING))
    return b"".join(
        (
            message(BEGIN, 0, 0, TABLES),
            message(NEW_TABLE, CREATE | ACK, family, 0, text(1, name), number(2, OWNED)),
            message(NEW_CHAIN, CREATE | ACK, family, 0, text(1, name), text(3, chain), hook, number(5, ACCEPT), text(7, "filter")),
            message(NEW_RULE, CREATE | APPEND | ACK, family, 0, text(1, name), text(2, chain), nested(4, *from_there(*there), sent)),
            message(END, 0, 0, TABLES),
        )
    )


def kernel() -> socket.socket:
    line = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, NETLINK_NETFILTER)
    line.bind((0, 0))
    line.settimeout(ANSWER_S)
    return line


def ask(line: socket.socket, request: bytes, answers: int, what: str) -> socket.socket:
    line.send(request)
    while answers > 0:
        answer = line.recv(1 << 16)
        if wrong := error_in(answer):
            raise OSError(wrong, f"the kernel gives us no {what}: {os.strerror(wrong)}")
        answers -= sum(kind == ERROR for kind, _ in messages_in(answer))
    return line


def ruled(queue: int, there: tuple[str, str]) -> socket.socket:
    """With it the rule goes."""
    *others, last = sent_to(queue)
    for sent in others:
        with suppress(FileNotFoundError):  # the kernel does not know that way
            return ask(kernel(), rule(queue, there, sent), 3, "table of rules")
    return ask(kernel(), rule(queue, there, last), 3, "table of rules")
