"""Which of several operators acts."""

from typing import Any

import pytest

from levee.serve.leader import DURATION_S, Leader
from levee.worlds.kubernetes.api import Conflict, Object, Unreachable


class Leases:
    """An API server with one Lease."""

    def __init__(self) -> None:
        self.lease: Object | None = None
        self.version = 0
        self.away = False

    def get(self, _: str) -> Object | None:
        if self.away:
            raise Unreachable("nobody there")
        return None if self.lease is None else {**self.lease, "spec": dict(self.lease["spec"]), "metadata": dict(self.lease["metadata"])}

    def create(self, _: str, body: Object) -> Object | None:
        if self.lease is not None:
            return None
        return self.keep(body)

    def replace(self, _: str, body: Object) -> Object:
        assert self.lease is not None
        if body["metadata"]["resourceVersion"] != self.lease["metadata"]["resourceVersion"]:
            raise Conflict("another version")
        return self.keep(body)

    def keep(self, body: Object) -> Object:
        self.version += 1
        self.lease = {**body, "metadata": {**body["metadata"], "resourceVersion": str(self.version)}}
        return self.lease


class Time:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    made = Time()
    monkeypatch.setattr("levee.serve.leader.time.monotonic", made.monotonic)
    return made


def leader(leases: Any, identity: str) -> Leader:
    return Leader(leases, "levee", identity)


def test_the_first_one_leads_and_the_second_waits(time: Time) -> None:
    leases = Leases()
    one, other = leader(leases, "one"), leader(leases, "other")
    for _ in range(10):
        one.renew()
        other.renew()
        time.now_s += 2
        one.renew()
        assert one.leads()
        assert not other.leads()


def test_who_is_silent_has_stopped_before_another_one_begins(time: Time) -> None:
    leases = Leases()
    one, other = leader(leases, "one"), leader(leases, "other")
    one.renew()
    other.renew()
    waited_s = 0.0
    while not other.leads():
        assert waited_s <= DURATION_S + 2
        time.now_s, waited_s = time.now_s + 1, waited_s + 1
        other.renew()
    assert not one.leads()
    assert leases.lease is not None
    assert leases.lease["spec"]["leaseTransitions"] == 1


def test_who_wakes_up_late_finds_that_another_one_leads(time: Time) -> None:
    leases = Leases()
    one, other = leader(leases, "one"), leader(leases, "other")
    one.renew()
    other.renew()
    time.now_s += DURATION_S + 1
    other.renew()
    one.renew()
    assert other.leads()
    assert not one.leads()


@pytest.mark.usefixtures("time")
def test_who_ends_lets_go_at_once() -> None:
    leases = Leases()
    one, other = leader(leases, "one"), leader(leases, "other")
    one.renew()
    one.release()
    assert not one.leads()
    other.renew()
    assert other.leads()


def test_who_is_cut_off_stops_acting_by_itself(time: Time) -> None:
    leases = Leases()
    one = leader(leases, "one")
    one.renew()
    leases.away = True
    for _ in range(8):
        one.renew()
        time.now_s += 1
    assert not one.leads()
