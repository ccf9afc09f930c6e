"""Which options the generators beside it take; all of them are whole numbers.

Why: a generator takes what it knows and passes over the rest, so a name that is misspelt would pass silently. Here it can be told before
anything runs, and without importing what generators need.
Called by: levee.cli.local.preflight.
"""

from collections.abc import Mapping

OF_ALL = ("seed", "ratePerS", "periodMs")
ANY = ("seed",)  # the others count something: from 1

OF_GENERATOR: Mapping[str, tuple[str, ...]] = {
    "levee_spark.examples.market:rows": (*OF_ALL, "symbols"),
    "levee_spark.examples.roads:locations": (*OF_ALL, "users"),
    "levee_spark.examples.roads:reports": (*OF_ALL, "users"),
    "levee_spark.examples.weblog:rows": (*OF_ALL, "pages"),
}


def is_taken(option: str, value: str) -> bool:
    try:
        number = int(value)
    except ValueError:
        return False
    return number >= 1 or option in ANY
