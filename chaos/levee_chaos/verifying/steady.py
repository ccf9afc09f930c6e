"""The rows of a generator at another pace: about so many in every epoch, whatever its own pace is.

Why: a plan promises something in each configuration, and a configuration is a rate; a source that is replayed can be driven to it.
Called by: the `replay` source of a run of `levee verify`, as `levee_chaos.verifying.steady:rows`; driving, which sets its options.

An epoch takes its rows from `steadySpan` epochs of the generator, which no other takes from, and leaves the rest: any epoch can be made
without those before it, the order stays, and no row comes twice.
"""

from collections.abc import Mapping

import pyarrow as pa

from levee_spark.ingest.function import Generator, load

NAME = "levee_chaos.verifying.steady:rows"
GENERATOR, ROWS, SPAN = "steadyGenerator", "steadyRows", "steadySpan"
SPAN_MAX = 64
SAMPLED = 96  # epochs that are looked at


class TooFew(Exception):
    """A generator that does not make so many rows."""


def rows(epoch: int, options: Mapping[str, str], task: int, tasks: int) -> pa.Table:
    """`steadyRows` of an epoch, of all tasks together: of a fraction, now one more and now one less."""
    per_epoch, span = float(options[ROWS]), int(options[SPAN])
    own = {name: value for name, value in options.items() if name not in {GENERATOR, ROWS, SPAN}}
    return taken(load(options[GENERATOR]), own, epoch, share(epoch, per_epoch, task, tasks), span, task, tasks)


def share(epoch: int, per_epoch: float, task: int, tasks: int) -> int:
    """What a task emits in an epoch."""
    wanted = int(epoch * per_epoch) - int((epoch - 1) * per_epoch)
    return wanted // tasks + (task < wanted % tasks)


def taken(generator: Generator, options: Mapping[str, str], epoch: int, wanted: int, span: int, task: int, tasks: int) -> pa.Table:
    parts, found = [], 0
    for number in range((epoch - 1) * span + 1, epoch * span + 1):
        parts.append(generator(number, options, task, tasks))
        found += parts[-1].num_rows
        if found >= wanted:
            break
    return pa.concat_tables([one for one in parts if one.num_rows] or parts[:1]).slice(0, wanted)


def span_for(generator: Generator, options: Mapping[str, str], per_epoch: float, tasks: int) -> int:
    """The fewest epochs of the generator that always have an epoch's rows, as far as a look at its first ones tells."""
    most = [share(1, per_epoch + 1, task, tasks) for task in range(tasks)]
    counts = [[generator(epoch, options, task, tasks).num_rows for epoch in range(1, SAMPLED + 1)] for task in range(tasks)]
    for span in range(1, SPAN_MAX + 1):
        begins = range(SAMPLED - span + 1)  # also where none begins here: of a long one there would be a single one to look at
        if all(sum(counts[task][at : at + span]) >= most[task] for task in range(tasks) for at in begins):
            return span
    raise TooFew(f"{SPAN_MAX} of its epochs together have fewer than {per_epoch:g} rows")
