"""Events on the resource: one for what many say alike."""

from levee.control.events import Event
from levee.serve.telling import NAMED_MAX, summed, words


def ready(count: int) -> list[Event]:
    return [Event(f"worker-{number}", "is ready (attempt 1)") for number in range(count)]


def test_what_a_few_say_is_told_of_each() -> None:
    assert list(summed(ready(NAMED_MAX))) == ready(NAMED_MAX)


def test_what_many_say_is_told_once_with_some_of_their_names() -> None:
    [told] = summed([*ready(40)])
    assert words(told) == ("Changed", "each of worker-0, worker-1, worker-2, worker-3, worker-4 and 35 more is ready (attempt 1)")


def test_losses_are_not_counted_among_what_is_well() -> None:
    lost = [Event(f"node-{number}", "crashed", grave=True) for number in range(2)]
    told = list(summed([*ready(10), *lost]))
    assert told[1:] == lost
    assert [event.grave for event in told] == [False, True, True]
