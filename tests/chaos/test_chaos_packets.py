"""The queue of packets: what it says to the kernel, what it understands of it, and what becomes of a packet. Live: tests/e2e."""

import errno
import struct
from random import Random

import pytest

from levee_chaos import netlink, packets
from levee_chaos.packets import Line, Packet, Shape

# As a kernel (6.18) has sent them: a datagram of 1,000 bytes, and the beginning of a connection.
DATAGRAM = bytes.fromhex(
    "58000000000300000000000000000000020000070b0001000000000108000000080005000000000210000900000600004696d0b15e760000"
    "08000d000000040418000a0045000404f0464000401123da0a6307010a630702"
)
CONNECTION = bytes.fromhex(
    "58000000000300000000000000000000020000070b0001000000000208000000080005000000000210000900000600004696d0b15e760000"
    "08000d000000003c18000a004500003c87c14000400690320a6307010a630702"
)


def test_a_packet_of_the_kernel_is_understood() -> None:
    assert list(packets.packets_in(DATAGRAM)) == [Packet(1, 1_028)]
    assert list(packets.packets_in(DATAGRAM + CONNECTION)) == [Packet(1, 1_028), Packet(2, 60)]


@pytest.mark.parametrize("length", range(len(DATAGRAM)))
def test_a_message_that_is_torn_is_no_packet(length: int) -> None:
    assert list(packets.packets_in(DATAGRAM[:length])) == []


def test_what_is_said_to_the_kernel_has_its_length_and_is_for_this_queue() -> None:
    for told in (*packets.requests(7), packets.verdict(7, 2, packets.DROP)):
        [(_, body)] = netlink.messages_in(told)
        assert len(told) == struct.unpack_from("=I", told)[0]
        assert struct.unpack_from(">BBH", body) == (0, 0, 7)
    [(kind, body)] = netlink.messages_in(packets.verdict(7, 2, packets.DROP))
    assert kind == packets.VERDICT
    assert struct.unpack(">II", netlink.attributes_in(body)[packets.VERDICT_HEADER]) == (packets.DROP, 2)


def test_the_kernels_answer_is_an_error_or_none() -> None:
    def answer(number: int) -> bytes:
        return struct.pack("=IHHIIi", 36, netlink.ERROR, 0, 0, 0, number) + bytes(16)

    assert netlink.error_in(answer(0)) == 0
    assert netlink.error_in(answer(-errno.EPERM)) == errno.EPERM


def line(shape: Shape) -> Line:
    return Line(shape, Random(7))


def test_a_packet_is_held_for_as_long_as_was_asked_for_and_goes_on_in_its_order() -> None:
    held = line(Shape(delay_s=0.2))
    assert all(held.take(Packet(number, 60), number / 100) for number in range(3))
    assert held.wait_s(0.1) == pytest.approx(0.1)
    assert list(held.due(0.19)) == []
    assert list(held.due(0.215)) == [0, 1]
    assert list(held.due(1.0)) == [2]


def test_jitter_spreads_the_delay_and_none_is_negative() -> None:
    spread = line(Shape(delay_s=0.02, jitter_s=0.05))
    found = [spread.due_s(Packet(number, 60), 10.0) - 10.0 for number in range(1_000)]
    assert min(found) == 0
    assert 0.06 < max(found) <= 0.07


def test_a_share_is_lost_and_counted() -> None:
    lossy = line(Shape(loss=0.3))
    kept = sum(lossy.take(Packet(number, 60), 0.0) for number in range(1_000))
    assert lossy.lost == 1_000 - kept == pytest.approx(300, abs=60)
    assert '"lost": ' + str(lossy.lost) in lossy.told()


def test_a_narrow_line_lets_pass_so_many_bytes_a_second() -> None:
    narrow = line(Shape(bytes_per_s=1_000))
    for number in range(10):
        narrow.take(Packet(number, 500), 0.0)
    assert list(narrow.due(2.6)) == [0, 1, 2, 3, 4]


def test_when_it_ends_nobody_is_held_any_longer() -> None:
    held = line(Shape(delay_s=60))
    held.take(Packet(1, 60), 0.0)
    assert list(held.due(float("inf"))) == [1]
