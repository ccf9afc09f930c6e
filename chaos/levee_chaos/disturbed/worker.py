"""A worker made of the same parts as any other, but for a store, a clock and answers that obey disturbances.

Called by: the local world, as its workers' program, in a run of `levee-chaos run`: python -m levee_chaos.disturbed.worker ORDER.json
"""

import sys
from pathlib import Path

from levee_chaos.disturbed.parts import Parts, parts_of
from levee_spark.worker import main as worker
from levee_spark.worker import serve


def put_in(parts: Parts) -> None:
    """The modules that put a worker together are given these instead."""
    parts.set_the_clock()
    vars(worker).update(open_store=parts.open_store)
    vars(serve).update(answer=parts.silenced(serve.answer))


if __name__ == "__main__":
    put_in(parts_of(Path(sys.argv[1])))
    sys.exit(worker.main(sys.argv[1:]))
