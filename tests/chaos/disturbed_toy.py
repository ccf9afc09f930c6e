"""`levee-chaos run` of the toy, as a process of its own: python -m tests.chaos.disturbed_toy PLACE FAILURE_TIMEOUT

Its workers are toys that obey disturbances as the real ones do: python -m tests.chaos.disturbed_toy ORDER.json
Called by: the tests of chaos.
"""

import copy
import json
import sys
import time
from pathlib import Path

from levee.cli.local.start import run_here
from levee_chaos.disturbed.parts import parts_of
from levee_chaos.disturbed.starting import disturb
from levee_spark.log.requests import Answer, Report, Request
from levee_spark.store.driver import StoreDriver
from tests.worlds import toy_worker
from tests.worlds.toy import asked
from tests.worlds.toy_worker import Toy, play

WORKER = (sys.executable, "-m", "tests.chaos.disturbed_toy")
AGAIN_S = 0.5


class TellingToy(Toy):
    """What is wrong stands in its log, as a worker's does."""

    def answer(self, request: Request) -> Answer:
        if isinstance(request, Report) and request.what == "corrupt":
            print(json.dumps({"event": request.what, "replica": self.replica, "detail": request.detail}), flush=True)
        return Toy.answer(self, request)


def play_until_it_ends(toy: Toy, driver: StoreDriver) -> None:
    """Whoever fails tries again, as a worker's replica does."""
    fresh = copy.deepcopy(toy.role)
    while True:
        play(toy, driver)
        if toy.status != "failed":
            return
        time.sleep(AGAIN_S)
        toy.role = copy.deepcopy(fresh)


def run_worker(order: Path) -> None:
    parts = parts_of(order)
    parts.set_the_clock()
    vars(toy_worker).update(open_store=parts.open_store, Toy=TellingToy, play=play_until_it_ends)
    Toy.state = parts.silenced(Toy.state)  # type: ignore[method-assign]
    toy_worker.main(str(order))


if __name__ == "__main__":
    place, *timeout = sys.argv[1:]
    if not timeout:
        run_worker(Path(place))
    else:
        disturb(WORKER)
        sys.exit(run_here(asked(Path(place), failure_timeout=timeout[0])))
