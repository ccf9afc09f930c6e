"""A picture that is dear to make is not made for each who looks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from levee.page.seldom import KEPT, Seldom


@dataclass
class Slow:
    takes_s: float = 0.25
    now_s: float = 100.0
    made: list[str] = field(default_factory=list)

    def clock(self) -> float:
        return self.now_s

    def picture(self, asked: str) -> Mapping[str, Any]:
        self.now_s += self.takes_s
        self.made.append(asked)
        return {"number": len(self.made)}


def test_it_holds_for_ten_times_as_long_as_it_took() -> None:
    slow = Slow()
    seldom = Seldom(slow.picture, slow.clock)
    assert seldom.picture("a") == {"number": 1}
    slow.now_s += 2.4
    assert seldom.picture("a") == {"number": 1}
    slow.now_s += 0.1
    assert seldom.picture("a") == {"number": 2}


def test_each_topology_has_its_own_and_what_is_cheap_is_always_new() -> None:
    slow = Slow(takes_s=0.0)
    seldom = Seldom(slow.picture, slow.clock)
    assert [seldom.picture(asked)["number"] for asked in ("a", "b", "a")] == [1, 2, 3]
    assert slow.made == ["a", "b", "a"]


def test_names_that_somebody_makes_up_do_not_fill_the_memory() -> None:
    seldom = Seldom(Slow().picture)
    for number in range(10 * KEPT):
        seldom.picture(str(number))
    assert len(seldom.known) == KEPT
