"""`python -m levee_spark.worker.prepare`: make what lets workers start sooner, once for each machine; half a minute.

Called by: people and images; whoever sets up a machine. Without it everything works, only later.
"""

import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

from levee_spark.spark import archive
from levee_spark.spark.settings import Size
from levee_spark.spark.settings import flags as flags_of
from levee_spark.spark.settings import settings as settings_of
from levee_spark.worker.warm import warm_up


def main() -> int:
    if archive.archive().exists():
        print(f"{archive.archive()} is there already")
        return 0
    with tempfile.TemporaryDirectory(prefix="levee-prepare-") as name:
        place = Path(name)

        def train(session: SparkSession) -> None:
            """What every worker does at its start is what every worker loads."""
            warm_up(session, place, place)

        try:
            made = archive.make(flags_of(Size()), settings_of(Size(), {}), train, place / "spark.log")
        except archive.NotMade as wrong:
            print(f"not made: {wrong}", file=sys.stderr)
            return 1
        print(f"{made}: {made.stat().st_size >> 20} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
